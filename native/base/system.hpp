// What the core asks of the operating system. system.cpp is the one file with branches for POSIX and Windows.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace idealist {

// The system refused to read or write; `code` is an errno.
struct SystemRefused {
    int code;
};

// Reads `size` bytes at `offset` of an open file, fewer only where it ends, and says how many.
size_t read_at(int descriptor, void* to, size_t size, uint64_t offset);

// Writes `size` bytes where the file stands.
void write_all(int descriptor, const void* from, size_t size);

// An open file under a descriptor of its own, whoever closes the one it was made from. Raises SystemRefused.
class OwnFile {
  public:
    explicit OwnFile(int descriptor);
    OwnFile(const OwnFile&) = delete;
    OwnFile& operator=(const OwnFile&) = delete;
    ~OwnFile();
    int descriptor() const { return descriptor_; }

  private:
    int descriptor_;
};

// Memory in whole pages, all zero, that takes none before it is written to. Raises std::bad_alloc.
class Pages {
  public:
    explicit Pages(size_t size);
    Pages(Pages&& other) noexcept : begin_(std::exchange(other.begin_, nullptr)), size_(other.size_) {}
    Pages& operator=(Pages&&) = delete;
    ~Pages();
    char* begin() const { return static_cast<char*>(begin_); }
    size_t size() const { return size_; }

  private:
    void* begin_;
    size_t size_;
};

// Faults on small pages cost as much as filling them; large blocks ask for large ones, where there are such.
void prefer_large_pages(void* begin, size_t size);

// std::from_chars of a number without a sign, which macOS's library has for whole numbers alone.
std::from_chars_result read_decimal(const char* begin, const char* end, double& number);

}  // namespace idealist
