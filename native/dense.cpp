#include "dense.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
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
    bits = bits & sign ? bits : Bits(~(bits | sign));
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

template <class Score, class Grade>
class RowRanker {
  public:
    RowRanker(const MatchOptions& options, size_t columns) : options_(options), columns_(columns) {}

    void rank(const Score* scores, const Grade* grades, size_t row, RankingsBuilder& out) {
        refuse_nan(scores, row, true);
        if constexpr (std::is_floating_point_v<Grade>) refuse_nan(grades, row, false);
        collect_grades(grades);
        choose(scores);
        order(scores);
        emit(scores, grades);
        out.add(uint32_t(columns_), false, hits_, all_grades_);
    }

  private:
    uint64_t key_of(const Score* scores, uint32_t column) const {
        if (options_.single_precision) return sort_key(float(scores[column]), column);
        return sort_key(scores[column], column);
    }
    double compared(Score score) const {
        return options_.single_precision ? double(float(score)) : double(score);
    }
    bool skipped(double grade) const { return options_.negative_unjudged && grade < 0; }

    template <class T>
    void refuse_nan(const T* cells, size_t row, bool is_score) const {
        size_t bad = 0;
        for (size_t i = 0; i < columns_; ++i) bad += cells[i] != cells[i];
        if (bad == 0) return;
        const T* first = std::find_if(cells, cells + columns_, [](T cell) { return cell != cell; });
        throw BadCell{row, size_t(first - cells), is_score};
    }

    void collect_grades(const Grade* grades) {
        all_grades_.clear();
        for (size_t i = 0; i < columns_; ++i) {
            if (!skipped(double(grades[i]))) all_grades_.push_back(double(grades[i]));
        }
    }

    // Leaves in keys_ the documents that can be among the first `depth`, ties included.
    void choose(const Score* scores) {
        keys_.clear();
        const size_t depth = options_.depth;
        if (depth >= columns_ / 4) {
            for (uint32_t i = 0; i < columns_; ++i) keys_.push_back(key_of(scores, i));
            return;
        }
        best_.clear();
        double threshold = -std::numeric_limits<double>::infinity();
        size_t limit = 4 * depth + 64;
        auto drop_losers = [&] {
            if (best_.size() <= depth) return;
            std::nth_element(best_.begin(), best_.begin() + long(depth) - 1, best_.end(),
                             [](const Best& a, const Best& b) { return a.score > b.score; });
            threshold = best_[depth - 1].score;
            std::erase_if(best_, [&](const Best& one) { return one.score < threshold; });
            limit = std::max(limit, best_.size() * 2);
        };
        for (uint32_t i = 0; i < columns_; ++i) {
            const double score = compared(scores[i]);
            if (score < threshold) continue;
            best_.push_back({score, i});
            if (best_.size() >= limit) drop_losers();
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
                const double score_a = compared(scores[uint32_t(a)]), score_b = compared(scores[uint32_t(b)]);
                if (score_a != score_b) return score_a > score_b;
                return later_first ? uint32_t(a) > uint32_t(b) : uint32_t(a) < uint32_t(b);
            });
        }
    }

    void emit(const Score* scores, const Grade* grades) {
        hits_.clear();
        for (size_t i = 0, end; i < keys_.size(); i = end) {
            const double score = compared(scores[uint32_t(keys_[i])]);
            for (end = i + 1; end < keys_.size() && compared(scores[uint32_t(keys_[end])]) == score;) ++end;
            const size_t first_hit = hits_.size();
            for (size_t at = i; at < end; ++at) {
                const double grade = double(grades[uint32_t(keys_[at])]);
                if (!skipped(grade)) hits_.push_back({score, grade, {}, uint32_t(at + 1), 1});
            }
            settle(first_hit, uint32_t(i), uint32_t(end - i));
        }
    }

    // Ranks the hits from first_hit on, which share a score with `size` documents.
    void settle(size_t first_hit, uint32_t before, uint32_t size) {
        const uint32_t kept = uint32_t(hits_.size() - first_hit);
        if (kept == 0) return;
        if (options_.remove_unjudged) {
            before = uint32_t(first_hit);
            size = kept;
            for (uint32_t i = 0; i < kept; ++i) hits_[first_hit + i].rank = before + i + 1;
        }
        if (size == 1) return;
        Hit* begin = &hits_[first_hit];
        if (options_.ties == Ties::optimistic || options_.ties == Ties::pessimistic) {
            settle_by_grade(before, size, options_.ties == Ties::optimistic, begin, begin + kept);
            std::sort(begin, begin + kept, [](const Hit& a, const Hit& b) { return a.rank < b.rank; });
        } else if (options_.ties == Ties::averaged) {
            std::sort(begin, begin + kept, [](const Hit& a, const Hit& b) { return a.grade > b.grade; });
            for (Hit* hit = begin; hit != begin + kept; ++hit) {
                hit->rank = before + 1;
                hit->tied = size;
            }
        }
    }

    struct Best {
        double score;
        uint32_t column;
    };

    MatchOptions options_;
    size_t columns_;
    std::vector<uint64_t> keys_, spare_;
    std::vector<Best> best_;
    std::vector<Hit> hits_;
    std::vector<double> all_grades_;
};

QueryNames numbered(size_t count) {
    struct Numbers {
        std::vector<std::string> text;
        std::vector<std::string_view> names;
    };
    auto numbers = std::make_shared<Numbers>();
    numbers->text.reserve(count);
    for (size_t i = 0; i < count; ++i) numbers->text.push_back(std::to_string(i));
    numbers->names.assign(numbers->text.begin(), numbers->text.end());
    return {numbers, &numbers->names};
}

}  // namespace

template <class Score, class Grade>
std::shared_ptr<Rankings> rank_dense(const Score* scores, const Grade* grades, size_t rows, size_t columns,
                                     const MatchOptions& options, unsigned threads) {
    const size_t blocks = (rows + rows_per_block - 1) / rows_per_block;
    std::vector<RankingsBuilder> parts;
    parts.reserve(blocks);
    for (size_t block = 0; block < blocks; ++block) parts.emplace_back(options);
    std::vector<std::optional<RowRanker<Score, Grade>>> rankers(std::max(1u, threads));
    parallel_for(blocks, threads, [&](size_t block, unsigned worker) {
        auto& ranker = rankers[worker];
        if (!ranker) ranker.emplace(options, columns);
        for (size_t row = block * rows_per_block; row < std::min(rows, (block + 1) * rows_per_block); ++row) {
            ranker->rank(scores + row * columns, grades + row * columns, row, parts[block]);
        }
    });
    auto rankings = join(parts, options, threads);
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
