// Python's dicts of dicts to rows and rankings. The caller holds the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "base/rows.hpp"
#include "rank/match_options.hpp"
#include "rank/rankings.hpp"

namespace idealist {

namespace nb = nanobind;

// Both give nothing when the dict holds anything but exact strings, dicts, and float or int values
// other than nan (and infinity, where only finite values are wanted): their caller then looks closely,
// repairs what is only unusual, and reports the rest.
std::shared_ptr<Rows> rows_from_dict(nb::dict queries, bool finite, unsigned threads);
std::shared_ptr<Rankings> match_dict(nb::dict run, const std::shared_ptr<const Rows>& judgments,
                                     const MatchOptions& options);

}  // namespace idealist
