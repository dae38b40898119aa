#include "rank/lambdas.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/parallel.hpp"

namespace idealist {

namespace {

// One query in the order of its ranking, kept by a worker from query to query.
struct Ranked {
    std::vector<uint32_t> order;
    std::vector<double> score, worth, past, gradient, hessian;

    void rank(const double* scores, size_t n) {
        order.resize(n);
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(),
                         [scores](uint32_t a, uint32_t b) { return scores[a] > scores[b]; });
        score.resize(n);
        gradient.assign(n, 0.0);
        hessian.assign(n, 0.0);
        for (size_t r = 0; r < n; ++r) score[r] = scores[order[r]];
    }

    void value(const double* worths, const double* stops) {
        const size_t n = order.size();
        worth.resize(n);
        past.assign(n, 1.0);
        for (size_t r = 0; r < n; ++r) {
            worth[r] = worths[order[r]];
            if (stops) past[r] = 1 - stops[order[r]];
        }
    }

    void give(double* gradients, double* hessians) const {
        for (size_t r = 0; r < order.size(); ++r) {
            gradients[order[r]] = gradient[r];
            hessians[order[r]] = hessian[r];
        }
    }
};

// Each form gives the change of the value if the documents at a < b changed places, for one a and every b in
// turn.
struct SumChange {
    const double *d, *u;
    double start_gain = 0, start_discount = 0;

    SumChange(const Ranked& ranked, const double* discounts) : d(discounts), u(ranked.worth.data()) {}
    void start(size_t a) { start_gain = u[a], start_discount = d[a]; }
    double at(size_t b) { return (start_discount - d[b]) * (u[b] - start_gain); }
    void leave(size_t) {}
};

struct CascadeChange {
    const double *d, *u, *past;
    size_t first = 0;
    double reached = 1;  // the share of readers who see rank a
    double between = 0;  // what those who pass a find before b
    double passing = 1;  // the share of them who see b

    CascadeChange(const Ranked& ranked, const double* discounts)
        : d(discounts), u(ranked.worth.data()), past(ranked.past.data()) {}
    void start(size_t a) { first = a, between = 0, passing = 1; }
    double at(size_t b) {
        const size_t a = first;
        const double change = d[a] * (u[b] - u[a]) + between * (past[b] - past[a]) +
                              d[b] * passing * (past[b] * u[a] - past[a] * u[b]);
        between += d[b] * u[b] * passing;
        passing *= past[b];
        return reached * change;
    }
    void leave(size_t a) { reached *= past[a]; }
};

struct RunningChange {
    const double *d, *u;
    size_t first = 0;
    double up_to_a = 0, up_to_b = 0;  // sums of worth, those ranks included
    double between = 0;               // Σ d·u of the ranks between

    RunningChange(const Ranked& ranked, const double* discounts) : d(discounts), u(ranked.worth.data()) {}
    void start(size_t a) { first = a, up_to_a += u[a], up_to_b = up_to_a, between = 0; }
    double at(size_t b) {
        const size_t a = first;
        const double more = u[b] - u[a];
        up_to_b += u[b];
        const double change =
            d[a] * (u[b] * (up_to_a + more) - u[a] * up_to_a) + more * between - d[b] * up_to_b * more;
        between += d[b] * u[b];
        return change;
    }
    void leave(size_t) {}
};

// Of any measure: what was found by exchanging.
struct FoundChange {
    const double* changes;
    size_t n;
    const double* row = nullptr;

    void start(size_t a) { row = changes + a * n; }
    double at(size_t b) { return row[b]; }
    void leave(size_t) {}
};

// LightGBM's, so that a difference of 0 does not divide by it.
constexpr double least_distance = 0.01;

// One document of a pair stands among the `highest` ranks.
template <class Change>
void add_pairs(Ranked& ranked, Change change, size_t highest, double scale, const LambdaOptions& options) {
    const size_t n = ranked.order.size();
    const double* s = ranked.score.data();
    const bool by_distance = options.normalised && s[0] != s[n - 1];
    double total = 0;
    for (size_t a = 0; a + 1 < n && a < highest; ++a) {
        change.start(a);
        for (size_t b = a + 1; b < n; ++b) {
            const double gained = change.at(b) * scale;
            if (gained == 0) continue;
            const size_t better = gained > 0 ? b : a, worse = gained > 0 ? a : b;
            const double difference = s[better] - s[worse];
            double weight = std::fabs(gained);
            if (by_distance) weight /= least_distance + std::fabs(difference);
            const double wrong = 1 / (1 + std::exp(options.sigmoid * difference));
            const double lambda = options.sigmoid * weight * wrong;
            const double curvature = options.sigmoid * lambda * (1 - wrong);
            ranked.gradient[better] -= lambda;
            ranked.gradient[worse] += lambda;
            ranked.hessian[better] += curvature;
            ranked.hessian[worse] += curvature;
            total += 2 * lambda;
        }
        change.leave(a);
    }
    if (!options.normalised || !(total > 0)) return;
    const double factor = std::log2(1 + total) / total;
    for (double& x : ranked.gradient) x *= factor;
    for (double& x : ranked.hessian) x *= factor;
}

}  // namespace

void lambda_gradients(const ScoredGroups& groups, const LambdaOptions& options, double* gradients,
                      double* hessians, unsigned threads) {
    std::vector<Ranked> workers(std::max(1u, threads));
    parallel_for(groups.queries, threads, [&](size_t query, unsigned worker) {
        const size_t begin = groups.begin[query], n = groups.begin[query + 1] - begin;
        if (n < 2 || groups.scale[query] == 0) {
            std::fill_n(gradients + begin, n, 0.0);
            std::fill_n(hessians + begin, n, 0.0);
            return;
        }
        Ranked& ranked = workers[worker];
        ranked.rank(groups.scores + begin, n);
        ranked.value(groups.worth + begin,
                     options.form == ValueForm::cascade ? groups.stops + begin : nullptr);
        const double scale = groups.scale[query];
        // Below the last rank that counts, no exchange matters.
        size_t highest = std::min<uint64_t>(options.highest, n);
        while (highest > 0 && groups.discounts[highest - 1] == 0) --highest;
        switch (options.form) {
            case ValueForm::sum:
                add_pairs(ranked, SumChange(ranked, groups.discounts), highest, scale, options);
                break;
            case ValueForm::cascade:
                add_pairs(ranked, CascadeChange(ranked, groups.discounts), highest, scale, options);
                break;
            case ValueForm::running:
                add_pairs(ranked, RunningChange(ranked, groups.discounts), highest, scale, options);
                break;
        }
        ranked.give(gradients + begin, hessians + begin);
    });
}

void exchange_gradients(const Exchanges& exchanges, const LambdaOptions& options, double* gradients,
                        double* hessians, unsigned threads) {
    std::vector<Ranked> workers(std::max(1u, threads));
    const size_t n = exchanges.documents;
    parallel_for(exchanges.queries, threads, [&](size_t query, unsigned worker) {
        Ranked& ranked = workers[worker];
        ranked.rank(exchanges.scores + query * n, n);
        const double* changes = exchanges.changes + query * exchanges.upper * n;
        add_pairs(ranked, FoundChange{changes, n}, exchanges.upper, 1.0, options);
        ranked.give(gradients + query * n, hessians + query * n);
    });
}

}  // namespace idealist
