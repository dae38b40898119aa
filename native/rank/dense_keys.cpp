#include "rank/dense_keys.hpp"

#include <array>

namespace idealist {

void radix_sort(std::vector<uint64_t>& keys, std::vector<uint64_t>& spare) {
    constexpr unsigned digit_bits = 11, buckets = 1u << digit_bits, passes = 3;
    std::array<std::array<uint32_t, buckets>, passes> starts{};
    for (const uint64_t key : keys) {
        for (unsigned pass = 0; pass < passes; ++pass) {
            ++starts[pass][key >> (32 + digit_bits * pass) & (buckets - 1)];
        }
    }
    spare.resize(keys.size());
    for (unsigned pass = 0; pass < passes; ++pass) {
        const unsigned shift = 32 + digit_bits * pass;
        if (starts[pass][keys[0] >> shift & (buckets - 1)] == keys.size()) continue;
        uint32_t sum = 0;
        for (uint32_t& start : starts[pass]) {
            const uint32_t count = start;
            start = sum;
            sum += count;
        }
        for (const uint64_t key : keys) spare[starts[pass][key >> shift & (buckets - 1)]++] = key;
        keys.swap(spare);
    }
}

std::vector<uint32_t> places_as_text(size_t columns) {
    std::vector<uint32_t> places(columns);
    uint64_t number = 1;
    for (uint32_t place = 1; place < columns; ++place) {
        places[number] = place;
        if (number * 10 < columns) {
            number *= 10;
            continue;
        }
        while (number % 10 == 9 || number + 1 >= columns) number /= 10;
        ++number;
    }
    return places;
}

}  // namespace idealist
