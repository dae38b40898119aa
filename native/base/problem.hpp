// What can be wrong with a row.
#pragma once

#include <cstdint>
#include <string>

namespace idealist {

// What was wrong with the first line that could not be read.
struct Problem {
    enum class Kind {
        columns,
        not_a_number,
        not_finite,
        not_exact,  // a whole number that a double does not hold
        binary,
        too_long,
        empty,         // a field; `columns` says which
        open_quote,    // that is not closed before the line's end
        behind_quote,  // text behind a closing quote
        not_json,      // in the `columns`-th byte of the line; `text` is what was expected, newline, found
        too_deep,
        missing,         // a field of a JSON object; `columns` says which
        repeated,        // the name `text` in a JSON object
        repeated_query,  // the name `text` in a dict of queries
        not_an_id,
        no_text,  // half a surrogate pair in an id
        cut_short,
        not_utf8,  // `text` is the line
    };
    Kind kind;
    uint64_t line;     // counted from 1, within the segment until the segments are joined
    uint32_t columns;  // how many were found, or what the kind says
    std::string text;  // the offending field or line
};

}  // namespace idealist
