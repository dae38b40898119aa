// Rankings of a run's documents by what is known of them: their item, their rank in a second run.
#pragma once

#include <memory>
#include <string>

#include "base/rows.hpp"
#include "rank/match_options.hpp"
#include "rank/rankings.hpp"

namespace idealist {

// A document that has no item of its name.
struct UnknownItem {
    std::string query, document;
};
// Every document of the first `depth` ranks is a place, with the number of its item in the place of a
// grade. `items` is one query that holds all items with their numbers; the queries are those of `queries`.
std::shared_ptr<Rankings> rank_items(const Rows& run, const std::shared_ptr<const Rows>& queries,
                                     const Rows& items, const MatchOptions& options, unsigned threads);
// The documents of `reference` that `run` has too, each with its rank in `reference` in the place of a grade.
std::shared_ptr<Rankings> rank_against(const Rows& run, const std::shared_ptr<const Rows>& reference,
                                       const MatchOptions& options, unsigned threads);

}  // namespace idealist
