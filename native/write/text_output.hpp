// Rows as text: TREC, CSV and TSV, JSON, JSON lines, MS MARCO. Numbers are written as shortly as reads back
// the same; rows stand in the order they were given, queries in bytewise order.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/rows.hpp"

namespace idealist {

struct TextLayout {
    enum class Form { trec_run, trec_judgments, delimited, json, json_lines, msmarco };
    Form form = Form::trec_run;
    char delimiter = ',';
    std::string word;  // the system's name of TREC runs; what JSON lines call the number
};

// Something that the layout cannot carry.
struct Refused {
    enum class What { query, document, number };
    What what;
    std::string query, document;
};

// Appends queries from `query` on until there are `size` bytes or more; gives the first query that is not
// among them. `refused` is the first thing that cannot be written, if there is one.
size_t append_text(const Rows& rows, size_t query, size_t size, const TextLayout& layout, unsigned threads,
                   std::string& out, std::optional<Refused>& refused);

}  // namespace idealist
