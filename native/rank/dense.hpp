// Matrices of scores and grades, one row a query and one column a document, to rankings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "rank/match_options.hpp"
#include "rank/rankings.hpp"

namespace idealist {

// A score that is not a number, or a grade that is not a finite one.
struct BadCell {
    size_t row, column;
    bool is_score;
};

// A document's id is its column, compared as a number. Defined for double and float scores, and for
// double, float, int64_t and int32_t grades.
template <class Score, class Grade>
std::shared_ptr<Rankings> rank_dense(const Score* scores, const Grade* grades, size_t rows, size_t columns,
                                     const MatchOptions& options, unsigned threads);

}  // namespace idealist
