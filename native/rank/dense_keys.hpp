// Keys that bring the columns of a row of scores into the order of their scores, and their sorting.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace idealist {

// Upper half: the score's leading 32 bits, mapped so that higher scores are smaller numbers.
// Lower half: the column.
template <class Score>
uint64_t sort_key(Score score, uint32_t column) {
    using Bits = std::conditional_t<sizeof(Score) == 8, uint64_t, uint32_t>;
    constexpr Bits sign = Bits(1) << (sizeof(Bits) * 8 - 1);
    Bits bits = std::bit_cast<Bits>(Score(score + Score(0)));  // -0 and 0 tie
    // All bits but the sign are turned unless it is set. No branch: no one could guess which way it goes.
    bits ^= Bits(~sign & ((bits >> (sizeof(Bits) * 8 - 1)) - 1));
    return uint64_t(uint32_t(bits >> (sizeof(Bits) * 8 - 32))) << 32 | column;
}

// Sorts by the upper halves, keeping the order of equal ones.
void radix_sort(std::vector<uint64_t>& keys, std::vector<uint64_t>& spare);

// Which place each column's number has among all, as text: 0, 1, 10, 11, …, 2, 20, …
std::vector<uint32_t> places_as_text(size_t columns);

}  // namespace idealist
