// The arithmetic measures are written in: Values, one number per query, and Places, one per place of a
// ranking.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "base/exact_sum.hpp"
#include "bind/bindings.hpp"
#include "rank/places.hpp"

namespace idealist {

namespace {

// Division by zero is undefined, and undefined is nan.
double quotient(double a, double b) { return b == 0 ? std::nan("") : a / b; }

// A part of a whole. Sums of the same numbers in another order may differ in the last bits; the share
// must not pass 1 for that.
double share_of(double part, double whole) {
    const double share = quotient(part, whole);
    return share > 1 && share < 1 + 1e-9 ? 1.0 : share;
}

template <class T, class Operation>
T combine(const T& a, double b, Operation operation) {
    T result = a;
    for (double& x : result.numbers) x = operation(x, b);
    return result;
}

template <class Operation>
Values combine(const Values& a, const Values& b, Operation operation) {
    if (a.numbers.size() != b.numbers.size()) throw nb::value_error("the values are of different queries");
    Values result = a;
    for (size_t i = 0; i < a.numbers.size(); ++i) result.numbers[i] = operation(a.numbers[i], b.numbers[i]);
    return result;
}

template <class Operation>
Places combine(const Places& a, const Places& b, Operation operation) {
    if (a.begin != b.begin && *a.begin != *b.begin)
        throw nb::value_error("the places are of different rankings");
    Places result = a;
    for (size_t i = 0; i < a.numbers.size(); ++i) result.numbers[i] = operation(a.numbers[i], b.numbers[i]);
    return result;
}

// A query's value stands beside each of its places.
template <class Operation>
Places combine(const Places& a, const Values& b, Operation operation) {
    if (a.queries() != b.numbers.size())
        throw nb::value_error("the places and the values are of different queries");
    Places result = a;
    for (size_t q = 0; q < a.queries(); ++q) {
        for (size_t i = (*a.begin)[q]; i < (*a.begin)[q + 1]; ++i) {
            result.numbers[i] = operation(a.numbers[i], b.numbers[q]);
        }
    }
    return result;
}

struct Power {
    double operator()(double a, double b) const { return std::pow(a, b); }
};

template <class Operation>
struct Reversed {
    Operation operation;
    double operator()(double a, double b) const { return operation(b, a); }
};

// The arithmetic of a T with another kind of operand.
template <class T, class Other>
void define_arithmetic(Class<T>& cls, const char* kind) {
    auto define = [&cls, kind](const char* name, auto operation) {
        cls.def_for(
            kind, name, [operation](const T& a, const Other& b) { return combine(a, b, operation); },
            nb::is_operator());
    };
    auto as_number = [](auto holds) {
        return [holds](double a, double b) { return holds(a, b) ? 1.0 : 0.0; };
    };
    define("__add__", std::plus<double>());
    define("__radd__", std::plus<double>());
    define("__sub__", std::minus<double>());
    define("__rsub__", Reversed<std::minus<double>>{});
    define("__mul__", std::multiplies<double>());
    define("__rmul__", std::multiplies<double>());
    define("__truediv__", quotient);
    define("__rtruediv__", [](double a, double b) { return quotient(b, a); });
    define("__pow__", Power());
    define("__rpow__", Reversed<Power>{});
    define("__ge__", as_number(std::greater_equal<double>()));
    define("__gt__", as_number(std::greater<double>()));
    define("__le__", as_number(std::less_equal<double>()));
    define("__lt__", as_number(std::less<double>()));
    define("minimum", [](double a, double b) { return std::min(a, b); });
    define("maximum", [](double a, double b) { return std::max(a, b); });
    define("where_positive", [](double a, double condition) { return condition > 0 ? a : std::nan(""); });
}

template <class T>
T filled_with(const T& a, double undefined) {
    return combine(a, undefined, [](double x, double other) { return std::isnan(x) ? other : x; });
}

template <class T>
int get_buffer(PyObject* self, Py_buffer* view, int flags) {
    Numbers& numbers = nb::inst_ptr<T>(self)->numbers;
    const auto bytes = Py_ssize_t(numbers.size() * sizeof(double));
    if (PyBuffer_FillInfo(view, self, numbers.data(), bytes, 1, flags) < 0) return -1;
    view->itemsize = sizeof(double);
    if (flags & PyBUF_FORMAT) view->format = const_cast<char*>("d");
    if (flags & PyBUF_ND) view->shape = new Py_ssize_t(Py_ssize_t(numbers.size()));
    return 0;
}

void release_buffer(PyObject*, Py_buffer* view) { delete view->shape; }

template <class T>
PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer<T>)},
                       {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                       {0, nullptr}};

template <class Predicate>
std::optional<size_t> first_where(const Values& values, Predicate holds) {
    const auto at = std::find_if(values.numbers.begin(), values.numbers.end(), holds);
    if (at == values.numbers.end()) return std::nullopt;
    return size_t(at - values.numbers.begin());
}

// The sums of neighbouring values, so many to each.
Values sums_of(const Values& values, const std::vector<uint32_t>& counts) {
    Values out;
    size_t at = 0;
    for (const uint32_t count : counts) {
        if (count > values.numbers.size() - at) throw nb::value_error("there are more groups than values");
        double sum = 0;
        for (uint32_t i = 0; i < count; ++i) sum += values.numbers[at++];
        out.numbers.push_back(sum);
    }
    if (at != values.numbers.size()) throw nb::value_error("there are more values than groups");
    return out;
}

