// The ranks of a query's judged documents, found without sorting the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "rank/match_options.hpp"
#include "rank/ties.hpp"

namespace idealist {

// The documents of one query as HitRanker sees them.
class Candidates {
  public:
    virtual ~Candidates() = default;
    virtual std::string_view id(uint32_t row) const = 0;
};

// Hits [begin, end) share their score with `size` documents below `before` others.
struct TiedHits {
    uint32_t before, size;
    size_t begin, end;
};

// Gives every hit its rank among `count` scores and puts the hits in rank order.
class HitRanker {
  public:
    explicit HitRanker(const MatchOptions& options) : options_(options) {}
    void rank(const double* scores, uint32_t count, const Candidates& candidates, std::vector<Hit>& hits);
    // The tied hits of the last query that was ranked; none where ties are averaged: then each hit has its
    // size of group.
    std::span<const TiedHits> ties() const { return ties_; }

  private:
    void close_up(std::vector<Hit>& hits);
    void settle_sorted(const double* scores, uint32_t count, const Candidates& candidates,
                       std::vector<Hit>& hits);
    void settle_counted(const double* scores, uint32_t count, const Candidates& candidates,
                        std::vector<Hit>& hits);
    void settle_group(uint32_t before, std::span<const uint32_t> members, const Candidates& candidates,
                      std::vector<Hit>& hits, size_t begin, size_t end);

    MatchOptions options_;
    std::vector<uint32_t> members_;
    std::vector<double> levels_;
    std::vector<uint32_t> above_, equal_, starts_;
    std::vector<std::string_view> ids_;
    std::vector<TiedHits> ties_;
};

}  // namespace idealist
