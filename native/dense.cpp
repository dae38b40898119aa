#include "dense.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

namespace idealist {

namespace {

constexpr size_t rows_per_block = 16;
constexpr size_t radix_from = 192;  // below this std::sort is quicker

// Upper half: the score's leading 32 bits, mapped so that higher scores are smaller numbers.
// Lower half: the column.
template <class Score>
uint64_t sort_key(Score score, uint32_t column) {
    using Bits = std::conditional_t<sizeof(Score) == 8, uint64_t, uint32_t>;
    constexpr Bits sign = Bits(1) << (sizeof(Bits) * 8 - 1);
    Bits bits = std::bit_cast<Bits>(Score(score + Score(0)));  // -0 and 0 tie
    // All bits but the sign are turned unless it is set. No branch: no one could guess which way it goes.
    bits ^= Bits(~sign & ((bits >> (sizeof(Bits) * 8 - 1)) - 1));
    return uint64_t(uint32_t(bits >> (sizeof(Bits) * 8 - 32))) << 32 | column;
}

// Sorts by the upper halves, keeping the order of equal ones.
void radix_sort(std::vector<uint64_t>& keys, std::vector<uint64_t>& spare) {
    constexpr unsigned digit_bits = 11, buckets = 1u << digit_bits, passes = 3;
    std::array<std::array<uint32_t, buckets>, passes> starts{};
    for (const uint64_t key : keys) {
        for (unsigned pass = 0; pass < passes; ++pass) {
            ++starts[pass][key >> (32 + digit_bits * pass) & (buckets - 1)];
        }
    }
    spare.resize(keys.size());
    for (unsigned pass = 0; pass < passes; ++pass) {
        const unsigned shift = 32 + digit_bits * pass;
        if (starts[pass][keys[0] >> shift & (buckets - 1)] == keys.size()) continue;
        uint32_t sum = 0;
        for (uint32_t& start : starts[pass]) {
            const uint32_t count = start;
            start = sum;
            sum += count;
        }
        for (const uint64_t key : keys) spare[starts[pass][key >> shift & (buckets - 1)]++] = key;
        keys.swap(spare);
    }
}

// Which place each column's number has among all, as text: 0, 1, 10, 11, …, 2, 20, …
std::vector<uint32_t> places_as_text(size_t columns) {
    std::vector<uint32_t> places(columns);
    uint64_t number = 1;
    for (uint32_t place = 1; place < columns; ++place) {
        places[number] = place;
        if (number * 10 < columns) {
            number *= 10;
            continue;
        }
        while (number % 10 == 9 || number + 1 >= columns) number /= 10;
        ++number;
    }
    return places;
}

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
            std::nth_element(best_.begin(), best_.begin() + long(depth) - 1, best_.end(),
                             [](const Best& a, const Best& b) { return a.score > b.score; });
            threshold = best_[depth - 1].score;
            // What is compared in single precision may round up to the threshold.
            floor = options_.single_precision ? Score(std::nextafter(float(threshold), -infinity))
                                              : Score(threshold);
            std::erase_if(best_, [&](const Best& one) { return one.score < threshold; });
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
        for (const Best& one : best_) keys_.push_back(key_of(scores, one.column));
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
            std::sort(keys_.begin() + long(i), keys_.begin() + long(end), [&](uint64_t a, uint64_t b) {
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

}  // namespace

template <class Score, class Grade>
std::shared_ptr<Rankings> rank_dense(const Score* scores, const Grade* grades, size_t rows, size_t columns,
                                     const MatchOptions& options, unsigned threads) {
    const size_t blocks = (rows + rows_per_block - 1) / rows_per_block;
    std::vector<RankingsBuilder> parts;
    parts.reserve(blocks);
    for (size_t block = 0; block < blocks; ++block) parts.emplace_back(options);
    const bool every_document = options.depth == all_ranks && !options.negative_unjudged;
    Rankings hits;
    std::vector<uint8_t> any_tie(rows);
    if (every_document) {
        hits.rank.resize_uninitialised(rows * columns);
        hits.grade.resize_uninitialised(rows * columns);
        if (options.ties == Ties::averaged) hits.tied.resize_uninitialised(rows * columns);
    }
    const bool by_id = options.ties == Ties::id_descending || options.ties == Ties::id_ascending;
    std::vector<uint32_t> places;
    if (by_id && columns > 10) places = places_as_text(columns);
    std::vector<std::optional<RowRanker<Score, Grade>>> rankers(std::max(1u, threads));
    parallel_for(blocks, threads, [&](size_t block, unsigned worker) {
        auto& ranker = rankers[worker];
        if (!ranker) ranker.emplace(options, columns, places);
        for (size_t row = block * rows_per_block; row < std::min(rows, (block + 1) * rows_per_block); ++row) {
            any_tie[row] = ranker->rank(scores + row * columns, grades + row * columns, row, parts[block],
                                        every_document ? &hits : nullptr);
        }
    });
    auto rankings = gather_in_order(parts, options, threads);
    if (every_document) {
        for (size_t row = 0; row <= rows; ++row) rankings->hit_begin[row] = row * columns;
        rankings->rank = std::move(hits.rank);
        rankings->grade = std::move(hits.grade);
        const bool tied = std::find(any_tie.begin(), any_tie.end(), 1) != any_tie.end();
        if (tied && options.ties == Ties::averaged) {
            for (size_t row = 0; row < rows; ++row) {
                if (!any_tie[row]) std::fill_n(hits.tied.data() + row * columns, columns, 1u);
            }
            rankings->tied = std::move(hits.tied);
        }
    }
    rankings->names = numbered(rows);
    return rankings;
}

#define IDEALIST_RANK_DENSE(Score, Grade)                                                     \
    template std::shared_ptr<Rankings> rank_dense(const Score*, const Grade*, size_t, size_t, \
                                                  const MatchOptions&, unsigned)
IDEALIST_RANK_DENSE(double, double);
IDEALIST_RANK_DENSE(double, float);
IDEALIST_RANK_DENSE(double, int64_t);
IDEALIST_RANK_DENSE(double, int32_t);
IDEALIST_RANK_DENSE(float, double);
IDEALIST_RANK_DENSE(float, float);
IDEALIST_RANK_DENSE(float, int64_t);
IDEALIST_RANK_DENSE(float, int32_t);

}  // namespace idealist
