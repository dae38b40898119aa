// Numbers along rankings, and what can be made of them. Measures are written in this algebra, so that none
// has C++ of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace idealist {

using Numbers = std::vector<double>;

// One number for each place of each query, in rank order. A place is a judged document that was retrieved
// or, in filled rankings, any rank.
struct Places {
    std::shared_ptr<const std::vector<uint64_t>> begin;  // of each query; one more than there are queries
    Numbers numbers;

    size_t queries() const { return begin->size() - 1; }
    Places like(Numbers other) const { return {begin, std::move(other)}; }
};

// What sorts numbers or looks them up (descending, last_up_to, standing, earlier_less) must not be given nan.
// Sums and products over a query's places, each from that query alone and in rank order.
Numbers sums(const Places&);
Numbers highest(const Places&, double otherwise);  // `otherwise` for a query without places
Places running_sum(const Places&, bool inclusive);
Places product_before(const Places&);
// The number of the place below; `otherwise` at the query's last.
Places following(const Places&, double otherwise);
// The query's numbers from the highest down, whatever their places were.
Places descending(const Places&);
// For every place of `limits`, the number of the last place whose key is not above the number there;
// `otherwise` where there is none. Keys rise along a query. `limits` may be of other rankings of these
// queries.
Places last_up_to(const Places&, const Places& keys, const Places& limits, double otherwise);
// Where every place's number stands among the query's: 1, and one more for each that is smaller. n log n.
Places standing(const Places&);
// For every place, the sum of the weights of earlier places whose number is smaller. n log n.
Places earlier_less(const Places&, const Places& weights);

}  // namespace idealist
