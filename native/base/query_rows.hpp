// The rows of one query, wherever they lie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/segments.hpp"

namespace idealist {

struct Slice {
    uint32_t segment, begin, end;
};

// The rows of one query, in the order they were given; copied together only where they lie apart.
class QueryRows {
  public:
    QueryRows(const std::vector<Segment>& segments, std::span<const Slice> slices)
        : segments_(segments), slices_(slices) {
        if (slices.size() > 1) ends_.reserve(slices.size());
        for (const Slice& slice : slices) {
            size_ += slice.end - slice.begin;
            if (slices.size() > 1) ends_.push_back(uint32_t(size_));
        }
    }
    size_t size() const { return size_; }
    std::string_view id(size_t row) const {
        const auto [segment, at] = place(row);
        return segments_[segment].id(at);
    }
    uint64_t line(size_t row, const std::vector<uint64_t>& first_lines) const;
    // Whether no other query's rows stand between them.
    bool together() const;
    const double* values(std::vector<double>& scratch) const {
        return gather(scratch, [](const Segment& s) { return s.value.data(); });
    }
    const uint32_t* hashes(std::vector<uint32_t>& scratch) const {
        return gather(scratch, [](const Segment& s) { return s.id_hash.data(); });
    }

  private:
    // The segment that holds a row, and where.
    std::pair<uint32_t, size_t> place(size_t row) const {
        if (slices_.size() == 1) return {slices_[0].segment, slices_[0].begin + row};
        const size_t slice = size_t(std::upper_bound(ends_.begin(), ends_.end(), row) - ends_.begin());
        return {slices_[slice].segment, slices_[slice].end - (ends_[slice] - row)};
    }

    template <class T, class Get>
    const T* gather(std::vector<T>& scratch, Get get) const {
        if (slices_.size() == 1) return get(segments_[slices_[0].segment]) + slices_[0].begin;
        scratch.clear();
        for (const Slice& slice : slices_) {
            const T* from = get(segments_[slice.segment]);
            scratch.insert(scratch.end(), from + slice.begin, from + slice.end);
        }
        return scratch.data();
    }

    const std::vector<Segment>& segments_;
    std::span<const Slice> slices_;
    std::vector<uint32_t> ends_;  // of the slices, when there are several
    size_t size_ = 0;
};

}  // namespace idealist
