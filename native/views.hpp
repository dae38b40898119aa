// Rankings made of rankings: the same queries seen another way.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels.hpp"
#include "match.hpp"
#include "rankings.hpp"
#include "rows.hpp"

namespace idealist {

// The judged documents, best first, as if exactly they had been retrieved.
std::shared_ptr<Rankings> ideal_order(const Rankings&);
// Where each judged document that was retrieved stands among the judged ones, best first; of equals, the
// retrieved stand first and in their order.
std::vector<double> ideal_ranks(const Rankings&);
// Without the unjudged documents: ranks close up.
std::shared_ptr<Rankings> condensed(const Rankings&);
// The first `depth` ranks, as if no more had been retrieved.
std::shared_ptr<Rankings> cut_short(const Rankings&, uint32_t depth);
// Every rank up to `depth` is a place; unjudged documents have `grade`, and count as judged. With `padded`,
// lists that end before have documents of that grade behind them.
std::shared_ptr<Rankings> filled(const Rankings&, double grade, uint32_t depth, bool padded);
// The queries from `begin` up to `end`.
std::shared_ptr<Rankings> part(const Rankings&, size_t begin, size_t end);
// Some of the queries, in the order they are named.
std::shared_ptr<Rankings> chosen(const Rankings&, const std::vector<size_t>& queries);
// Every grade replaced by its gain.
std::shared_ptr<Rankings> regraded(const Rankings&, const Gain&);

// Documents that belong to groups, each with a grade there: entries [begin[d], begin[d + 1]) are those of
// document d. Every group belongs to one query; `groups[q]` says how many query q has, numbered through.
struct Membership {
    std::vector<uint64_t> begin;
    std::vector<uint32_t> group;
    std::vector<double> grade;
    std::vector<uint32_t> groups;
};
// One ranking per group of documents, named after its query. `numbered` holds the documents' numbers in the
// place of grades.
std::shared_ptr<Rankings> by_group(const Rankings& numbered, const Membership&);

// A document that no item is called like.
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
