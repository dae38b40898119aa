// Text of one JSON object a line.
#pragma once

#include <string>

#include "read/text_pieces.hpp"

namespace idealist {

struct JsonLines {
    std::string query, document, number;  // what the objects call them
    bool rank = false;                    // the lower the number, the better
    bool finite = false;                  // whether the number must be
};

LineParserPtr json_lines(JsonLines format);

}  // namespace idealist
