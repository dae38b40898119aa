// Small building blocks: an uninitialised growable array, the hash of an id, a loop over threads.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace idealist {

// Faults on small pages cost as much as filling them; large blocks ask for large ones.
inline void prefer_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] size_t size) {
#if defined(MADV_HUGEPAGE)
    constexpr size_t page = 4096, worth_it = size_t(1) << 22;
    if (size < worth_it) return;
    const auto first = (reinterpret_cast<uintptr_t>(begin) + page - 1) & ~uintptr_t(page - 1);
    const auto end = (reinterpret_cast<uintptr_t>(begin) + size) & ~uintptr_t(page - 1);
    ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#endif
}

// An array of plain values. Unlike std::vector it never writes what nobody gave it, so memory that
// was reserved too generously costs no pages; and its data stays where it is when it is moved.
template <class T>
class Column {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Column() = default;
    Column(const Column&) = delete;
    Column& operator=(const Column&) = delete;
    Column(Column&& other) noexcept { swap(other); }
    Column& operator=(Column&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Column() { std::free(data_); }

    void reserve(size_t capacity) {
        if (capacity > capacity_) reallocate(capacity);
    }
    void resize_uninitialised(size_t size) {
        reserve(size);
        size_ = size;
    }
    void shrink_to_fit() {
        if (size_ < capacity_) reallocate(size_);
    }
    void push_back(T value) {
        grow_for(1);
        data_[size_++] = value;
    }
    // The caller has reserved enough.
    void push_unchecked(T value) { data_[size_++] = value; }
    void append(const T* values, size_t count) {
        if (count == 0) return;
        grow_for(count);
        std::memcpy(data_ + size_, values, count * sizeof(T));
        size_ += count;
    }
    void clear() { size_ = 0; }

    T* data() { return data_; }
    const T* data() const { return data_; }
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T& operator[](size_t i) { return data_[i]; }
    const T& operator[](size_t i) const { return data_[i]; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }

  private:
    void swap(Column& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }
    void grow_for(size_t count) {
        if (size_ + count > capacity_) reallocate((size_ + count) * 2);
    }
    void reallocate(size_t capacity) {
        if (capacity == 0) {
            std::free(data_);
            data_ = nullptr;
        } else {
            void* grown = std::realloc(data_, capacity * sizeof(T));
            if (!grown) throw std::bad_alloc();
            data_ = static_cast<T*>(grown);
            prefer_large_pages(grown, capacity * sizeof(T));
        }
        capacity_ = capacity;
    }

    T* data_ = nullptr;
    size_t size_ = 0;
    size_t capacity_ = 0;
};

template <class Word>
inline Word load(const char* from) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

// Equality of short texts without the call that memcmp would cost.
inline bool same_text(const char* a, const char* b, size_t size) {
    if (size >= 8) {
        if (load<uint64_t>(a) != load<uint64_t>(b)) return false;
        if (size <= 16) return load<uint64_t>(a + size - 8) == load<uint64_t>(b + size - 8);
        return std::memcmp(a + 8, b + 8, size - 8) == 0;
    }
    if (size >= 4) {
        return load<uint32_t>(a) == load<uint32_t>(b) &&
               load<uint32_t>(a + size - 4) == load<uint32_t>(b + size - 4);
    }
    for (size_t i = 0; i < size; ++i) {
        if (a[i] != b[i]) return false;
    }
    return true;
}

inline bool same_text(std::string_view a, std::string_view b) {
    return a.size() == b.size() && same_text(a.data(), b.data(), a.size());
}

__extension__ typedef unsigned __int128 uint128;

inline uint64_t multiply_fold(uint64_t a, uint64_t b) {
    const uint128 product = uint128(a) * b;
    return uint64_t(product) ^ uint64_t(product >> 64);
}

inline uint32_t hash_id(const char* text, size_t size) {
    constexpr uint64_t first = 0x9E3779B97F4A7C15u, second = 0xD1B54A32D192ED03u;
    uint64_t a = 0, b = 0, seed = size;
    if (size >= 8) {
        for (; size > 16; text += 8, size -= 8) {
            seed = multiply_fold(seed ^ load<uint64_t>(text), second);
        }
        a = load<uint64_t>(text);
        b = load<uint64_t>(text + size - 8);
    } else if (size >= 4) {
        a = load<uint32_t>(text);
        b = load<uint32_t>(text + size - 4);
    } else {
        for (size_t i = 0; i < size; ++i) a = a << 8 | uint8_t(text[i]);
    }
    const uint64_t mixed = multiply_fold(a ^ first, b ^ second ^ seed * first);
    return uint32_t(mixed ^ mixed >> 32);
}

// The first place from `from` on, before `end`, that holds `wanted`; `end` if none does.
inline size_t find_equal(const uint32_t* numbers, size_t from, size_t end, uint32_t wanted) {
    constexpr size_t block = 32;  // compared without a branch, so that the compiler can use wide registers
    for (; from + block <= end; from += block) {
        uint32_t any = 0;
        for (size_t i = 0; i < block; ++i) any |= uint32_t(numbers[from + i] == wanted);
        if (any) break;
    }
    while (from < end && numbers[from] != wanted) ++from;
    return from;
}

// Calls task(i, worker) for every i < count. Which thread takes which i is left open, so a task may
// write only what belongs to i, or to its worker. Of several exceptions, that of the lowest i is thrown:
// all lower ones were taken before it, and are finished.
template <class Task>
void parallel_for(size_t count, unsigned threads, Task&& task) {
    if (threads < 1) threads = 1;
    if (threads > count) threads = unsigned(count);
    if (threads <= 1) {
        for (size_t i = 0; i < count; ++i) task(i, 0u);
        return;
    }
    std::atomic<size_t> next{0};
    std::exception_ptr failure;
    size_t failed = count;
    std::mutex failure_lock;
    auto work = [&](unsigned worker) {
        for (size_t i; (i = next.fetch_add(1)) < count;) {
            try {
                task(i, worker);
            } catch (...) {
                next.store(count);
                const std::lock_guard<std::mutex> lock(failure_lock);
                if (i < failed) {
                    failed = i;
                    failure = std::current_exception();
                }
                return;
            }
        }
    };
    std::vector<std::jthread> others;
    others.reserve(threads - 1);
    try {
        for (unsigned worker = 1; worker < threads; ++worker) others.emplace_back(work, worker);
    } catch (const std::system_error&) {
        // No more threads to be had: those that started and this one do the work.
    }
    work(0);
    others.clear();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace idealist
