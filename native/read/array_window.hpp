// Rows that lie in arrays: so many per query, the documents by number.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/segments.hpp"
#include "read/windows.hpp"

namespace idealist {

// Numbers are ids, unless there are names for them. The arrays outlive the window.
class ArrayWindow : public Window {
  public:
    ArrayWindow(std::span<const int64_t> sizes, std::span<const int64_t> documents,
                std::span<const double> values, std::vector<std::string> query_names,
                std::vector<std::string> document_names);
    size_t pieces() const override { return piece_begin_.size() - 1; }
    void parse(size_t piece, unsigned worker, SegmentBuilder& out) override;

  private:
    std::span<const int64_t> sizes_, documents_;
    std::span<const double> values_;
    std::vector<std::string> query_names_, document_names_;
    std::vector<size_t> piece_begin_, row_begin_;  // the first query and the first row of each piece
};

}  // namespace idealist
