#include "rank/kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"

namespace idealist {

namespace {

constexpr size_t queries_per_block = 512;

template <class PerQuery>
Numbers for_queries(const Rankings& rankings, unsigned threads, PerQuery&& per_query) {
    Numbers numbers(rankings.queries());
    const size_t blocks = (numbers.size() + queries_per_block - 1) / queries_per_block;
    // A thread costs more to start than some ten thousand hits to add up.
    if (rankings.rank.size() + rankings.judged_grade.size() < 20000) threads = 1;
    parallel_for(blocks, threads, [&](size_t block, unsigned) {
        const size_t stop = std::min(numbers.size(), (block + 1) * queries_per_block);
        for (size_t q = block * queries_per_block; q < stop; ++q) numbers[q] = per_query(q);
    });
    return numbers;
}

uint32_t relevant_in(const Rankings& rankings, const TieGroup& group, double level) {
    uint32_t count = 0;
    for (size_t i = group.begin; i < group.end; ++i) count += rankings.grade[i] >= level;
    return count;
}

// What `per_group` makes of the first group that holds relevant documents; 0 if none is within k.
template <class PerGroup>
Numbers at_first_relevant(const Rankings& rankings, double level, uint32_t k, unsigned threads,
                          PerGroup&& per_group) {
    return for_queries(rankings, threads, [&](size_t query) {
        double value = 0;
        for_groups(rankings, query, [&](const TieGroup& group) {
            if (group.first > k) return false;
            const double relevant = relevant_in(rankings, group, level);
            if (relevant == 0) return true;
            value = per_group(group, relevant);
            return false;
        });
        return value;
    });
}

struct Level {
    double gain;
    uint32_t count;
};

void add_level(const Level& level, const std::vector<double>& discounts, uint32_t k, uint32_t& rank,
               double& sum) {
    if (level.gain <= 0) return;
    for (uint32_t i = 0; i < level.count && rank < k; ++i) sum += level.gain * discounts[rank++];
}

double best_sum(std::vector<Level>& levels, const std::vector<double>& discounts, uint32_t k) {
    std::sort(levels.begin(), levels.end(), [](const Level& a, const Level& b) { return a.gain > b.gain; });
    double sum = 0;
    uint32_t rank = 0;
    for (const Level& level : levels) add_level(level, discounts, k, rank, sum);
    return sum;
}

}  // namespace

Numbers discounted_gains(const Rankings& rankings, const Gain& gain, const std::vector<double>& discounts,
                         uint32_t k, unsigned threads) {
    const GainOf gain_of(gain);
    return for_queries(rankings, threads, [&](size_t query) {
        double sum = 0;
        for_groups(rankings, query, [&](const TieGroup& group) {
            if (group.first > k) return false;
            if (group.size == 1) {
                sum += gain_of(rankings.grade[group.begin]) * discounts[group.first - 1];
                return true;
            }
            const uint32_t last = group.first + uint32_t(group.places(k)) - 1;
            const double first_gain = gain_of(rankings.grade[group.begin]);
            double gains = 0;
            bool alike = group.end - group.begin == group.size;
            for (size_t i = group.begin; i < group.end; ++i) {
                const double its_gain = gain_of(rankings.grade[i]);
                gains += its_gain;
                alike = alike && its_gain == first_gain;
            }
            // Documents that gain alike are summed as the ideal list sums them, so that a perfect list is
            // exactly 1.
            if (alike) {
                for (uint32_t rank = group.first; rank <= last; ++rank)
                    sum += first_gain * discounts[rank - 1];
                return true;
            }
            // McSherry and Najork: every place of the group holds the group's mean gain.
            double places = 0;
            for (uint32_t rank = group.first; rank <= last; ++rank) places += discounts[rank - 1];
            sum += gains / group.size * places;
            return true;
        });
        return sum;
    });
}

Numbers ideal_gains(const Rankings& rankings, const Gain& gain, const std::vector<double>& discounts,
                    uint32_t k, bool retrieved_only, unsigned threads) {
    const GainOf gain_of(gain);
    return for_queries(rankings, threads, [&](size_t query) {
        if (retrieved_only) {
            std::vector<Level> levels;
            for (size_t i = rankings.hit_begin[query]; i < rankings.hit_begin[query + 1]; ++i) {
                levels.push_back({gain_of(rankings.grade[i]), 1});
            }
            return best_sum(levels, discounts, k);
        }
        double sum = 0, previous = std::numeric_limits<double>::infinity();
        uint32_t rank = 0;
        const size_t begin = rankings.judged_begin[query], end = rankings.judged_begin[query + 1];
        for (size_t i = begin; i < end; ++i) {
            const double its_gain = gain_of(rankings.judged_grade[i]);
            if (its_gain > previous) {  // the gain does not rise with the grade
                std::vector<Level> levels;
                for (size_t j = begin; j < end; ++j) {
                    levels.push_back({gain_of(rankings.judged_grade[j]), rankings.judged_count[j]});
                }
                return best_sum(levels, discounts, k);
            }
            previous = its_gain;
            add_level({its_gain, rankings.judged_count[i]}, discounts, k, rank, sum);
        }
        return sum;
    });
}

Numbers hits(const Rankings& rankings, double level, const Cutoff& k, unsigned threads) {
    return for_queries(rankings, threads, [&](size_t query) {
        const uint32_t cut = k.of(query);
        double count = 0;
        for_groups(rankings, query, [&](const TieGroup& group) {
            if (group.first > cut) return false;
            // Multiplied first: a whole number where all of the group are relevant.
            count += relevant_in(rankings, group, level) * group.places(cut) / group.size;
            return true;
        });
        return count;
    });
}

Numbers any_hit(const Rankings& rankings, double level, uint32_t k, unsigned threads) {
    return at_first_relevant(rankings, level, k, threads, [&](const TieGroup& group, double relevant) {
        // None of the places drawn without replacement holds a relevant document.
        double none = 1;
        for (double i = 0; i < group.places(k) && none > 0; ++i) {
            none *= std::max(0.0, group.size - relevant - i) / (group.size - i);
        }
        return 1 - none;
    });
}

Numbers reciprocal_rank(const Rankings& rankings, double level, uint32_t k, unsigned threads) {
    return at_first_relevant(rankings, level, k, threads, [&](const TieGroup& group, double relevant) {
        // The chance that the first relevant document of the group stands at place i.
        double value = 0, chance = relevant / group.size;
        for (double i = 0; i < group.places(k) && chance > 0; ++i) {
            value += chance / (group.first + i);
            const double left = group.size - i - 1;
            chance = left > 0 ? chance * (left - relevant + 1) / left : 0;
        }
        return value;
    });
}

Numbers precision_sum(const Rankings& rankings, double level, uint32_t k, unsigned threads) {
    return for_queries(rankings, threads, [&](size_t query) {
        double sum = 0, hits_above = 0;
        for_groups(rankings, query, [&](const TieGroup& group) {
            if (group.first > k) return false;
            const double relevant = relevant_in(rankings, group, level);
            if (relevant == 0) return true;
            // A relevant document at place i of the group has, on average, its share of the group's
            // other relevant documents before it.
            const double share = group.size > 1 ? (relevant - 1) / (group.size - 1) : 0;
            const double chance = relevant / group.size;
            for (double i = 0; i < group.places(k); ++i) {
                sum += chance * (hits_above + 1 + i * share) / (group.first + i);
            }
            hits_above += relevant;
            return true;
        });
        return sum;
    });
}

Places gains(const std::shared_ptr<const Rankings>& rankings, const Gain& gain) {
    const GainOf gain_of(gain);
    Numbers out(rankings->grade.size());
    for (size_t i = 0; i < out.size(); ++i) out[i] = gain_of(rankings->grade[i]);
    return {{rankings, &rankings->hit_begin}, std::move(out)};
}

Numbers relevant(const Rankings& rankings, double level) {
    return for_queries(rankings, 1, [&](size_t query) {
        double count = 0;
        for (size_t i = rankings.judged_begin[query]; i < rankings.judged_begin[query + 1]; ++i) {
            if (rankings.judged_grade[i] >= level) count += rankings.judged_count[i];
        }
        return count;
    });
}

Numbers retrieved(const Rankings& rankings, uint32_t k) {
    return for_queries(rankings, 1,
                       [&](size_t query) { return double(std::min(k, rankings.retrieved[query])); });
}

}  // namespace idealist
