#include "read/json_scan.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/number_text.hpp"
#include "base/problem.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace idealist {

namespace {

// The first quote, backslash or control character.
const char* find_special(const char* at) {
#if defined(__SSE2__)
    for (;; at += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
        const __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                           _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
        const unsigned found = unsigned(_mm_movemask_epi8(_mm_or_si128(control, marks)));
        if (found != 0) return at + std::countr_zero(found);
    }
#else
    while (*at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20) ++at;
    return at;
#endif
}

int hex_digit(char byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    const char lower = char(byte | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Of four digits that were checked.
uint32_t code_unit(const char* digits) {
    uint32_t unit = 0;
    for (int i = 0; i < 4; ++i) unit = unit << 4 | uint32_t(hex_digit(digits[i]));
    return unit;
}

char* write_utf8(uint32_t code, char* to) {
    if (code < 0x80) {
        *to++ = char(code);
    } else if (code < 0x800) {
        *to++ = char(0xC0 | code >> 6);
        *to++ = char(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *to++ = char(0xE0 | code >> 12);
        *to++ = char(0x80 | (code >> 6 & 0x3F));
        *to++ = char(0x80 | (code & 0x3F));
    } else {
        *to++ = char(0xF0 | code >> 18);
        *to++ = char(0x80 | (code >> 12 & 0x3F));
        *to++ = char(0x80 | (code >> 6 & 0x3F));
        *to++ = char(0x80 | (code & 0x3F));
    }
    return to;
}

char escaped_character(char letter) {
    switch (letter) {
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        default:
            return letter;
    }
}

// `from` stands behind \u and moves behind what was read. Null when it is half a pair.
char* write_code(const char*& from, const char* end, char* to) {
    const uint32_t unit = code_unit(from);
    from += 4;
    if (unit < 0xD800 || unit > 0xDFFF) return write_utf8(unit, to);
    if (unit < 0xDC00 && end - from >= 6 && from[0] == '\\' && from[1] == 'u') {
        const uint32_t low = code_unit(from + 2);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            from += 6;
            return write_utf8(0x10000 + ((unit - 0xD800) << 10 | (low - 0xDC00)), to);
        }
    }
    if (unit < 0xDC80 || unit > 0xDCFF) return nullptr;
    *to = char(unit - 0xDC00);
    return to + 1;
}

}  // namespace

bool write_unescaped(const JsonString& string, char* to, size_t& size) {
    char* at = to;
    for (const char* from = string.begin; from < string.end;) {
        if (*from != '\\') {
            *at++ = *from++;
        } else if (from[1] != 'u') {
            *at++ = escaped_character(from[1]);
            from += 2;
        } else {
            from += 2;
            at = write_code(from, string.end, at);
            if (!at) return false;
        }
    }
    size = size_t(at - to);
    return true;
}

bool JsonCursor::escape() {
    ++at;  // the backslash
    if (*at == 'u') {
        for (int i = 0; i < 4; ++i) {
            ++at;
            if (hex_digit(*at) < 0) return fail("four hexadecimal digits");
        }
        ++at;
        return true;
    }
    if (*at == 0 || !std::strchr("\"\\/bfnrt", *at)) return fail("an escape such as \\n");
    ++at;
    return true;
}

bool JsonCursor::string(JsonString& found) {
    if (*at != '"') return fail("a string in double quotes");
    found = {++at, nullptr, false};
    for (;;) {
        at = find_special(at);
        if (*at == '"') break;
        if (*at != '\\') return fail("a double quote that ends the string");
        found.escaped = true;
        if (!escape()) return false;
    }
    found.end = at++;
    return true;
}

bool JsonCursor::digits() {
    if (*at < '0' || *at > '9') return fail("a digit");
    while (*at >= '0' && *at <= '9') ++at;
    return true;
}

bool JsonCursor::word(const char* text) {
    for (const char* letter = text; *letter; ++letter, ++at) {
        if (*at != *letter) return fail(text);
    }
    return true;
}

bool JsonCursor::number(JsonNumber& found) {
    found = {at, nullptr, true};
    if (*at == 'N') {
        found.whole = false;
        if (!word("NaN")) return false;
        found.end = at;
        return true;
    }
    if (*at == '-') ++at;
    if (*at == 'I') {
        found.whole = false;
        if (!word("Infinity")) return false;
        found.end = at;
        return true;
    }
    if (*at == '0') {
        ++at;
    } else if (!digits()) {
        return false;
    }
    if (*at == '.') {
        ++at;
        found.whole = false;
        if (!digits()) return false;
    }
    if (*at == 'e' || *at == 'E') {
        ++at;
        found.whole = false;
        if (*at == '+' || *at == '-') ++at;
        if (!digits()) return false;
    }
    found.end = at;
    return true;
}

bool JsonCursor::skip_value(unsigned depth) {
    JsonString text;
    JsonNumber digits_found;
    switch (*at) {
        case '"':
            return string(text);
        case '{':
            return skip_object(depth + 1);
        case '[':
            return skip_array(depth + 1);
        case 't':
            return word("true");
        case 'f':
            return word("false");
        case 'n':
            return word("null");
        default:
            return begins_number() ? number(digits_found) : fail("a value");
    }
}

bool JsonCursor::skip_object(unsigned depth) {
    if (depth > deepest) return fail("", Problem::Kind::too_deep);
    ++at;
    skip_blanks();
    if (*at == '}') return take('}', "}");
    JsonString name;
    for (;;) {
        if (!string(name)) return false;
        skip_blanks();
        if (!take(':', ":")) return false;
        skip_blanks();
        if (!skip_value(depth)) return false;
        skip_blanks();
        if (*at != ',') return take('}', ", or }");
        ++at;
        skip_blanks();
    }
}

bool JsonCursor::skip_array(unsigned depth) {
    if (depth > deepest) return fail("", Problem::Kind::too_deep);
    ++at;
    skip_blanks();
    if (*at == ']') return take(']', "]");
    for (;;) {
        if (!skip_value(depth)) return false;
        skip_blanks();
        if (*at != ',') return take(']', ", or ]");
        ++at;
        skip_blanks();
    }
}

std::string failed_step(const JsonCursor& cursor, const char* end) {
    constexpr ptrdiff_t most = 20;
    const char* stop = std::find_if(cursor.at, cursor.at + std::min(most, end - cursor.at),
                                    [](char byte) { return static_cast<unsigned char>(byte) < 0x20; });
    return std::string(cursor.expected) + '\n' + std::string(cursor.at, stop);
}

bool value_of(const JsonNumber& number, double& value) {
    if (*number.begin == 'N') {
        value = std::numeric_limits<double>::quiet_NaN();
        return true;
    }
    return parse_number(number.begin, number.end, value);
}

}  // namespace idealist
