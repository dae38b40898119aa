// Values of measures to Python's dicts of dicts. The caller holds the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "base/rows.hpp"
#include "rank/places.hpp"

namespace idealist {

namespace nb = nanobind;

// {query: {name: value}} of the judged queries among `queries`, in their order. A column holds one value for
// each query of `judgments`.
nb::dict values_by_query(nb::iterable queries, const Rows& judgments, const std::vector<nb::str>& names,
                         const std::vector<const Numbers*>& columns);

}  // namespace idealist
