// Ids to the rows that hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.hpp"

namespace idealist {

// Finds rows by document id: open addressing over the ids' hashes. Reused from query to query.
class IdTable {
  public:
    static constexpr uint32_t absent = ~0u;

    void reset(size_t expected) {
        size_t capacity = 16;
        while (capacity < expected * 2) capacity *= 2;
        slots_.assign(capacity, 0);
        mask_ = capacity - 1;
    }
    // The row that already holds the id of `row`, or absent after having entered it.
    template <class IdOf>
    uint32_t insert(uint32_t hash, uint32_t row, IdOf&& id_of) {
        size_t at;
        const uint32_t held = search(hash, [&] { return id_of(row); }, id_of, at);
        if (held == absent) slots_[at] = uint64_t(hash) << 32 | (row + 1);
        return held;
    }
    template <class Id, class IdOf>
    uint32_t find(uint32_t hash, Id&& id, IdOf&& id_of) const {
        size_t at;
        return search(hash, id, id_of, at);
    }

  private:
    template <class Id, class IdOf>
    uint32_t search(uint32_t hash, Id&& id, IdOf&& id_of, size_t& at) const {
        for (at = hash & mask_; slots_[at] != 0; at = (at + 1) & mask_) {
            if (uint32_t(slots_[at] >> 32) != hash) continue;
            const uint32_t held = uint32_t(slots_[at]) - 1;
            if (same_text(id_of(held), id())) return held;
        }
        return absent;
    }

    std::vector<uint64_t> slots_;  // hash above, row + 1 below; 0 is free
    size_t mask_ = 0;
};

}  // namespace idealist
