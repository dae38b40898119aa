// What may be odd about rows: duplicates, ids that look alike, queries whose rows lie apart.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/rows.hpp"

namespace idealist {

// A row by the number of its query and its place there; and a second one it has to do with.
struct RowPair {
    uint32_t query, row, other_query, other_row;
};

struct RowPairs {
    std::vector<RowPair> first;  // by query and row, at most as many as were asked for
    uint64_t count = 0;          // of all there are
};

struct RowPlace {
    uint32_t query, row;
};

struct RowPlaces {
    std::vector<RowPlace> first;
    uint64_t count = 0;
    std::vector<uint32_t> queries;  // those that have one
};

// For each row whose document an earlier row (`other`) of its query has.
RowPairs duplicate_rows(const Rows& rows, size_t most, unsigned threads);

// Pairs of different ids of one query that are the same but for the case of ASCII letters, zeros before a
// number, and blanks around them. With `other`, a row without its like there and the row of `other` that
// looks like it; without, two rows of `rows`, the later one first.
RowPairs lookalike_rows(const Rows& rows, const Rows* other, size_t most, unsigned threads);

// Rows whose document is called as the query is.
RowPlaces own_ids(const Rows& rows, size_t most);

// Rows whose id has white space, or bytes beyond ASCII.
RowPlaces ids_with_space(const Rows& rows, size_t most);
RowPlaces ids_beyond_ascii(const Rows& rows, size_t most);

// Queries whose rows are not all together.
std::vector<uint32_t> scattered_queries(const Rows& rows);

// How many numbers are infinite: written so, or beyond what a double holds.
uint64_t infinite_among(std::span<const double> numbers);
uint64_t infinite_rows(const Rows& rows);

// Every row's number, by query, in the order given; and how many each query has.
std::vector<double> row_numbers(const Rows& rows);
std::vector<double> row_counts(const Rows& rows);

}  // namespace idealist
