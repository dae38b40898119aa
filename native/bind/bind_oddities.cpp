#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/query_rows.hpp"
#include "base/rows.hpp"
#include "bind/bindings.hpp"
#include "bind/python_text.hpp"
#include "read/oddities.hpp"

namespace idealist {

namespace {

nb::tuple as_tuple(const RowPairs& pairs) {
    nb::list first;
    for (const RowPair& pair : pairs.first) {
        first.append(nb::make_tuple(pair.query, pair.row, pair.other_query, pair.other_row));
    }
    return nb::make_tuple(pairs.count, first);
}

nb::tuple as_tuple(const RowPlaces& places) {
    nb::list first;
    for (const RowPlace& place : places.first) first.append(nb::make_tuple(place.query, place.row));
    return nb::make_tuple(places.count, first, places.queries);
}

// Runs without the GIL, then makes Python's objects.
template <class Find>
nb::tuple unlocked(Find&& find) {
    return as_tuple([&] {
        const nb::gil_scoped_release released;
        return find();
    }());
}

QueryRows rows_at(const Rows& rows, size_t query, size_t row) {
    if (query >= rows.queries().size() || row >= rows.query_rows(query).size()) {
        throw nb::index_error("a row number is out of bounds");
    }
    return rows.query_rows(query);
}

}  // namespace

void bind_oddities(Module& m) {
    m.def("duplicate_rows", [](const Rows& rows, size_t most, unsigned threads) {
        return unlocked([&] { return duplicate_rows(rows, most, threads); });
    });
    m.def(
        "lookalike_rows",
        [](const Rows& rows, const Rows* other, size_t most, unsigned threads) {
            return unlocked([&] { return lookalike_rows(rows, other, most, threads); });
        },
        nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
    m.def("own_ids",
          [](const Rows& rows, size_t most) { return unlocked([&] { return own_ids(rows, most); }); });
    m.def("ids_with_space",
          [](const Rows& rows, size_t most) { return unlocked([&] { return ids_with_space(rows, most); }); });
    m.def("ids_beyond_ascii", [](const Rows& rows, size_t most) {
        return unlocked([&] { return ids_beyond_ascii(rows, most); });
    });
    m.def("scattered_queries", scattered_queries);
    m.def("infinite_rows", infinite_rows, Unlocked());
    m.def("row_numbers", [](const Rows& rows) { return Values{row_numbers(rows)}; });
    m.def("row_counts", [](const Rows& rows) { return Values{row_counts(rows)}; });
    m.def("row_line", [](const Rows& rows, size_t query, size_t row) {
        return rows_at(rows, query, row).line(row, rows.first_lines());
    });
    m.def("row_document", [](const Rows& rows, size_t query, size_t row) {
        return to_python(rows_at(rows, query, row).id(row));
    });
}

}  // namespace idealist
