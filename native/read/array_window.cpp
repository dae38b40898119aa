#include "read/array_window.hpp"

#include <charconv>
#include <stdexcept>

#include "base/segments.hpp"

namespace idealist {

namespace {

constexpr size_t piece_rows = size_t(1) << 16;

std::string_view name_of(int64_t number, const std::vector<std::string>& names, char* scratch) {
    if (!names.empty()) return names[size_t(number)];
    return {scratch, size_t(std::to_chars(scratch, scratch + 24, number).ptr - scratch)};
}

}  // namespace

ArrayWindow::ArrayWindow(std::span<const int64_t> sizes, std::span<const int64_t> documents,
                         std::span<const double> values, std::vector<std::string> query_names,
                         std::vector<std::string> document_names)
    : sizes_(sizes),
      documents_(documents),
      values_(values),
      query_names_(std::move(query_names)),
      document_names_(std::move(document_names)) {
    if (documents.size() != values.size())
        throw std::invalid_argument("the number of documents differs from the number of values");
    if (!query_names_.empty() && query_names_.size() != sizes.size()) {
        throw std::invalid_argument("the number of names differs from the number of queries");
    }
    size_t row = 0;
    for (size_t query = 0; query < sizes.size(); ++query) {
        if (piece_begin_.empty() || row - row_begin_.back() >= piece_rows) {
            piece_begin_.push_back(query);
            row_begin_.push_back(row);
        }
        if (sizes[query] < 0 || uint64_t(sizes[query]) > values.size() - row) {
            throw std::invalid_argument("the sizes of the queries do not add up to the number of values");
        }
        row += size_t(sizes[query]);
    }
    if (row != values.size())
        throw std::invalid_argument("the sizes of the queries do not add up to the number of values");
    piece_begin_.push_back(sizes.size());
    for (const int64_t document : documents) {
        if (document < 0 || (!document_names_.empty() && uint64_t(document) >= document_names_.size())) {
            throw std::out_of_range("a document number is negative or has no name");
        }
    }
}

void ArrayWindow::parse(size_t piece, unsigned, SegmentBuilder& out) {
    char scratch[24];
    size_t row = row_begin_[piece];
    for (size_t query = piece_begin_[piece]; query < piece_begin_[piece + 1]; ++query) {
        out.begin_group(name_of(int64_t(query), query_names_, scratch));
        for (const size_t end = row + size_t(sizes_[query]); row < end; ++row) {
            out.add(name_of(documents_[row], document_names_, scratch), values_[row]);
            ++out.extra.lines;
        }
    }
}

}  // namespace idealist
