// The lines of TREC text.
#pragma once

#include "read/text_pieces.hpp"

namespace idealist {

enum class Layout {
    judgments,    // query iteration document grade
    run,          // query Q0 document rank score system
    ranks,        // the same with the rank as the number
    groups,       // query group document grade: "group document" is the row's id
    preferences,  // query group subgroup document grade: "group subgroup document" is the id
    strata,       // query iteration document stratum grade: "document stratum" is the id
};

LineParserPtr trec_lines(Layout layout);

}  // namespace idealist
