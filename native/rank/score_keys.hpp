// Rows sorted by score, all of them: for whoever needs every rank.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "rank/match_options.hpp"

namespace idealist {

// A row by its score: the higher the score, the lower the number.
struct ScoreKey {
    uint64_t order;
    uint32_t row;

    ScoreKey() = default;
    ScoreKey(double score, uint32_t its_row) : order(std::bit_cast<uint64_t>(score + 0.0)), row(its_row) {
        constexpr uint64_t sign = uint64_t(1) << 63;  // -0.0 + 0.0 is 0.0: the two are one score
        if (!(order & sign)) order = ~(order | sign);
    }
};

inline bool lower(const ScoreKey& a, const ScoreKey& b) { return a.order < b.order; }

// A radix sort by bytes, which keeps the order of equal keys and passes over bytes that all keys share.
inline void sort_by_order(std::vector<ScoreKey>& keys, std::vector<ScoreKey>& scratch) {
    constexpr size_t digits = 8, values = 256, few = 48;
    if (keys.size() <= few) return std::stable_sort(keys.begin(), keys.end(), lower);
    std::array<std::array<uint32_t, values>, digits> counts{};
    for (const ScoreKey& key : keys) {
        for (size_t digit = 0; digit < digits; ++digit) ++counts[digit][(key.order >> (8 * digit)) & 255];
    }
    scratch.resize(keys.size());
    for (size_t digit = 0; digit < digits; ++digit) {
        auto& next = counts[digit];
        if (next[(keys[0].order >> (8 * digit)) & 255] == keys.size()) continue;
        uint32_t before = 0;
        for (uint32_t& count : next) before += std::exchange(count, before);
        for (const ScoreKey& key : keys) scratch[next[(key.order >> (8 * digit)) & 255]++] = key;
        keys.swap(scratch);
    }
}

// Sorts by score, descending, and equal scores by what the options say.
template <class IdOf>
void sort_ranked(std::vector<ScoreKey>& keys, std::vector<ScoreKey>& scratch, const MatchOptions& options,
                 IdOf&& id_of) {
    if (!std::is_sorted(keys.begin(), keys.end(), lower)) sort_by_order(keys, scratch);
    if (options.ties == Ties::input_order) return;
    auto before = [&](const ScoreKey& a, const ScoreKey& b) {
        const int compared = id_of(a.row).compare(id_of(b.row));
        return options.ties == Ties::id_ascending ? compared < 0 : compared > 0;
    };
    for (size_t begin = 0, end; begin < keys.size(); begin = end) {
        for (end = begin + 1; end < keys.size() && keys[end].order == keys[begin].order;) ++end;
        if (end - begin == 1) continue;
        const auto first = keys.begin() + std::ptrdiff_t(begin), last = keys.begin() + std::ptrdiff_t(end);
        if (!std::is_sorted(first, last, before)) std::sort(first, last, before);
    }
}

}  // namespace idealist
