// The numbers in text: usual ones are read faster than by the standard library, the others by it.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/ids.hpp"
#include "base/system.hpp"

namespace idealist {

inline constexpr uint64_t powers_of_ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

// The value of a decimal number that read_decimal found too large or too small for a double:
// infinity or zero, as strtod would say, by the place of its first digit that is not zero.
inline double out_of_range(const char* at, const char* end) {
    int64_t place = 0;  // of the first non-zero digit, in powers of ten
    bool point = false, significant = false;
    for (; at != end && *at != 'e' && *at != 'E'; ++at) {
        if (*at == '.') {
            point = true;
            continue;
        }
        significant = significant || *at != '0';
        if (significant && !point) ++place;
        if (!significant && point) --place;
    }
    if (!significant) return 0.0;
    int64_t exponent = 0;
    if (at != end) {
        ++at;
        const bool negative = at != end && *at == '-';
        if (at != end && (*at == '-' || *at == '+')) ++at;
        for (; at != end; ++at) exponent = std::min<int64_t>(exponent * 10 + (*at - '0'), 100000000);
        if (negative) exponent = -exponent;
    }
    return place + exponent > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

inline bool parse_any_number(const char* begin, const char* end, double& number) {
    const bool negative = *begin == '-';
    if (*begin == '-' || *begin == '+') ++begin;
    if (begin == end || *begin == '-') return false;
    const auto [stop, error] = read_decimal(begin, end, number);
    if (error == std::errc::invalid_argument || stop != end) return false;
    if (error == std::errc::result_out_of_range) number = out_of_range(begin, end);
    if (negative) number = -number;
    return true;
}

// The number that the first `count` (at most eight) of eight characters spell; `digits` becomes false
// when one of them is none. Eight at a time: pairs, then fours, then all.
inline uint64_t eight_digits(uint64_t characters, size_t count, bool& digits) {
    constexpr uint64_t ones = 0x0101010101010101u;
    if (count == 0) return 0;
    uint64_t bytes = (characters ^ '0' * ones) << (64 - 8 * count);
    digits = digits && ((bytes | (bytes + 0x76 * ones)) & 0x80 * ones) == 0;
    bytes = bytes * 10 + (bytes >> 8);
    constexpr uint64_t pairs = 0x000000FF000000FFu;
    return ((bytes & pairs) * (100 + (uint64_t(1000000) << 32)) +
            (bytes >> 16 & pairs) * (1 + (uint64_t(10000) << 32))) >>
           32;
}

// Up to eight digits, a point and up to eight more: exact in one division when they fit 53 bits.
// Anything else goes to read_decimal. Reads up to eight bytes behind the end.
[[gnu::always_inline]] inline bool parse_number(const char* begin, const char* end, double& number) {
    if constexpr (std::endian::native != std::endian::little) return parse_any_number(begin, end, number);
    const bool negative = *begin == '-';
    const char* at = begin + negative;
    const uint64_t head = load<uint64_t>(at);
    constexpr uint64_t ones = 0x0101010101010101u;
    const uint64_t points = head ^ '.' * ones;
    const uint64_t found = (points - ones) & ~points & 0x80 * ones;
    const size_t size = size_t(end - at);
    const size_t whole = std::min(size, found ? size_t(std::countr_zero(found)) / 8 : 8);
    const size_t after = whole < size ? size - whole - 1 : 0;
    if ((whole < size && at[whole] != '.') || after > 8 || whole + after == 0) {
        return parse_any_number(begin, end, number);
    }
    const uint64_t tail = load<uint64_t>(at + whole + 1);
    bool digits = true;
    uint64_t value;
    if (whole + after <= 8) {  // all digits in one word, the point left out
        const uint64_t joined =
            whole < 8 ? (head & ((uint64_t(1) << 8 * whole) - 1)) | tail << 8 * whole : head;
        value = eight_digits(joined, whole + after, digits);
    } else {
        value = eight_digits(head, whole, digits) * powers_of_ten[after] + eight_digits(tail, after, digits);
    }
    if (!digits || value > uint64_t(1) << 53) return parse_any_number(begin, end, number);
    number = double(value) / double(powers_of_ten[after]);
    if (negative) number = -number;
    return true;
}

// Whether a whole number, written out, has more digits than its double: neighbours would become ties. Scores
// with a fraction or an exponent are taken for what a double printed.
inline bool loses_digits(std::string_view text, double number) {
    if (std::abs(number) < 0x1p53) [[likely]]
        return false;
    if (text.front() == '-' || text.front() == '+') text.remove_prefix(1);
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
    if (text.find_first_not_of("0123456789") != std::string_view::npos) return false;
    char exact[320];
    const auto [end, error] =
        std::to_chars(exact, exact + sizeof exact, std::abs(number), std::chars_format::fixed, 0);
    return error != std::errc() || text != std::string_view(exact, size_t(end - exact));
}

}  // namespace idealist
