#include "canonical.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

namespace idealist {

namespace {

template <class Number>
void put(std::string& out, Number number) {
    for (size_t byte = 0; byte < sizeof number; ++byte) out.push_back(char(number >> 8 * byte & 0xFF));
}

void put_text(std::string& out, std::string_view text) {
    put(out, uint32_t(text.size()));
    out.append(text);
}

void append_query(const Rows& rows, size_t query, std::string& out) {
    const QueryRows its_rows = rows.query_rows(query);
    std::vector<double> scratch;
    const double* values = its_rows.values(scratch);
    std::vector<std::pair<std::string_view, double>> sorted(its_rows.size());
    for (size_t row = 0; row < sorted.size(); ++row) sorted[row] = {its_rows.id(row), values[row]};
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [id, value] : sorted) {
        put_text(out, rows.queries()[query]);
        put_text(out, id);
        put(out, std::bit_cast<uint64_t>(value + 0.0));  // −0 is 0
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
