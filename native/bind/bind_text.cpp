#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "base/rows.hpp"
#include "bind/bindings.hpp"
#include "bind/python_text.hpp"
#include "read/delimited.hpp"
#include "read/json_dicts.hpp"
#include "read/json_lines.hpp"
#include "read/text_pieces.hpp"

namespace idealist {

namespace {

// A kind of lines, as Python holds it.
struct BoundLines {
    LineParserPtr lines;
};

Delimited::Between between(const std::string& delimiter) {
    if (delimiter.empty()) return Delimited::Between::blanks;
    if (delimiter.size() == 1) return Delimited::Between::one;
    if (delimiter.size() == 2 && delimiter[0] == delimiter[1]) return Delimited::Between::two;
    throw nb::value_error("a delimiter must be one character, one character twice, or empty for blanks");
}

BoundLines make_delimited_lines(const std::string& delimiter, bool quotes, bool header, uint32_t columns,
                                uint32_t query, uint32_t document, uint32_t number, bool rank, bool finite,
                                const std::string& decimal) {
    constexpr uint32_t most_columns = 1u << 20;
    const char mark = delimiter.empty() ? ' ' : delimiter[0];
    if (mark == '\0' || mark == '\n' || mark == '\r' || mark == '"') {
        throw nb::value_error("a delimiter must not be a quote, a line end or a null byte");
    }
    if (query == document || query == number || document == number) {
        throw nb::value_error("query, document and number must be different columns");
    }
    if (std::max({query, document, number}) >= columns || columns > most_columns) {
        throw nb::value_error("a column number is out of bounds");
    }
    if (decimal != "." && decimal != ",")
        throw nb::value_error("the decimal sign must be a point or a comma");
    return {delimited_lines({between(delimiter), mark, quotes, header, columns, query, document, number, rank,
                             finite, decimal[0]})};
}

BoundLines make_json_lines(nb::str query, nb::str document, nb::str number, bool rank, bool finite) {
    const auto names = {to_text(query), to_text(document), to_text(number)};
    const auto *first = names.begin(), *second = first + 1, *third = first + 2;
    if (!*first || !*second || !*third) throw nb::value_error("a name cannot be encoded as UTF-8");
    if (*first == *second || *first == *third || *second == *third) {
        throw nb::value_error("query, document and number must have different names");
    }
    return {json_lines({**first, **second, **third, rank, finite})};
}

void add_block(JsonDicts& dicts, nb::bytes block) {
    const std::string_view text(block.c_str(), block.size());
    const nb::gil_scoped_release released;
    dicts.add(text);
}

RowsPtr finish(JsonDicts& dicts, unsigned threads) {
    return std::make_shared<Rows>(dicts.finish(), threads, Uniqueness::given);
}

}  // namespace

LineParserPtr lines_of(nb::handle lines) {
    const BoundLines* bound = nullptr;
    if (nb::try_cast(lines, bound) && bound) return bound->lines;
    std::string name;
    if (nb::try_cast(lines, name)) return lines_named(name);
    throw nb::type_error("lines must be the name of a layout or a LineParser");
}

void bind_text(Module& m) {
    Class<BoundLines>(m, "LineParser");
    m.def("delimited_lines", make_delimited_lines);
    m.def("json_lines", make_json_lines);
    Class<JsonDicts>(m, "JsonDicts")
        .def(nb::init<bool>())
        .def("add", add_block)
        .def("finish", finish, Unlocked())
        .def_prop_ro("query", [](const JsonDicts& dicts) { return to_python(dicts.query()); });
}

}  // namespace idealist
