#include "read/list_window.hpp"

#include "base/segments.hpp"

namespace idealist {

void ListWindow::parse(size_t, unsigned, SegmentBuilder& out) {
    uint64_t line = before_;
    const std::string* query = nullptr;
    for (const ListedRow& row : rows_) {
        for (; line + 1 < row.line; ++line) {
            out.blanks.push_back(uint32_t(out.value.size()));
            ++out.extra.lines;
        }
        line = row.line;
        if (!query || *query != row.query) out.begin_group(row.query);
        query = &row.query;
        out.add(row.document, row.value);
        ++out.extra.lines;
    }
}

}  // namespace idealist
