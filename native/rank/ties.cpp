#include "rank/ties.hpp"

#include <algorithm>

#include "rank/views.hpp"

namespace idealist {

namespace {

// What belongs to one query in a list that is sorted by query.
template <class T>
std::span<const T> of_query(const std::vector<T>& list, size_t query) {
    T key{};
    key.query = uint32_t(query);
    const auto [begin, end] = std::equal_range(list.begin(), list.end(), key,
                                               [](const T& a, const T& b) { return a.query < b.query; });
    return {begin, end};
}

std::shared_ptr<Rankings> in_order_of_grades(const Rankings& rankings, bool best) {
    auto out = like(rankings);
    copy_judged(rankings, *out);
    std::vector<Hit> hits;
    for (size_t q = 0; q < rankings.queries(); ++q) {
        size_t at = rankings.hit_begin[q];
        const size_t stop = rankings.hit_begin[q + 1];
        auto copy_before = [&](uint32_t first) {
            for (; at < stop && rankings.rank[at] < first; ++at) {
                out->rank.push_back(rankings.rank[at]);
                out->grade.push_back(rankings.grade[at]);
            }
        };
        auto settle = [&](uint32_t first, uint32_t size) {
            settle_by_grade(first - 1, size, best, hits.data(), hits.data() + hits.size());
            std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.rank < b.rank; });
            for (const Hit& hit : hits) {
                if (hit.rank > rankings.depth) break;
                out->rank.push_back(hit.rank);
                out->grade.push_back(hit.grade);
            }
            keep_ties(*out, q, first - 1, size, hits);
            hits.clear();
        };
        if (rankings.averaged()) {
            for_groups(rankings, q, [&](const TieGroup& group) {
                for (; at < group.end; ++at) hits.push_back({0, rankings.grade[at], {}});
                settle(group.first, group.size);
                return true;
            });
        }
        for (const TieBlock& block : of_query(rankings.ties, q)) {
            copy_before(block.first);
            for (; at < stop && rankings.rank[at] - block.first < block.size; ++at) {
                hits.push_back({0, rankings.grade[at], {}});
            }
            // Only the last block may reach below the depth.
            if (rankings.depth - block.first < block.size - 1) {
                for (const LeftOut& hit : of_query(rankings.left_out, q)) hits.push_back({0, hit.grade, {}});
            }
            settle(block.first, block.size);
        }
        copy_before(all_ranks);
        out->hit_begin.push_back(out->rank.size());
    }
    return out;
}

}  // namespace

void settle_by_grade(uint32_t before, uint32_t size, bool best, Hit* begin, Hit* end) {
    std::sort(begin, end, [](const Hit& a, const Hit& b) { return a.grade > b.grade; });
    const uint32_t unjudged = size - uint32_t(end - begin);
    uint32_t place = 0;  // in the best order
    bool passed_unjudged = false;
    for (Hit* hit = begin; hit != end; ++hit) {
        if (hit->grade < 0 && !passed_unjudged) {
            place += unjudged;
            passed_unjudged = true;
        }
        hit->rank = before + (best ? place + 1 : size - place);
        ++place;
    }
}

void keep_ties(Rankings& rankings, size_t query, uint32_t before, uint32_t size, std::span<const Hit> hits) {
    const bool alike = hits.size() == size && std::all_of(hits.begin(), hits.end(), [&](const Hit& hit) {
                           return hit.grade == hits.front().grade;
                       });
    if (size < 2 || hits.empty() || alike || before >= rankings.depth) return;
    rankings.ties.push_back({uint32_t(query), before + 1, size});
    for (const Hit& hit : hits) {
        if (hit.rank > rankings.depth) rankings.left_out.push_back({uint32_t(query), hit.grade});
    }
}

void copy_ties(const Rankings& from, size_t query, Rankings& to, size_t target) {
    for (const TieBlock& block : of_query(from.ties, query)) {
        to.ties.push_back({uint32_t(target), block.first, block.size});
    }
    for (const LeftOut& hit : of_query(from.left_out, query)) {
        to.left_out.push_back({uint32_t(target), hit.grade});
    }
}

std::shared_ptr<Rankings> best_of_ties(const Rankings& rankings) {
    return in_order_of_grades(rankings, true);
}

std::shared_ptr<Rankings> worst_of_ties(const Rankings& rankings) {
    return in_order_of_grades(rankings, false);
}

std::vector<size_t> tied(const Rankings& rankings) {
    std::vector<size_t> queries;
    for (const TieBlock& block : rankings.ties) {
        if (queries.empty() || queries.back() != block.query) queries.push_back(block.query);
    }
    // A mean over orders that are all alike may be rounded differently.
    for (size_t q = 0; rankings.averaged() && q < rankings.queries(); ++q) {
        const uint32_t* sizes = rankings.tied.begin();
        if (std::any_of(sizes + rankings.hit_begin[q], sizes + rankings.hit_begin[q + 1],
                        [](uint32_t size) { return size > 1; })) {
            queries.push_back(q);
        }
    }
    return queries;
}

}  // namespace idealist
