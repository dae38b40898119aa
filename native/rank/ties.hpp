// Documents that share a score: what is kept of them, so that they can be put in another order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "rank/rankings.hpp"

namespace idealist {

// A judged document that was retrieved.
struct Hit {
    double score;
    double grade;
    std::string_view id;
    uint32_t rank = 0;
    uint32_t tied = 1;
};

// Keeps what another order of tied documents would need, if it can make a difference.
void keep_ties(Rankings& rankings, size_t query, uint32_t before, uint32_t size, std::span<const Hit> hits);

// The best or the worst order of `size` tied documents of which [begin, end) are judged: unjudged
// documents stand between the grades from zero up and the negative ones.
void settle_by_grade(uint32_t before, uint32_t size, bool best, Hit* begin, Hit* end);

// Gives a query of `to` the ties of one of `from`; the queries of `to` come one after the other.
void copy_ties(const Rankings& from, size_t query, Rankings& to, size_t target);

// Tied documents in the best or the worst order, by grade: what Ties::optimistic and Ties::pessimistic give.
std::shared_ptr<Rankings> best_of_ties(const Rankings&);
std::shared_ptr<Rankings> worst_of_ties(const Rankings&);
// The queries for which those may differ from each other, or from these rankings in the last bits of a value.
std::vector<size_t> tied(const Rankings&);
}  // namespace idealist
