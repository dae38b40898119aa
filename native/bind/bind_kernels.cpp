#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "bind/bindings.hpp"
#include "rank/kernels.hpp"
#include "rank/rankings.hpp"

namespace idealist {

namespace {

Gain make_gain(const std::string& kind, bool negative_counts, std::vector<std::pair<double, double>> table) {
    Gain gain;
    gain.negative_counts = negative_counts;
    if (kind == "exp") {
        gain.kind = Gain::Kind::exponential;
    } else if (kind == "table") {
        gain.kind = Gain::Kind::table;
        gain.table = std::move(table);
        std::sort(gain.table.begin(), gain.table.end());
    } else if (kind != "linear") {
        throw nb::value_error("gain must be 'linear', 'exp' or 'table'");
    }
    return gain;
}

void check_discounts(const Rankings& rankings, const std::vector<double>& discounts, uint32_t k) {
    if (discounts.size() < std::min<uint64_t>(k, longest(rankings))) {
        throw nb::value_error("there are fewer discounts than ranks");
    }
}

}  // namespace

void bind_kernels(Module& m) {
    Class<Gain>(m, "Gain").def("__init__", [](Gain* self, const std::string& kind, bool negative_counts,
                                              std::vector<std::pair<double, double>> table) {
        new (self) Gain(make_gain(kind, negative_counts, std::move(table)));
    });
    m.def(
        "discounted_gains",
        [](const Rankings& r, const Gain& gain, const std::vector<double>& discounts,
           std::optional<uint64_t> k, unsigned threads) {
            check_discounts(r, discounts, rank_limit(k));
            return Values{discounted_gains(r, gain, discounts, rank_limit(k), threads)};
        },
        Unlocked());
    m.def(
        "ideal_gains",
        [](const Rankings& r, const Gain& gain, const std::vector<double>& discounts,
           std::optional<uint64_t> k, bool retrieved_only, unsigned threads) {
            check_discounts(r, discounts, rank_limit(k));
            return Values{ideal_gains(r, gain, discounts, rank_limit(k), retrieved_only, threads)};
        },
        Unlocked());
    m.def(
        "hits",
        [](const Rankings& r, double level, std::optional<uint64_t> k, unsigned threads) {
            return Values{hits(r, level, {rank_limit(k), nullptr}, threads)};
        },
        Unlocked());
    m.def(
        "hits_within",
        [](const Rankings& r, double level, const Values& k, unsigned threads) {
            if (k.numbers.size() != r.queries())
                throw nb::value_error("the number of cut-offs differs from the number of queries");
            return Values{hits(r, level, {all_ranks, &k.numbers}, threads)};
        },
        Unlocked());
    m.def(
        "any_hit",
        [](const Rankings& r, double level, std::optional<uint64_t> k, unsigned threads) {
            return Values{any_hit(r, level, rank_limit(k), threads)};
        },
        Unlocked());
    m.def(
        "reciprocal_rank",
        [](const Rankings& r, double level, std::optional<uint64_t> k, unsigned threads) {
            return Values{reciprocal_rank(r, level, rank_limit(k), threads)};
        },
        Unlocked());
    m.def(
        "precision_sum",
        [](const Rankings& r, double level, std::optional<uint64_t> k, unsigned threads) {
            return Values{precision_sum(r, level, rank_limit(k), threads)};
        },
        Unlocked());
    m.def("gains", gains, Unlocked());
    m.def("relevant", [](const Rankings& r, double level) { return Values{relevant(r, level)}; }, Unlocked());
    m.def(
        "retrieved",
        [](const Rankings& r, std::optional<uint64_t> k) { return Values{retrieved(r, rank_limit(k))}; },
        Unlocked());
}

}  // namespace idealist
