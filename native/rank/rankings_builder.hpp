// Rankings collected query by query, in parts, and the parts put together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rank/hit_ranker.hpp"
#include "rank/match_options.hpp"
#include "rank/rankings.hpp"
#include "rank/ties.hpp"

namespace idealist {

// How often each grade that is a small whole number occurs.
using SmallGradeCounts = std::array<uint32_t, 32>;

// Counts such grades; says false, and counts in vain, when one is of another kind.
template <class Grade>
bool count_small_grades(const Grade* grades, size_t size, SmallGradeCounts& counts) {
    counts.fill(0);
    SmallGradeCounts others{};  // so that neighbours of one grade do not wait for each other
    for (size_t i = 0; i < size; ++i) {
        if (!(grades[i] >= 0 && grades[i] < Grade(counts.size()))) return false;
        const auto whole = size_t(grades[i]);
        if (Grade(whole) != grades[i]) return false;
        ++(i % 2 ? counts : others)[whole];
    }
    for (size_t grade = 0; grade < counts.size(); ++grade) counts[grade] += others[grade];
    return true;
}

// Collects the rankings of consecutive queries.
class RankingsBuilder {
  public:
    explicit RankingsBuilder(const MatchOptions& options) : options_(options) {
        rankings_.depth = options.depth;
        rankings_.hit_begin.push_back(0);
        rankings_.judged_begin.push_back(0);
    }
    // `hits` are in rank order; `grades` are all judged grades of the query in any order, and may be
    // left in another.
    void add(uint32_t retrieved, bool missing, const std::vector<Hit>& hits, std::vector<double>& grades,
             std::span<const TiedHits> ties = {}) {
        add_hits(hits);
        for (const TiedHits& tie : ties) {
            add_ties(tie.before, tie.size, std::span(hits).subspan(tie.begin, tie.end - tie.begin));
        }
        add_judged(grades);
        finish(options_.remove_unjudged ? uint32_t(hits.size()) : retrieved, missing);
    }
    // The same in parts.
    void add_hits(const std::vector<Hit>& hits);
    void add_ties(uint32_t before, uint32_t size, std::span<const Hit> hits) {
        keep_ties(rankings_, rankings_.queries(), before, size, hits);
    }
    void add_judged(std::vector<double>& grades);
    void add_judged(const SmallGradeCounts& counts);
    void finish(uint32_t retrieved, bool missing);
    Rankings& rankings() { return rankings_; }

  private:
    MatchOptions options_;
    Rankings rankings_;
};

// Names for queries that have none: 0, 1, 2, …
QueryNames numbered(size_t count);

// Where a query's ranking was made.
struct Place {
    uint32_t part, query;
};

// One ranking for every place, in the places' order.
std::shared_ptr<Rankings> gather(std::vector<RankingsBuilder>& parts, const std::vector<Place>& places,
                                 const MatchOptions& options, unsigned threads);
// All rankings of all parts, one part after the other.
std::shared_ptr<Rankings> gather_in_order(std::vector<RankingsBuilder>& parts, const MatchOptions& options,
                                          unsigned threads);

}  // namespace idealist
