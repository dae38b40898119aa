// The bindings of the extension, in parts: each checks its arguments, releases the GIL, and has the names
// that Python uses.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/problem.hpp"
#include "base/rows.hpp"
#include "bind/documented.hpp"
#include "bind/python_text.hpp"
#include "rank/kernels.hpp"
#include "rank/places.hpp"
#include "rank/rankings.hpp"
#include "read/text_pieces.hpp"

namespace idealist {

using RowsPtr = std::shared_ptr<Rows>;
using RankingsPtr = std::shared_ptr<Rankings>;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

// One number per query.
struct Values {
    Numbers numbers;
};

inline uint32_t rank_limit(std::optional<uint64_t> k) {
    return uint32_t(std::min<uint64_t>(k.value_or(all_ranks), all_ranks));
}

inline void refuse_beyond(size_t query, size_t queries) {
    if (query >= queries) throw nb::index_error("a query number is out of bounds");
}

inline nb::list names(const std::vector<std::string_view>& texts) {
    nb::list result;
    for (const std::string_view text : texts) result.append(to_python(text));
    return result;
}

// The lines of TREC text in one of its layouts.
LineParserPtr lines_named(const std::string& name);

// What could not be read, and how much more.
nb::object to_python(const std::optional<Problem>& problem, uint64_t problems);
// The lines that Python means: by a layout of TREC text, or by a LineParser.
LineParserPtr lines_of(nb::handle lines);

// The highest rank any list or its ideal has.
uint64_t longest(const Rankings& rankings);

void bind_features(Module& m);
void bind_numbers(Module& m);
void bind_oddities(Module& m);
void bind_rows(Module& m);
void bind_text(Module& m);
void bind_rankings(Module& m);
void bind_kernels(Module& m);
void bind_learning(Module& m);
void bind_views(Module& m);
void bind_windows(Module& m);
void bind_union(Module& m);

}  // namespace idealist
