// The search for ids that occur twice among the rows of a query.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/id_table.hpp"
#include "base/ids.hpp"
#include "base/interrupts.hpp"
#include "base/query_rows.hpp"

namespace idealist {

// Looks for ids that occur twice. Most lists have none, so rows whose hash is certainly new are passed
// over by a bitmap that stays in the first cache; only the few others are looked up.
class DuplicateFinder {
  public:
    // Calls found(earlier row, row) for every row whose id an earlier row has.
    template <class Found>
    void search(const QueryRows& rows, Found&& found) {
        const uint32_t* hashes = rows.hashes(hash_scratch_);
        const size_t count = rows.size();
        if (count > most_scanned) return search_large(rows, hashes, found);
        bits_.assign(std::bit_ceil(count) * bits_per_row / 64 + 1, 0);
        const uint32_t mask = uint32_t(std::bit_ceil(count) * bits_per_row - 1);
        for (size_t row = 0; row < count; ++row) {
            const uint32_t bit = hashes[row] & mask;
            uint64_t& word = bits_[bit / 64];
            const uint64_t flag = uint64_t(1) << bit % 64;
            const bool seen = word & flag;
            word |= flag;
            if (!seen) continue;
            for (size_t at = 0; (at = find_equal(hashes, at, row, hashes[row])) < row; ++at) {
                if (same_text(rows.id(at), rows.id(row))) {
                    found(at, row);
                    break;
                }
            }
        }
    }

  private:
    static constexpr size_t most_scanned = 4096, bits_per_row = 32;

    template <class Found>
    void search_large(const QueryRows& rows, const uint32_t* hashes, Found&& found) {
        table_.reset(rows.size());
        auto id_of = [&](uint32_t row) { return rows.id(row); };
        for (uint32_t row = 0; row < rows.size(); ++row) {
            refuse_interrupted(row);
            const uint32_t held = table_.insert(hashes[row], row, id_of);
            if (held != IdTable::absent) found(held, row);
        }
    }

    std::vector<uint64_t> bits_;
    IdTable table_;
    std::vector<uint32_t> hash_scratch_;
};

}  // namespace idealist
