#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "bindings.hpp"
#include "kernels.hpp"

namespace idealist {

namespace {

// A measure's number and its arithmetic; division by zero is undefined, and undefined is nan.
template <class Operation>
Values combine(const Values& a, const Values& b, Operation operation) {
    if (a.numbers.size() != b.numbers.size()) throw nb::value_error("values of different queries");
    Values result{Numbers(a.numbers.size())};
    for (size_t i = 0; i < a.numbers.size(); ++i) result.numbers[i] = operation(a.numbers[i], b.numbers[i]);
    return result;
}

template <class Operation>
Values each(const Values& a, Operation operation) {
    Values result{Numbers(a.numbers.size())};
    for (size_t i = 0; i < a.numbers.size(); ++i) result.numbers[i] = operation(a.numbers[i]);
    return result;
}

double quotient(double a, double b) { return b == 0 ? std::nan("") : a / b; }

// A part of a whole. Sums of the same numbers in another order may differ in the last bits; the share
// must not pass 1 for that.
double share_of(double part, double whole) {
    const double share = quotient(part, whole);
    return share > 1 && share < 1 + 1e-9 ? 1.0 : share;
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
    Numbers& numbers = nb::inst_ptr<Values>(self)->numbers;
    const auto bytes = Py_ssize_t(numbers.size() * sizeof(double));
    if (PyBuffer_FillInfo(view, self, numbers.data(), bytes, 1, flags) < 0) return -1;
    view->itemsize = sizeof(double);
    if (flags & PyBUF_FORMAT) view->format = const_cast<char*>("d");
    if (flags & PyBUF_ND) view->shape = new Py_ssize_t(Py_ssize_t(numbers.size()));
    return 0;
}

void release_buffer(PyObject*, Py_buffer* view) { delete view->shape; }

PyType_Slot value_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                             {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                             {0, nullptr}};

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
        throw nb::value_error("gain is 'linear', 'exp' or 'table'");
    }
    return gain;
}

void check_discounts(const Rankings& rankings, const std::vector<double>& discounts, uint32_t k) {
    if (discounts.size() < std::min<uint64_t>(k, longest(rankings))) {
        throw nb::value_error("fewer discounts than ranks");
    }
}

}  // namespace

void bind_values(nb::module_& m) {
    nb::class_<Values>(m, "Values", nb::type_slots(value_slots))
        .def("__init__", [](Values* self, Numbers numbers) { new (self) Values{std::move(numbers)}; })
        .def("__len__", [](const Values& v) { return v.numbers.size(); })
        .def("__repr__",
             [](const Values& v) { return "<Values of " + std::to_string(v.numbers.size()) + " queries>"; })
        .def("__getitem__",
             [](const Values& v, Py_ssize_t i) {
                 if (i < 0) i += Py_ssize_t(v.numbers.size());
                 if (i < 0 || size_t(i) >= v.numbers.size()) throw nb::index_error();
                 return v.numbers[size_t(i)];
             })
        .def("__add__", [](const Values& a, const Values& b) { return combine(a, b, std::plus<double>()); })
        .def("__add__", [](const Values& a, double b) { return each(a, [b](double x) { return x + b; }); })
        .def("__sub__", [](const Values& a, const Values& b) { return combine(a, b, std::minus<double>()); })
        .def("__mul__",
             [](const Values& a, const Values& b) { return combine(a, b, std::multiplies<double>()); })
        .def("__mul__", [](const Values& a, double b) { return each(a, [b](double x) { return x * b; }); })
        .def("__truediv__", [](const Values& a, const Values& b) { return combine(a, b, quotient); })
        .def("__truediv__",
             [](const Values& a, double b) { return each(a, [b](double x) { return quotient(x, b); }); })
        .def("share_of", [](const Values& a, const Values& b) { return combine(a, b, share_of); })
        .def("where_positive",
             [](const Values& a, const Values& condition) {
                 return combine(a, condition, [](double x, double c) { return c > 0 ? x : std::nan(""); });
             })
        .def("filled",
             [](const Values& a, double undefined) {
                 return each(a, [undefined](double x) { return std::isnan(x) ? undefined : x; });
             })
        .def("without",
             [](const Values& a, const std::vector<size_t>& queries) {
                 Values kept = a;
                 for (const size_t query : queries) kept.numbers.at(query) = std::nan("");
                 return kept;
             })
        .def("first_undefined",
             [](const Values& a) -> std::optional<size_t> {
                 for (size_t i = 0; i < a.numbers.size(); ++i) {
                     if (std::isnan(a.numbers[i])) return i;
                 }
                 return std::nullopt;
             })
        .def("first_infinite",
             [](const Values& a) -> std::optional<size_t> {
                 for (size_t i = 0; i < a.numbers.size(); ++i) {
                     if (std::isinf(a.numbers[i])) return i;
                 }
                 return std::nullopt;
             })
        .def("count",
             [](const Values& a) {
                 return std::count_if(a.numbers.begin(), a.numbers.end(),
                                      [](double x) { return !std::isnan(x); });
             })
        .def("sum", [](const Values& a) {
            double sum = 0;
            for (const double x : a.numbers) sum += std::isnan(x) ? 0 : x;
            return sum;
        });
}

void bind_kernels(nb::module_& m) {
    nb::class_<Gain>(m, "Gain").def("__init__", [](Gain* self, const std::string& kind, bool negative_counts,
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
        Unlocked(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
    m.def(
        "ideal_gains",
        [](const Rankings& r, const Gain& gain, const std::vector<double>& discounts,
           std::optional<uint64_t> k, bool retrieved_only, unsigned threads) {
            check_discounts(r, discounts, rank_limit(k));
            return Values{ideal_gains(r, gain, discounts, rank_limit(k), retrieved_only, threads)};
        },
        Unlocked(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
    m.def(
        "hits",
        [](const Rankings& r, double level, std::optional<uint64_t> k, unsigned threads) {
            return Values{hits(r, level, {rank_limit(k), nullptr}, threads)};
        },
        Unlocked(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
    m.def(
        "hits_within",
        [](const Rankings& r, double level, const Values& k, unsigned threads) {
            if (k.numbers.size() != r.queries()) throw nb::value_error("a cut-off for every query is needed");
            return Values{hits(r, level, {all_ranks, &k.numbers}, threads)};
        },
        Unlocked());
    m.def(
        "any_hit",
        [](const Rankings& r, double level, std::optional<uint64_t> k, unsigned threads) {
            return Values{any_hit(r, level, rank_limit(k), threads)};
        },
        Unlocked(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
    m.def(
        "reciprocal_rank",
        [](const Rankings& r, double level, std::optional<uint64_t> k, unsigned threads) {
            return Values{reciprocal_rank(r, level, rank_limit(k), threads)};
        },
        Unlocked(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
    m.def(
        "precision_sum",
        [](const Rankings& r, double level, std::optional<uint64_t> k, unsigned threads) {
            return Values{precision_sum(r, level, rank_limit(k), threads)};
        },
        Unlocked(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
    m.def("relevant", [](const Rankings& r, double level) { return Values{relevant(r, level)}; }, Unlocked());
    m.def(
        "retrieved",
        [](const Rankings& r, std::optional<uint64_t> k) { return Values{retrieved(r, rank_limit(k))}; },
        Unlocked(), nb::arg(), nb::arg().none());
}

}  // namespace idealist
