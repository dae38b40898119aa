// Short texts: whether two are the same, the hash of one, and a hash among many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/compiler.hpp"

namespace idealist {

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

// What a hash starts from: whoever knows it can make texts that all have the same hash.
struct HashSecret {
    uint64_t first, second, third;
};
inline constexpr HashSecret known_secret{0x9E3779B97F4A7C15u, 0xD1B54A32D192ED03u, 0x8CB92BA72F3D8DD7u};
// Another one in every process, drawn when Python loads the core; so no hash_id is of use outside of it.
inline HashSecret process_secret = known_secret;

inline uint32_t hash_text(const char* text, size_t size, const HashSecret& secret) {
    uint64_t a = 0, b = 0, seed = size;
    if (size >= 8) {
        for (; size > 16; text += 8, size -= 8) {
            seed = multiply_fold(seed ^ load<uint64_t>(text) ^ secret.first, secret.third);
        }
        a = load<uint64_t>(text);
        b = load<uint64_t>(text + size - 8);
    } else if (size >= 4) {
        a = load<uint32_t>(text);
        b = load<uint32_t>(text + size - 4);
    } else {
        for (size_t i = 0; i < size; ++i) a = a << 8 | uint8_t(text[i]);
    }
    const uint64_t mixed = multiply_fold(a ^ secret.first, b ^ secret.second ^ seed * secret.third);
    return uint32_t(mixed ^ mixed >> 32);
}

// For tables of this process.
inline uint32_t hash_id(const char* text, size_t size) { return hash_text(text, size, process_secret); }

// For what must come out alike in all processes.
inline uint32_t lasting_hash(const char* text, size_t size) { return hash_text(text, size, known_secret); }

// The first place from `from` on, before `end`, that holds `number`; `end` if none does.
inline size_t find_equal(const uint32_t* numbers, size_t from, size_t end, uint32_t number) {
    constexpr size_t block = 32;  // compared without a branch, so that the compiler can use wide registers
    for (; from + block <= end; from += block) {
        uint32_t any = 0;
        for (size_t i = 0; i < block; ++i) any |= uint32_t(numbers[from + i] == number);
        if (any) break;
    }
    while (from < end && numbers[from] != number) ++from;
    return from;
}

}  // namespace idealist
