#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>

#include "base/columns.hpp"
#include "bind/bindings.hpp"
#include "read/delimited_numbers.hpp"
#include "read/feature_text.hpp"

namespace idealist {

namespace {

template <class T>
using Array = nb::ndarray<nb::numpy, const T>;
using Handle = nb::handle_t<FeatureText>;

const FeatureText& in(Handle self) { return nb::cast<const FeatureText&>(self); }

template <class T>
Array<T> array_of(const Column<T>& column, nb::handle owner) {
    static const T nothing{};
    return Array<T>(column.empty() ? &nothing : column.data(), {column.size()}, owner);
}

void add(FeatureText& text, const nb::bytes& block) {
    const std::string_view bytes(block.c_str(), block.size());
    const nb::gil_scoped_release released;
    text.add(bytes);
}

void read_numbers(DelimitedNumbers* table, const nb::bytes& text, size_t begin, const std::string& delimiter,
                  const std::string& decimal, uint32_t columns, const std::vector<uint32_t>& numbers,
                  const std::vector<uint32_t>& ids, bool missing) {
    Delimited format;
    format.delimiter = delimiter.at(0);
    format.decimal = decimal.at(0);
    format.columns = columns;
    for (const auto& chosen : {numbers, ids}) {
        for (const uint32_t column : chosen) {
            if (column >= columns) throw nb::value_error("a column number is out of bounds");
        }
    }
    if (begin > text.size()) throw nb::value_error("begin lies beyond the end of the text");
    const std::string_view lines(text.c_str() + begin, text.size() - begin);
    const nb::gil_scoped_release released;
    new (table) DelimitedNumbers(lines, format, {numbers, ids, missing});
}

nb::object problem_of(const FeatureText& text) {
    if (!text.problem()) return nb::none();
    const FeatureProblem& problem = *text.problem();
    return nb::make_tuple(nb::str(problem.kind), problem.line, to_python(problem.text));
}

}  // namespace

void bind_features(Module& m) {
    Class<FeatureText>(m, "FeatureText")
        .def(nb::init<>())
        .def("add", add)
        .def("finish", &FeatureText::finish, Unlocked())
        .def("__len__", &FeatureText::rows)
        .def_prop_ro("problem", problem_of)
        .def_prop_ro("uniform", &FeatureText::uniform)
        .def_prop_ro("has_queries", &FeatureText::has_queries)
        .def_prop_ro("has_documents", &FeatureText::has_documents)
        .def_prop_ro("grades", [](Handle self) { return array_of(in(self).grades(), self); })
        .def_prop_ro("values", [](Handle self) { return array_of(in(self).values(), self); })
        .def_prop_ro("numbers", [](Handle self) { return array_of(in(self).numbers(), self); })
        .def_prop_ro("begins", [](Handle self) { return array_of(in(self).begins(), self); })
        .def_prop_ro("lines", [](Handle self) { return array_of(in(self).lines(), self); })
        .def_prop_ro("sizes", [](Handle self) { return array_of(in(self).query_sizes(), self); })
        .def("queries", [](const FeatureText& text) { return names(text.queries()); })
        .def("documents", [](const FeatureText& text) { return names(text.documents()); });
    Class<DelimitedNumbers>(m, "DelimitedNumbers")
        .def("__init__", read_numbers)
        .def("__len__", &DelimitedNumbers::rows)
        .def_prop_ro("whole", &DelimitedNumbers::whole)
        .def_prop_ro("values",
                     [](nb::handle_t<DelimitedNumbers> self) {
                         return array_of(nb::cast<const DelimitedNumbers&>(self).values(), self);
                     })
        .def("texts", [](const DelimitedNumbers& table, size_t place) { return names(table.texts(place)); });
}

}  // namespace idealist
