// Sums over ranked lists. Every kernel gives one number per query, computed from that query alone and
// in rank order, so that it does not depend, to the last bit, on the other queries or on the threads.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "rank/places.hpp"
#include "rank/rankings.hpp"

namespace idealist {

// The gain of a grade: the grade itself, 2^grade - 1, or whatever a table says.
struct Gain {
    enum class Kind { linear, exponential, table };
    Kind kind = Kind::linear;
    bool negative_counts = false;                  // else a negative grade gains nothing
    std::vector<std::pair<double, double>> table;  // grade and gain, sorted by grade
};

// The gain as a function of the grade.
class GainOf {
  public:
    explicit GainOf(const Gain& gain) : gain_(gain) {
        for (size_t i = 0; i < powers_.size(); ++i) powers_[i] = std::exp2(double(i)) - 1;
    }
    double operator()(double grade) const {
        if (grade < 0 && !gain_.negative_counts) return 0;
        switch (gain_.kind) {
            case Gain::Kind::linear:
                return grade;
            case Gain::Kind::exponential:
                return exponential(grade);
            case Gain::Kind::table:
                return looked_up(grade);
        }
        return grade;
    }

  private:
    double exponential(double grade) const {
        if (grade >= 0 && grade < double(powers_.size()) && grade == double(unsigned(grade))) {
            return powers_[unsigned(grade)];
        }
        return std::exp2(grade) - 1;
    }
    double looked_up(double grade) const {
        const auto at = std::lower_bound(gain_.table.begin(), gain_.table.end(), grade,
                                         [](const auto& entry, double g) { return entry.first < g; });
        // Whoever made the table has made sure that every grade is in it.
        return at != gain_.table.end() && at->first == grade ? at->second : std::nan("");
    }

    const Gain& gain_;
    std::array<double, 32> powers_;
};

// A cut-off: one for all queries, or one each.
struct Cutoff {
    uint32_t common = all_ranks;
    const Numbers* each = nullptr;
    uint32_t of(size_t query) const { return each ? uint32_t((*each)[query]) : common; }
};

// discounts[r - 1] belongs to rank r; there are enough of them for every rank looked at.
Numbers discounted_gains(const Rankings&, const Gain&, const std::vector<double>& discounts, uint32_t k,
                         unsigned threads);
// The same sum over the best order of all judged documents, or of the retrieved ones only.
Numbers ideal_gains(const Rankings&, const Gain&, const std::vector<double>& discounts, uint32_t k,
                    bool retrieved_only, unsigned threads);

// How many documents of at least `level` are among the first k (expected, with averaged ties).
Numbers hits(const Rankings&, double level, const Cutoff& k, unsigned threads);
// The chance that one of them is: 0 or 1 without averaged ties.
Numbers any_hit(const Rankings&, double level, uint32_t k, unsigned threads);
// 1 / rank of the first document of at least `level` within the first k, else 0.
Numbers reciprocal_rank(const Rankings&, double level, uint32_t k, unsigned threads);
// The sum of precision at the rank of every document of at least `level` within the first k.
Numbers precision_sum(const Rankings&, double level, uint32_t k, unsigned threads);
// The gain of the document at every place.
Places gains(const std::shared_ptr<const Rankings>&, const Gain&);
// How many judged documents are of at least `level`.
Numbers relevant(const Rankings&, double level);
// How many documents were retrieved, counting no more than k.
Numbers retrieved(const Rankings&, uint32_t k);

}  // namespace idealist
