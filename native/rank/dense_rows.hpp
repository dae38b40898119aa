// One row of a matrix of scores after the other to rankings.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "rank/dense.hpp"
#include "rank/dense_keys.hpp"
#include "rank/match_options.hpp"
#include "rank/rankings.hpp"
#include "rank/rankings_builder.hpp"
#include "rank/ties.hpp"

namespace idealist {

inline constexpr size_t radix_from = 192;  // below this std::sort is quicker

template <class Score, class Grade>
class RowRanker {
  public:
    // `places` are those of the columns where ties go by id.
    RowRanker(const MatchOptions& options, size_t columns, std::span<const uint32_t> places)
        : options_(options), columns_(columns), places_(places) {}

    // With `direct`, the row's hits go there: there is one for every column then. Says whether they are tied.
    bool rank(const Score* scores, const Grade* grades, size_t row, RankingsBuilder& out, Rankings* direct) {
        refuse(scores, row, true, [](Score score) { return score != score; });
        if constexpr (std::is_floating_point_v<Grade>) {
            refuse(grades, row, false, [](Grade grade) { return !(grade - grade == 0); });  // nan or infinite
        }
        choose(scores);
        order(scores);
        bool any_tie = false;
        if (direct) {
            any_tie = emit_all(scores, grades, *direct, row * columns_, out);
        } else {
            emit(scores, grades, out);
            out.add_hits(hits_);
        }
        SmallGradeCounts counts;
        if (count_small_grades(grades, columns_, counts)) {
            out.add_judged(counts);
        } else {
            collect_grades(grades);
            out.add_judged(all_grades_);
        }
        out.finish(uint32_t(options_.may_remove_judged() ? hits_.size() : columns_), false);
        return any_tie;
    }

  private:
    uint64_t key_of(const Score* scores, uint32_t column) const {
        if (options_.single_precision) return sort_key(float(scores[column]), column);
        return sort_key(scores[column], column);
    }

    uint32_t place(uint64_t key) const { return places_.empty() ? uint32_t(key) : places_[uint32_t(key)]; }

    template <class T, class Bad>
    void refuse(const T* cells, size_t row, bool is_score, Bad bad) const {
        size_t count = 0;
        for (size_t i = 0; i < columns_; ++i) count += bad(cells[i]);
        if (count == 0) return;
        const T* first = std::find_if(cells, cells + columns_, bad);
        throw BadCell{row, size_t(first - cells), is_score};
    }

    void collect_grades(const Grade* grades) {
        all_grades_.clear();
        for (size_t i = 0; i < columns_; ++i) {
            if (!options_.skips(double(grades[i]))) all_grades_.push_back(double(grades[i]));
        }
    }

    // Leaves in keys_ the documents that can be among the first `depth`, ties included.
    void choose(const Score* scores) {
        keys_.clear();
        const size_t depth = options_.depth;
        if (depth >= columns_ / 4 || options_.may_remove_judged()) {
            keys_.resize(columns_);
            for (uint32_t i = 0; i < columns_; ++i) keys_[i] = key_of(scores, i);
            return;
        }
        best_.clear();
        constexpr float infinity = std::numeric_limits<float>::infinity();
        double threshold = -infinity;
        Score floor = -infinity;
        size_t limit = 2 * depth + 16;
        auto drop_losers = [&] {
            if (best_.size() <= depth) return;
            std::nth_element(best_.begin(), best_.begin() + ptrdiff_t(depth) - 1, best_.end(),
                             [](const Best& a, const Best& b) { return a.score > b.score; });
            threshold = best_[depth - 1].score;
            // What is compared in single precision may round up to the threshold.
            floor = options_.single_precision ? Score(std::nextafter(float(threshold), -infinity))
                                              : Score(threshold);
            std::erase_if(best_, [&](const Best& candidate) { return candidate.score < threshold; });
            limit = std::max(limit, best_.size() * 2);
        };
        constexpr size_t block = 16;  // compared without a branch; most hold no candidate
        for (size_t begin = 0; begin < columns_; begin += block) {
            const size_t end = std::min(columns_, begin + block);
            unsigned candidates = 0;
            for (size_t i = begin; i < end; ++i) candidates += scores[i] >= floor;
            if (candidates == 0) continue;
            for (size_t i = begin; i < end; ++i) {
                const double score = options_.compared(scores[i]);
                if (score < threshold) continue;
                best_.push_back({score, uint32_t(i)});
                if (best_.size() >= limit) drop_losers();
            }
        }
        drop_losers();
        for (const Best& candidate : best_) keys_.push_back(key_of(scores, candidate.column));
    }

