// Python's dicts of dicts to rows and rankings. The caller holds the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels.hpp"
#include "match.hpp"
#include "rows.hpp"

namespace idealist {

namespace nb = nanobind;

// Ids are UTF-8; bytes that are not stay as they are, through Python's surrogateescape.
nb::str to_python(std::string_view text);
// Nothing for a lone surrogate that stands for no byte: that is no text.
std::optional<std::string> to_text(nb::handle text);

// Both give nothing when the dict holds anything but exact strings, dicts, and float or int values
// other than nan (and infinity, where only finite values are wanted): their caller then looks closely,
// repairs what is only unusual, and reports the rest.
std::shared_ptr<Rows> rows_from_dict(nb::dict queries, bool finite, unsigned threads);
std::shared_ptr<Rankings> match_dict(nb::dict run, const std::shared_ptr<const Rows>& judgments,
                                     const MatchOptions& options);

// {query: {name: value}} of the judged queries among `queries`, in their order. A column holds one value for
// each query of `judgments`.
nb::dict values_by_query(nb::iterable queries, const Rows& judgments, const std::vector<nb::str>& names,
                         const std::vector<const Numbers*>& columns);

}  // namespace idealist
