// Batches of columns as windows of rows: in the order of the table, or query by query.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/arrow_abi.hpp"
#include "read/arrow_cells.hpp"
#include "read/arrow_types.hpp"
#include "read/windows.hpp"

namespace idealist {

// Batches with the columns that rows are made of.
class Batches {
  public:
    Batches(const ArrowColumns& columns, const ArrowType& query, const ArrowType& document,
            const ArrowType& number)
        : columns_(columns), query_(query), document_(document), number_(number) {}

    using Batch = std::shared_ptr<const Owned<ArrowArray>>;
    struct Slice {
        uint32_t batch;
        size_t begin, end;
    };

    // Rows [begin, end) of a batch.
    void add(Batch batch, size_t begin, size_t end) {
        list_.push_back(std::move(batch));
        slices_.push_back({uint32_t(list_.size() - 1), begin, end});
        rows_ += end - begin;
    }
    size_t rows() const { return rows_; }
    size_t size() const { return list_.size(); }
    // All rows, at most so many together.
    std::vector<Slice> slices(size_t rows) const {
        std::vector<Slice> cut;
        for (const auto& [batch, begin, end] : slices_) {
            for (size_t at = begin; at < end; at += rows)
                cut.push_back({batch, at, std::min(end, at + rows)});
        }
        return cut;
    }
    // All rows in shares of at least so many, the last aside: many small batches are one share.
    std::vector<std::vector<Slice>> shares(size_t rows) const {
        std::vector<std::vector<Slice>> cut;
        size_t left = 0;
        for (const Slice& slice : slices(rows)) {
            if (left == 0) {
                cut.emplace_back();
                left = rows;
            }
            cut.back().push_back(slice);
            left -= std::min(left, slice.end - slice.begin);
        }
        return cut;
    }
    Cells queries(size_t batch) const { return cells(batch, columns_.query, query_); }
    Cells documents(size_t batch) const { return cells(batch, columns_.document, document_); }
    Cells numbers(size_t batch) const { return cells(batch, columns_.number, number_); }
    const ArrowColumns& columns() const { return columns_; }

  private:
    Cells cells(size_t batch, size_t column, const ArrowType& type) const {
        const ArrowArray& array = *list_[batch]->get();
        return {array, *array.children[column], type};
    }

    ArrowColumns columns_;
    ArrowType query_, document_, number_;
    std::vector<Batch> list_;
    std::vector<Slice> slices_;
    size_t rows_ = 0;
};

// Rows in the order of the table.
WindowPtr in_order(std::shared_ptr<const Batches> batches);

// Rows query by query, though they lie in any order: a table that is in memory need not be sorted. Its rows
// are read in their order and dealt out by the hash of their query, to parts that stay in the cache.
WindowPtr by_query(std::shared_ptr<const Batches> batches, unsigned threads);

}  // namespace idealist
