// Rows of (query, document, value): what a run (value = score) and judgments (value = grade) are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.hpp"
#include "base/problem.hpp"
#include "base/query_rows.hpp"
#include "base/segments.hpp"

namespace idealist {

// The same document twice for one query.
struct Duplicate {
    std::string query, document;
    uint64_t first_line, second_line;
};

// Whether a document may be there twice for a query: not where a dict gave the rows.
enum class Uniqueness { checked, given };

class Rows {
  public:
    // Groups the segments' rows by query, queries in bytewise order, and looks for duplicates.
    Rows(Segments segments, unsigned threads, Uniqueness uniqueness = Uniqueness::checked);
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;

    const std::vector<std::string_view>& queries() const { return queries_; }
    size_t size() const { return size_; }
    QueryRows query_rows(size_t query) const {
        return {segments_, std::span(slices_).subspan(slice_begin_[query],
                                                      slice_begin_[query + 1] - slice_begin_[query])};
    }
    // Calls visit(segment, begin, end) for every stretch of a query's rows.
    template <class Visit>
    void for_slices(size_t query, Visit&& visit) const {
        for (size_t i = slice_begin_[query]; i < slice_begin_[query + 1]; ++i) {
            visit(segments_[slices_[i].segment], slices_[i].begin, slices_[i].end);
        }
    }
    std::optional<size_t> find(std::string_view query) const;
    bool equals(const Rows& other, unsigned threads) const;
    const std::optional<Problem>& problem() const { return problem_; }
    uint64_t problems() const { return problems_; }
    const std::optional<Duplicate>& duplicate() const { return duplicate_; }
    uint64_t duplicates() const { return duplicates_; }
    // The number of the line before each segment's first.
    const std::vector<uint64_t>& first_lines() const { return first_lines_; }

  private:
    void number_lines();
    void group_by_query();
    void find_duplicates(unsigned threads);

    std::vector<Arena> arenas_;
    std::vector<Segment> segments_;
    std::vector<uint64_t> first_lines_;
    std::vector<std::string_view> queries_;
    std::vector<uint64_t> slice_begin_;
    std::vector<Slice> slices_;
    size_t size_ = 0;
    std::optional<Problem> problem_;
    uint64_t problems_ = 0;
    std::optional<Duplicate> duplicate_;
    uint64_t duplicates_ = 0;
};

// Finds the number of a query among those of `rows`. Names mostly come in order, so the one behind the last
// is tried first.
class QueryFinder {
  public:
    static constexpr uint32_t absent = ~0u;

    explicit QueryFinder(const Rows& rows) : rows_(rows) {}
    uint32_t find(std::string_view name) {
        const auto& names = rows_.queries();
        if (expected_ < names.size() && names[expected_] == name) return uint32_t(expected_++);
        const std::optional<size_t> found = rows_.find(name);
        if (!found) return absent;
        expected_ = *found + 1;
        return uint32_t(*found);
    }

  private:
    const Rows& rows_;
    size_t expected_ = 0;
};

}  // namespace idealist