    // Sorts keys_ by score, highest first, ties by column as the rule says.
    void order(const Score* scores) {
        if (keys_.size() < radix_from) {
            std::sort(keys_.begin(), keys_.end());
        } else {
            radix_sort(keys_, spare_);
        }
        const bool later_first = options_.ties == Ties::id_descending;
        for (size_t i = 0, end; i < keys_.size(); i = end) {
            for (end = i + 1; end < keys_.size() && keys_[end] >> 32 == keys_[i] >> 32;) ++end;
            if (end == i + 1) continue;
            std::sort(keys_.begin() + ptrdiff_t(i), keys_.begin() + ptrdiff_t(end),
                      [&](uint64_t a, uint64_t b) {
                          const double score_a = options_.compared(scores[uint32_t(a)]),
                                       score_b = options_.compared(scores[uint32_t(b)]);
                          if (score_a != score_b) return score_a > score_b;
                          return later_first ? place(a) > place(b) : place(a) < place(b);
                      });
        }
    }

    // Where every document is a hit, it is written as it is met. The sizes of tied groups are written for
    // rows that have any; says whether this one has.
    bool emit_all(const Score* scores, const Grade* grades, Rankings& out, size_t at, RankingsBuilder& ties) {
        uint32_t* rank = out.rank.data() + at;
        double* grade = out.grade.data() + at;
        uint32_t* tied = out.tied.empty() ? nullptr : out.tied.data() + at;
        double score = keys_.empty() ? 0 : options_.compared(scores[uint32_t(keys_[0])]);
        bool any_tie = false;
        for (size_t i = 0, end; i < keys_.size(); i = end) {
            const size_t first = i;
            double next = score;
            for (end = i; end < keys_.size() && next == score; ++end) {
                grade[end] = double(grades[uint32_t(keys_[end])]);
                rank[end] = uint32_t(end + 1);
                if (end + 1 < keys_.size()) next = options_.compared(scores[uint32_t(keys_[end + 1])]);
            }
            score = next;
            if (end - first == 1) continue;
            if (tied && !any_tie) std::fill(tied, tied + columns_, 1u);
            any_tie = true;
            hits_.clear();
            for (size_t h = first; h < end; ++h) hits_.push_back({0, grade[h], {}, rank[h], 1});
            settle(0, uint32_t(first), uint32_t(end - first), ties);
            for (size_t h = first; h < end; ++h) {
                rank[h] = hits_[h - first].rank;
                grade[h] = hits_[h - first].grade;
                if (tied) tied[h] = hits_[h - first].tied;
            }
        }
        return any_tie;
    }

    void emit(const Score* scores, const Grade* grades, RankingsBuilder& out) {
        hits_.clear();
        for (size_t i = 0, end; i < keys_.size(); i = end) {
            const double score = options_.compared(scores[uint32_t(keys_[i])]);
            const size_t first_hit = hits_.size();
            for (end = i; end < keys_.size() && options_.compared(scores[uint32_t(keys_[end])]) == score;
                 ++end) {
                const double grade = double(grades[uint32_t(keys_[end])]);
                const size_t place = options_.remove_unjudged ? hits_.size() : end;
                if (!options_.skips(grade)) hits_.push_back({score, grade, {}, uint32_t(place + 1), 1});
            }
            if (options_.remove_unjudged) {
                settle(first_hit, uint32_t(first_hit), uint32_t(hits_.size() - first_hit), out);
            } else {
                settle(first_hit, uint32_t(i), uint32_t(end - i), out);
            }
        }
    }

    // Ranks the hits from first_hit on, which share a score with `size` documents below `before` others.
    void settle(size_t first_hit, uint32_t before, uint32_t size, RankingsBuilder& out) {
        if (size < 2 || first_hit == hits_.size()) return;
        Hit *begin = &hits_[first_hit], *end = hits_.data() + hits_.size();
        if (options_.ties == Ties::optimistic || options_.ties == Ties::pessimistic) {
            settle_by_grade(before, size, options_.ties == Ties::optimistic, begin, end);
            std::sort(begin, end, [](const Hit& a, const Hit& b) { return a.rank < b.rank; });
        } else if (options_.ties == Ties::averaged) {
            std::sort(begin, end, [](const Hit& a, const Hit& b) { return a.grade > b.grade; });
            std::for_each(begin, end, [&](Hit& hit) {
                hit.rank = before + 1;
                hit.tied = size;
            });
            return;
        }
        out.add_ties(before, size, {begin, end});
    }

    struct Best {
        double score;
        uint32_t column;
    };

    MatchOptions options_;
    size_t columns_;
    std::span<const uint32_t> places_;
    std::vector<uint64_t> keys_, spare_;
    std::vector<Best> best_;
    std::vector<Hit> hits_;
    std::vector<double> all_grades_;
};

}  // namespace idealist
