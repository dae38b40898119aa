// An array that grows without writing to the memory it reserves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "base/system.hpp"

namespace idealist {

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
        void* grown = std::realloc(data_, capacity * sizeof(T));
        if (!grown) throw std::bad_alloc();
        data_ = static_cast<T*>(grown);
        prefer_large_pages(grown, capacity * sizeof(T));
        capacity_ = capacity;
    }

    T* data_ = nullptr;
    size_t size_ = 0;
    size_t capacity_ = 0;
};

}  // namespace idealist
