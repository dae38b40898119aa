// What compilers have different names for.
#pragma once

#include <cstdint>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace idealist {

// The 128 bits of a product, the lower 64 exclusive or the upper.
inline uint64_t multiply_fold(uint64_t a, uint64_t b) {
#if defined(_MSC_VER) && !defined(__clang__)
    return (a * b) ^ __umulh(a, b);
#else
    __extension__ typedef unsigned __int128 uint128;
    const uint128 product = uint128(a) * b;
    return uint64_t(product) ^ uint64_t(product >> 64);
#endif
}

// Asks for memory before it is needed.
inline void prefetch_from([[maybe_unused]] const void* place) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(place);
#elif defined(_M_X64)
    _mm_prefetch(static_cast<const char*>(place), _MM_HINT_T0);
#endif
}

}  // namespace idealist
