// Whether bytes are UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/ids.hpp"

namespace idealist {

// The size of the UTF-8 character that begins at `at`; 0 when there is none.
inline size_t character_size(std::string_view text, size_t at) {
    const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned first = byte(at), second = byte(at + 1);
    if (first < 0x80) return 1;
    const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4) return 0;
    for (size_t i = 1; i < size; ++i) {
        if ((byte(at + i) & 0xC0) != 0x80) return 0;
    }
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool outside = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    return overlong || outside ? 0 : size;
}

inline bool is_utf8(std::string_view text) {
    constexpr uint64_t high = 0x8080808080808080u;
    for (size_t at = 0; at < text.size();) {
        if (at + 8 <= text.size() && (load<uint64_t>(text.data() + at) & high) == 0) {
            at += 8;
            continue;
        }
        const size_t size = character_size(text, at);
        if (size == 0) return false;
        at += size;
    }
    return true;
}

}  // namespace idealist
