// Lines of fields with a delimiter between them: CSV, TSV and the like.
#pragma once

#include "read/text_pieces.hpp"

namespace idealist {

struct Delimited {
    enum class Between {
        one,     // the delimiter once
        two,     // the delimiter twice
        blanks,  // any number of blanks
    };

    Between between = Between::one;
    char delimiter = ',';
    bool quotes = true;  // a field that begins with a double quote ends with one; two inside mean one
    bool header = false;
    uint32_t columns = 0;                          // of every line
    uint32_t query = 0, document = 0, number = 0;  // which of them
    bool rank = false;                             // the lower the number, the better
    bool finite = false;                           // whether the number must be
    char decimal = '.';                            // what stands before the fraction of a number
};

LineParserPtr delimited_lines(const Delimited& format);

}  // namespace idealist
