#include "bind/value_dicts.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "bind/python_text.hpp"

namespace idealist {

namespace {

// Python's floats for numbers of which the same come again and again, as values of measures do.
class FloatMaker {
  public:
    // Borrowed, until the next call.
    PyObject* make(double number) {
        const auto bits = std::bit_cast<uint64_t>(number);
        Entry& entry = entries_[(bits * 0x9E3779B97F4A7C15u) >> (64 - width)];
        if (!entry.object.is_valid() || entry.bits != bits) {
            entry.object = nb::steal(PyFloat_FromDouble(number));
            if (!entry.object.is_valid()) throw nb::python_error();
            entry.bits = bits;
        }
        return entry.object.ptr();
    }

  private:
    static constexpr int width = 6;
    struct Entry {
        uint64_t bits = 0;
        nb::object object;
    };
    std::array<Entry, size_t(1) << width> entries_;
};

// The number of a judged query, QueryFinder::absent for another; nothing for what is no text.
std::optional<uint32_t> find_query(nb::handle query, QueryFinder& finder, TextReader& reader) {
    if (!PyUnicode_Check(query.ptr())) return std::nullopt;
    try {
        const uint32_t found = finder.find(reader.read(query.ptr()));
        reader.clear();
        return found;
    } catch (const NotText&) {
        return std::nullopt;
    }
}

}  // namespace

nb::dict values_by_query(nb::iterable queries, const Rows& judgments, const std::vector<nb::str>& names,
                         const std::vector<const Numbers*>& columns) {
    if (names.size() != columns.size())
        throw nb::value_error("the number of names differs from the number of columns");
    for (const Numbers* column : columns) {
        if (column->size() != judgments.queries().size())
            throw nb::value_error("a column has another number of queries than the judgments");
    }
    // Copying a dict and replacing its values takes half the time of filling an empty one; what is 0 is then
    // there already.
    nb::dict blank;
    for (const nb::str& name : names) blank[name] = 0.0;
    std::vector<FloatMaker> floats(names.size());
    nb::dict result;
    QueryFinder finder(judgments);
    TextReader reader;
    for (const nb::handle query : queries) {
        const std::optional<uint32_t> judged = find_query(query, finder, reader);
        if (!judged) throw nb::type_error("the id of a query must be text");
        if (*judged == QueryFinder::absent) continue;
        const nb::object values = nb::steal(PyDict_Copy(blank.ptr()));
        if (!values.is_valid()) throw nb::python_error();
        for (size_t i = 0; i < names.size(); ++i) {
            const double value = (*columns[i])[*judged];
            if (value == 0) continue;
            if (PyDict_SetItem(values.ptr(), names[i].ptr(), floats[i].make(value)) < 0)
                throw nb::python_error();
        }
        if (PyDict_SetItem(result.ptr(), query.ptr(), values.ptr()) < 0) throw nb::python_error();
    }
    return result;
}

}  // namespace idealist
