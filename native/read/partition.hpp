// Rows of a run whose queries do not lie together, sorted out on disk: every part holds all rows of its
// queries.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/problem.hpp"
#include "base/segments.hpp"
#include "read/windows.hpp"

namespace idealist {

class Partitions {
  public:
    // Appends to files that the caller has opened, one a part.
    Partitions(std::vector<int> descriptors, unsigned threads);
    Partitions(const Partitions&) = delete;
    Partitions& operator=(const Partitions&) = delete;
    void add(Window& window);
    // Writes what is left.
    void finish();
    // The first row that could not be read, and how many there were.
    const std::optional<Problem>& problem() const { return problem_; }
    uint64_t problems() const { return problems_; }
    uint64_t rows() const { return rows_; }

  private:
    void write(size_t part);

    std::vector<int> descriptors_;
    unsigned threads_;
    std::vector<SegmentBuilder> parts_;
    std::optional<Problem> problem_;
    uint64_t problems_ = 0, rows_ = 0, lines_ = 0;
};

// What was written to one of the files.
Segments read_part(int descriptor);

}  // namespace idealist
