// Sixty-four bytes of delimited text at a time: where fields may end, and what else is in them.
#pragma once

#include <cstdint>

#include "read/delimited.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace idealist {

struct BlockBits {
    uint64_t ends;  // where a field may end
    uint64_t quote;
    uint64_t zero;
    uint64_t high;  // bytes beyond ASCII
};

#if defined(__SSE2__)
template <Delimited::Between between>
BlockBits scan_block(const char* block, char delimiter) {
    BlockBits bits{0, 0, 0, 0};
    const __m128i tab = _mm_set1_epi8('\t'), four = _mm_set1_epi8(4);
    const __m128i wanted = _mm_set1_epi8(between == Delimited::Between::blanks ? ' ' : delimiter);
    for (int i = 0; i < 4; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * i));
        __m128i line_end;
        if constexpr (between == Delimited::Between::blanks) {
            const __m128i from_tab = _mm_sub_epi8(bytes, tab);  // tab, newline, \v, \f, \r become 0..4
            line_end = _mm_cmpeq_epi8(_mm_min_epu8(from_tab, four), from_tab);
        } else {
            line_end = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'));
        }
        auto mask = [&](__m128i found) { return uint64_t(uint32_t(_mm_movemask_epi8(found))) << (16 * i); };
        bits.ends |= mask(_mm_or_si128(_mm_cmpeq_epi8(bytes, wanted), line_end));
        bits.quote |= mask(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
        bits.zero |= mask(_mm_cmpeq_epi8(bytes, _mm_setzero_si128()));
        bits.high |= mask(bytes);
    }
    return bits;
}
#else
template <Delimited::Between between>
BlockBits scan_block(const char* block, char delimiter) {
    BlockBits bits{0, 0, 0, 0};
    for (int i = 0; i < 64; ++i) {
        const char byte = block[i];
        const bool blank = byte == ' ' || static_cast<unsigned char>(byte) - 9u <= 4u;
        bits.ends |=
            uint64_t(between == Delimited::Between::blanks ? blank : byte == delimiter || byte == '\n') << i;
        bits.quote |= uint64_t(byte == '"') << i;
        bits.zero |= uint64_t(byte == 0) << i;
        bits.high |= uint64_t(static_cast<unsigned char>(byte) >> 7) << i;
    }
    return bits;
}
#endif

}  // namespace idealist
