#include "rank/hit_ranker.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace idealist {

namespace {

// Up to this many comparisons of ids, comparing each hit with each tied document beats sorting.
constexpr size_t few_comparisons = 256;
constexpr size_t few_levels = 4;

bool by_score(const Hit& a, const Hit& b) { return a.score > b.score; }

}  // namespace

void HitRanker::rank(const double* scores, uint32_t count, const Candidates& candidates,
                     std::vector<Hit>& hits) {
    ties_.clear();
    if (hits.empty()) return;
    std::sort(hits.begin(), hits.end(), by_score);
    if (std::is_sorted(scores, scores + count, std::greater<double>())) {
        settle_sorted(scores, count, candidates, hits);
    } else {
        settle_counted(scores, count, candidates, hits);
    }
    std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
        return a.rank != b.rank ? a.rank < b.rank : a.grade > b.grade;
    });
    if (options_.remove_unjudged) close_up(hits);
}

// Ranks without the unjudged documents.
void HitRanker::close_up(std::vector<Hit>& hits) {
    for (TiedHits& tie : ties_)
        tie = {uint32_t(tie.begin), uint32_t(tie.end - tie.begin), tie.begin, tie.end};
    for (size_t i = 0, end; i < hits.size(); i = end) {
        end = i + 1;
        while (options_.ties == Ties::averaged && end < hits.size() && hits[end].rank == hits[i].rank) ++end;
        std::for_each(&hits[i], &hits[i] + (end - i), [&](Hit& hit) {
            hit.rank = uint32_t(i + 1);
            hit.tied = uint32_t(end - i);
        });
    }
}

void HitRanker::settle_sorted(const double* scores, uint32_t count, const Candidates& candidates,
                              std::vector<Hit>& hits) {
    const double* from = scores;
    for (size_t i = 0, end; i < hits.size(); i = end) {
        for (end = i + 1; end < hits.size() && hits[end].score == hits[i].score;) ++end;
        const auto [low, high] =
            std::equal_range(from, scores + count, hits[i].score, std::greater<double>());
        const uint32_t before = uint32_t(low - scores);
        members_.resize(size_t(high - low));
        std::iota(members_.begin(), members_.end(), before);
        settle_group(before, members_, candidates, hits, i, end);
        from = high;
    }
}

void HitRanker::settle_counted(const double* scores, uint32_t count, const Candidates& candidates,
                               std::vector<Hit>& hits) {
    levels_.clear();
    for (const Hit& hit : hits) {
        if (levels_.empty() || levels_.back() != hit.score) levels_.push_back(hit.score);
    }
    auto level_of = [&](double score) {
        return size_t(std::lower_bound(levels_.begin(), levels_.end(), score, std::greater<double>()) -
                      levels_.begin());
    };
    above_.assign(levels_.size() + 1, 0);
    equal_.assign(levels_.size(), 0);
    if (levels_.size() <= few_levels) {
        for (size_t level = 0; level < levels_.size(); ++level) {
            const double score = levels_[level];
            uint32_t above = 0, equal = 0;
            for (uint32_t row = 0; row < count; ++row) {
                above += scores[row] > score;
                equal += scores[row] == score;
            }
            above_[level] = above;
            equal_[level] = equal;
        }
    } else {
        for (uint32_t row = 0; row < count; ++row) {
            const size_t level = level_of(scores[row]);
            const bool equal = level < levels_.size() && levels_[level] == scores[row];
            if (equal) ++equal_[level];
            ++above_[level + equal];
        }
        std::partial_sum(above_.begin(), above_.end(), above_.begin());
    }
    // The members of every tied group in one pass; a group of one needs none.
    std::vector<uint32_t>& next = starts_;
    next.assign(levels_.size(), 0);
    uint32_t tied = 0;
    for (size_t level = 0; level < levels_.size(); ++level) {
        next[level] = tied;
        if (equal_[level] > 1) tied += equal_[level];
    }
    members_.resize(tied);
    for (uint32_t row = 0; tied > 0 && row < count; ++row) {
        const size_t level = level_of(scores[row]);
        if (level < levels_.size() && levels_[level] == scores[row] && equal_[level] > 1) {
            members_[next[level]++] = row;
        }
    }
    for (size_t i = 0, end, level = 0; i < hits.size(); i = end, ++level) {
        for (end = i + 1; end < hits.size() && hits[end].score == hits[i].score;) ++end;
        std::span<const uint32_t> members;
        if (equal_[level] > 1)
            members = std::span(members_).subspan(next[level] - equal_[level], equal_[level]);
        settle_group(above_[level], members, candidates, hits, i, end);
    }
}

// `members` are the rows that share the score of the hits in [first, last), in input order; none for a hit
// that is alone.
void HitRanker::settle_group(uint32_t before, std::span<const uint32_t> members, const Candidates& candidates,
                             std::vector<Hit>& hits, size_t first, size_t last) {
    const uint32_t size = uint32_t(members.size());
    Hit *const begin = &hits[first], *const end = begin + (last - first);
    if (size <= 1) {
        begin->rank = before + 1;
        return;
    }
    if (options_.ties == Ties::averaged) {
        for (Hit* hit = begin; hit != end; ++hit) {
            hit->rank = before + 1;
            hit->tied = size;
        }
        return;
    }
    ties_.push_back({before, size, first, last});
    if (options_.ties == Ties::optimistic || options_.ties == Ties::pessimistic) {
        settle_by_grade(before, size, options_.ties == Ties::optimistic, begin, end);
        return;
    }
    const bool by_input = options_.ties == Ties::input_order;
    const bool ascending = options_.ties == Ties::id_ascending;
    if (size_t(end - begin) * size <= few_comparisons) {
        for (Hit* hit = begin; hit != end; ++hit) {
            uint32_t ahead = 0;
            for (uint32_t i = 0; i < size; ++i) {
                const int order = candidates.id(members[i]).compare(hit->id);
                if (by_input && order == 0) {
                    ahead = i;
                    break;
                }
                ahead += ascending ? order < 0 : order > 0;
            }
            hit->rank = before + 1 + ahead;
        }
        return;
    }
    ids_.clear();
    for (const uint32_t row : members) ids_.push_back(candidates.id(row));
    std::vector<uint32_t> order(size);
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return ids_[a] < ids_[b]; });
    for (Hit* hit = begin; hit != end; ++hit) {
        const auto place =
            std::lower_bound(order.begin(), order.end(), hit->id,
                             [&](uint32_t member, std::string_view id) { return ids_[member] < id; });
        const uint32_t position = uint32_t(place - order.begin());
        hit->rank = before + 1 + (by_input ? *place : ascending ? position : size - 1 - position);
    }
}

}  // namespace idealist