void bind_values_class(Module& m) {
    auto cls =
        Class<Values>(m, "Values", nb::type_slots(slots<Values>))
            .def("__init__", [](Values* self, Numbers numbers) { new (self) Values{std::move(numbers)}; })
            .def("__len__", [](const Values& a) { return a.numbers.size(); })
            .def("__repr__",
                 [](const Values& a) {
                     return "<Values of " + std::to_string(a.numbers.size()) + " queries>";
                 })
            .def("__getitem__",
                 [](const Values& a, Py_ssize_t query) {
                     const auto size = Py_ssize_t(a.numbers.size());
                     if (query < 0) query += size;
                     refuse_beyond(size_t(query), a.numbers.size());  // below 0, it is beyond them all
                     return a.numbers[size_t(query)];
                 })
            .def("share_of", [](const Values& a, const Values& b) { return combine(a, b, share_of); })
            .def("filled", filled_with<Values>)
            .def(
                "floored",
                [](const Values& a) { return combine(a, 0, [](double x, double) { return std::floor(x); }); })
            .def("log2",
                 [](const Values& a) { return combine(a, 0, [](double x, double) { return std::log2(x); }); })
            .def("without",
                 [](const Values& a, const std::vector<size_t>& queries) {
                     Values kept = a;
                     for (const size_t query : queries) {
                         refuse_beyond(query, kept.numbers.size());
                         kept.numbers[query] = std::nan("");
                     }
                     return kept;
                 })
            .def("replaced",
                 [](const Values& a, const std::vector<size_t>& queries, const Values& others) {
                     if (queries.size() != others.numbers.size())
                         throw nb::value_error("the number of values differs from the number of queries");
                     Values changed = a;
                     for (size_t i = 0; i < queries.size(); ++i) {
                         refuse_beyond(queries[i], changed.numbers.size());
                         changed.numbers[queries[i]] = others.numbers[i];
                     }
                     return changed;
                 })
            .def("first_undefined",
                 [](const Values& a) { return first_where(a, [](double x) { return std::isnan(x); }); })
            .def("first_infinite",
                 [](const Values& a) { return first_where(a, [](double x) { return std::isinf(x); }); })
            .def("count",
                 [](const Values& a) {
                     return std::count_if(a.numbers.begin(), a.numbers.end(),
                                          [](double x) { return !std::isnan(x); });
                 })
            .def("sums_of", sums_of)
            .def("sum", [](const Values& a) {
                ExactSum sum;
                for (const double x : a.numbers) {
                    if (!std::isnan(x)) sum.add(x);
                }
                return sum.value();
            });
    define_arithmetic<Values, Values>(cls, "Values");
    define_arithmetic<Values, double>(cls, "float");
}

// table[number] for every place.
Places looked_up(const Places& places, const Numbers& table) {
    return combine(places, 0, [&](double x, double) {
        if (!(x >= 0 && x < double(table.size()))) throw nb::index_error("a number lies outside the table");
        return table[size_t(x)];
    });
}

// Other numbers at the same places.
Places like(const Places& places, Numbers numbers) {
    if (numbers.size() != places.numbers.size())
        throw nb::value_error("there must be one number for each place");
    return places.like(std::move(numbers));
}

Places last_of_those_up_to(const Places& places, const Places& keys, const Places& limits, double otherwise) {
    if (*places.begin != *keys.begin) throw nb::value_error("the keys are of other places");
    if (places.queries() != limits.queries()) throw nb::value_error("the places are of different queries");
    return last_up_to(places, keys, limits, otherwise);
}

Places earlier_less_of(const Places& places, const Places& weights) {
    if (*places.begin != *weights.begin) throw nb::value_error("the weights are of other places");
    return earlier_less(places, weights);
}

void bind_places_class(Module& m) {
    auto cls =
        Class<Places>(m, "Places", nb::type_slots(slots<Places>))
            .def("__len__", [](const Places& a) { return a.numbers.size(); })
            .def("filled", filled_with<Places>)
            .def("log2",
                 [](const Places& a) { return combine(a, 0, [](double x, double) { return std::log2(x); }); })
            .def("looked_up", looked_up)
            .def("like", like)
            .def("sum", [](const Places& a) { return Values{sums(a)}; })
            .def("highest", [](const Places& a, double otherwise) { return Values{highest(a, otherwise)}; })
            .def("running", [](const Places& a) { return running_sum(a, true); })
            .def("before", [](const Places& a) { return running_sum(a, false); })
            .def("product_before", product_before)
            .def("following", following)
            .def("descending", descending)
            .def("last_up_to", last_of_those_up_to)
            .def("standing", standing)
            .def("earlier_less", earlier_less_of);
    define_arithmetic<Places, Places>(cls, "Places");
    define_arithmetic<Places, Values>(cls, "Values");
    define_arithmetic<Places, double>(cls, "float");
}

}  // namespace

void bind_numbers(Module& m) {
    bind_values_class(m);
    bind_places_class(m);
}

}  // namespace idealist
