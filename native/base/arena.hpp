// Memory that grows in large chunks, is filled once, and is given back all together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "base/system.hpp"

namespace idealist {

class Arena {
  public:
    Arena() = default;
    Arena(Arena&& other) noexcept : chunks_(std::exchange(other.chunks_, {})) {
        std::swap(next_, other.next_);
        std::swap(left_, other.left_);
    }
    Arena& operator=(Arena&&) = delete;

    // A copy of `values` that lives as long as the arena.
    template <class T>
    std::span<const T> keep(const T* values, size_t count) {
        if (count == 0) return {};
        void* to = allocate(count * sizeof(T));
        std::memcpy(to, values, count * sizeof(T));
        return {static_cast<const T*>(to), count};
    }

  private:
    static constexpr size_t smallest = size_t(1) << 18, largest = size_t(1) << 25;

    void* allocate(size_t size) {
        size = (size + 15) & ~size_t(15);
        if (size > left_) add_chunk(size);
        void* taken = next_;
        next_ += size;
        left_ -= size;
        return taken;
    }
    void add_chunk(size_t needed) {
        const size_t grown = chunks_.empty() ? smallest : std::min(largest, chunks_.back().size() * 2);
        const size_t size = std::max(grown, (needed + 4095) & ~size_t(4095));
        chunks_.emplace_back(size);
        next_ = chunks_.back().begin();
        left_ = size;
    }

    std::vector<Pages> chunks_;
    char* next_ = nullptr;
    size_t left_ = 0;
};

}  // namespace idealist
