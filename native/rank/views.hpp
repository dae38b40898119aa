// Rankings made of rankings: the same queries seen another way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "rank/kernels.hpp"
#include "rank/rankings.hpp"

namespace idealist {

// The same queries without hits and judged grades, and the latter, for whoever makes a view.
std::shared_ptr<Rankings> like(const Rankings&);
void copy_judged(const Rankings& from, Rankings& to);
// Raises where ties are averaged: tied documents have no ranks of their own then.
void refuse_averaged(const Rankings&);

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

}  // namespace idealist
