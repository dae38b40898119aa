// A run matched with the judgments: everything that a measure may look at.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "base/columns.hpp"

namespace idealist {

constexpr uint32_t all_ranks = std::numeric_limits<uint32_t>::max();

// The queries' names, kept alive together with whatever holds their bytes.
using QueryNames = std::shared_ptr<const std::vector<std::string_view>>;

// Documents of one query that share a score, at ranks [first, first + size), of which at least one is judged
// and not all have the same grade: in another order they make another ranking.
struct TieBlock {
    uint32_t query, first, size;
};

// The grade of a hit that was left out below the depth, but could stand above it in another order of ties.
struct LeftOut {
    uint32_t query;
    double grade;
};

// Per query: how many documents were retrieved; the rank and grade of each judged retrieved
// document (a hit), in rank order; all judged grades, highest first, each with its count.
struct Rankings {
    QueryNames names;
    uint32_t depth = all_ranks;  // hits below this rank were left out
    std::vector<uint32_t> retrieved;
    std::vector<uint8_t> missing;  // judged, but not in the run
    std::vector<uint64_t> hit_begin;
    Column<uint32_t> rank;
    Column<double> grade;
    // Only with averaged ties, and only if there are any: how many documents share the hit's score;
    // its rank is then the first of that group.
    Column<uint32_t> tied;
    // With any other rule for ties, both in the order of queries and ranks.
    std::vector<TieBlock> ties;
    std::vector<LeftOut> left_out;
    std::vector<uint64_t> judged_begin;
    Column<double> judged_grade;
    Column<uint32_t> judged_count;

    size_t queries() const { return retrieved.size(); }
    bool averaged() const { return !tied.empty(); }
};

// Consecutive hits that share a score under averaged ties; one hit otherwise.
struct TieGroup {
    uint32_t first;  // rank
    uint32_t size;   // documents, judged or not
    size_t begin, end;
    // How many of the group's places are among the first k.
    double places(uint32_t k) const { return first > k ? 0.0 : double(std::min(size, k - first + 1)); }
};

// Calls visit(group) in rank order until it returns false.
template <class Visit>
void for_groups(const Rankings& rankings, size_t query, Visit&& visit) {
    const size_t stop = rankings.hit_begin[query + 1];
    for (size_t at = rankings.hit_begin[query]; at < stop;) {
        TieGroup group{rankings.rank[at], 1, at, at + 1};
        if (rankings.averaged()) {
            group.size = rankings.tied[at];
            while (group.end < stop && rankings.rank[group.end] == group.first) ++group.end;
        }
        if (!visit(group)) return;
        at = group.end;
    }
}

}  // namespace idealist
