// Rows that come one by one, from databases and other readers in Python, some thousands at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/segments.hpp"
#include "read/windows.hpp"

namespace idealist {

struct ListedRow {
    uint64_t line;  // or the row's number; they rise
    std::string query, document;
    double value;
};

// `before` is the line of the row in front of the first.
class ListWindow : public Window {
  public:
    ListWindow(std::vector<ListedRow> rows, uint64_t before) : rows_(std::move(rows)), before_(before) {}
    size_t pieces() const override { return 1; }
    void parse(size_t piece, unsigned worker, SegmentBuilder& out) override;

  private:
    std::vector<ListedRow> rows_;
    uint64_t before_;
};

}  // namespace idealist
