// Rankings by groups of documents: every (query, group) is a ranking of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rank/rankings.hpp"

namespace idealist {

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

}  // namespace idealist
