#include "write/canonical.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/parallel.hpp"
#include "base/query_rows.hpp"

namespace idealist {

namespace {

template <class Number>
void put(std::string& out, Number number) {
    char bytes[sizeof number];
    for (size_t byte = 0; byte < sizeof number; ++byte) bytes[byte] = char(number >> 8 * byte & 0xFF);
    out.append(bytes, sizeof number);
}

void put_text(std::string& out, std::string_view text) {
    put(out, uint32_t(text.size()));
    out.append(text);
}

// In the place of a document's size, for a query that has none.
constexpr uint32_t no_document = 0xFFFFFFFF;

// A row by its id's first eight bytes, which settle most comparisons.
struct Sorted {
    uint64_t start;
    uint32_t row;
};

uint64_t start_of(std::string_view id) {
    unsigned char bytes[8] = {};
    if (!id.empty()) std::memcpy(bytes, id.data(), std::min<size_t>(id.size(), 8));
    uint64_t start = 0;
    for (const unsigned char byte : bytes) start = start << 8 | byte;
    return start;
}

void append_query(const Rows& rows, size_t query, std::string& out) {
    const QueryRows its_rows = rows.query_rows(query);
    std::vector<double> scratch;
    const double* values = its_rows.values(scratch);
    std::vector<Sorted> sorted(its_rows.size());
    size_t text = 0;
    for (uint32_t row = 0; row < sorted.size(); ++row) {
        sorted[row] = {start_of(its_rows.id(row)), row};
        text += its_rows.id(row).size();
    }
    std::sort(sorted.begin(), sorted.end(), [&](const Sorted& a, const Sorted& b) {
        return a.start != b.start ? a.start < b.start : its_rows.id(a.row) < its_rows.id(b.row);
    });
    std::string name;
    put_text(name, rows.queries()[query]);
    out.reserve(text + sorted.size() * (name.size() + 12));
    if (sorted.empty()) {
        out.append(name);
        put(out, no_document);
    }
    for (const Sorted& one : sorted) {
        out.append(name);
        put_text(out, its_rows.id(one.row));
        put(out, std::bit_cast<uint64_t>(values[one.row] + 0.0));  // −0 is 0
    }
}

}  // namespace

size_t append_canonical(const Rows& rows, size_t query, size_t size, unsigned threads, std::string& out) {
    constexpr size_t block = 64;
    while (query < rows.queries().size() && out.size() < size) {
        std::vector<std::string> parts(std::min(block, rows.queries().size() - query));
        parallel_for(parts.size(), threads,
                     [&](size_t i, unsigned) { append_query(rows, query + i, parts[i]); });
        for (const std::string& part : parts) out += part;
        query += parts.size();
    }
    return query;
}

}  // namespace idealist
