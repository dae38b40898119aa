#include "base/system.hpp"

#include <algorithm>
#include <cerrno>
#include <new>

#if defined(_WIN32)
#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <io.h>
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif
#if defined(__APPLE__)
#include <xlocale.h>

#include <cstdlib>
#include <string>
#endif

namespace idealist {

namespace {

constexpr size_t most_at_once = size_t(1) << 30;  // what one call of any system takes

#if defined(_WIN32)

int errno_of(DWORD error) {
    switch (error) {
        case ERROR_ACCESS_DENIED:
        case ERROR_LOCK_VIOLATION:
        case ERROR_SHARING_VIOLATION:
            return EACCES;
        case ERROR_INVALID_HANDLE:
            return EBADF;
        case ERROR_NOT_ENOUGH_MEMORY:
        case ERROR_NO_SYSTEM_RESOURCES:
            return ENOMEM;
        default:
            return EIO;
    }
}

// Each returns how many bytes it took care of: of reading, none at the end of the file.

size_t read_some(int descriptor, char* to, size_t size, uint64_t offset) {
    OVERLAPPED place{};
    place.Offset = DWORD(offset);
    place.OffsetHigh = DWORD(offset >> 32);
    DWORD got = 0;
    if (!::ReadFile(reinterpret_cast<HANDLE>(::_get_osfhandle(descriptor)), to, DWORD(size), &got, &place)) {
        const DWORD error = ::GetLastError();
        if (error == ERROR_HANDLE_EOF) return 0;
        throw SystemRefused{errno_of(error)};
    }
    return got;
}

size_t write_some(int descriptor, const char* from, size_t size) {
    const int written = ::_write(descriptor, from, unsigned(size));
    if (written < 0) throw SystemRefused{errno};
    return size_t(written);
}

#else

size_t read_some(int descriptor, char* to, size_t size, uint64_t offset) {
    for (;;) {
        const ssize_t got = ::pread(descriptor, to, size, off_t(offset));
        if (got >= 0) return size_t(got);
        if (errno != EINTR) throw SystemRefused{errno};
    }
}

size_t write_some(int descriptor, const char* from, size_t size) {
    for (;;) {
        const ssize_t written = ::write(descriptor, from, size);
        if (written >= 0) return size_t(written);
        if (errno != EINTR) throw SystemRefused{errno};
    }
}

#endif

}  // namespace

size_t read_at(int descriptor, void* to, size_t size, uint64_t offset) {
    char* const begin = static_cast<char*>(to);
    size_t done = 0;
    while (done < size) {
        const size_t got =
            read_some(descriptor, begin + done, std::min(size - done, most_at_once), offset + done);
        if (got == 0) break;
        done += got;
    }
    return done;
}

void write_all(int descriptor, const void* from, size_t size) {
    for (const char* at = static_cast<const char*>(from); size > 0;) {
        const size_t written = write_some(descriptor, at, std::min(size, most_at_once));
        at += written;
        size -= written;
    }
}

#if defined(_WIN32)

OwnFile::OwnFile(int descriptor) : descriptor_(::_dup(descriptor)) {
    if (descriptor_ < 0) throw SystemRefused{errno};
}

OwnFile::~OwnFile() { ::_close(descriptor_); }

Pages::Pages(size_t size)
    : begin_(::VirtualAlloc(nullptr, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE)), size_(size) {
    if (!begin_) throw std::bad_alloc();
}

Pages::~Pages() {
    if (begin_) ::VirtualFree(begin_, 0, MEM_RELEASE);
}

void prefer_large_pages(void*, size_t) {}

#else

// Closed where another program is started, as all that Python opens. A browser knows no other programs.
OwnFile::OwnFile(int descriptor) : descriptor_(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) {
    if (descriptor_ < 0 && errno == EINVAL) descriptor_ = ::dup(descriptor);
    if (descriptor_ < 0) throw SystemRefused{errno};
}

OwnFile::~OwnFile() { ::close(descriptor_); }

Pages::Pages(size_t size)
    : begin_(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)), size_(size) {
    if (begin_ == MAP_FAILED) throw std::bad_alloc();
    prefer_large_pages(begin_, size);
}

Pages::~Pages() {
    if (begin_) ::munmap(begin_, size_);
}

void prefer_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] size_t size) {
#if defined(MADV_HUGEPAGE)
    constexpr size_t page = 4096, worth_it = size_t(1) << 22;
    if (size < worth_it) return;
    const auto first = (reinterpret_cast<uintptr_t>(begin) + page - 1) & ~uintptr_t(page - 1);
    const auto end = (reinterpret_cast<uintptr_t>(begin) + size) & ~uintptr_t(page - 1);
    ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#endif
}

#endif

#if defined(__APPLE__)

std::from_chars_result read_decimal(const char* begin, const char* end, double& number) {
    // strtod takes blanks, signs and hexadecimal numbers too, and wants a zero behind the text.
    const bool hexadecimal = end - begin > 1 && begin[0] == '0' && (begin[1] | 32) == 'x';
    const bool begins = begin != end && (('0' <= *begin && *begin <= '9') || *begin == '.' ||
                                         ('a' <= (*begin | 32) && (*begin | 32) <= 'z'));
    if (!begins || hexadecimal) return {begin, std::errc::invalid_argument};
    const std::string text(begin, end);
    char* stop = nullptr;
    errno = 0;
    const double read = ::strtod_l(text.c_str(), &stop, LC_C_LOCALE);
    if (stop == text.c_str()) return {begin, std::errc::invalid_argument};
    const char* const behind = begin + (stop - text.c_str());
    // Numbers that are small beyond the normal ones are numbers.
    if (errno == ERANGE && (read == 0 || read > 1)) return {behind, std::errc::result_out_of_range};
    number = read;
    return {behind, std::errc()};
}

#else

std::from_chars_result read_decimal(const char* begin, const char* end, double& number) {
    return std::from_chars(begin, end, number);
}

#endif

}  // namespace idealist
