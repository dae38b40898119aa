// The cells of a column that another library holds.
#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "base/compiler.hpp"
#include "base/ids.hpp"
#include "base/number_text.hpp"
#include "read/arrow_input.hpp"
#include "read/arrow_types.hpp"

namespace idealist {

inline size_t width_of(ArrowKind kind) {
    switch (kind) {
        case ArrowKind::int8:
        case ArrowKind::uint8:
            return 1;
        case ArrowKind::int16:
        case ArrowKind::uint16:
        case ArrowKind::half:
            return 2;
        case ArrowKind::int32:
        case ArrowKind::uint32:
        case ArrowKind::single:
            return 4;
        default:
            return 8;
    }
}

inline double from_half(uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
    if (exponent == 31) {
        size = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    }
    return bits >> 15 ? -size : size;
}

// A whole number of 128 bits, two's complement.
struct Whole128 {
    uint64_t low, high;
};

inline Whole128 whole_128(int64_t number) { return {uint64_t(number), number < 0 ? ~uint64_t(0) : 0}; }

inline double from_decimal(Whole128 digits, int scale) {
    constexpr uint64_t exact = uint64_t(1) << 53;
    static constexpr double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const bool negative = digits.high >> 63;
    if (negative) digits = {0 - digits.low, ~digits.high + (digits.low == 0)};
    if (digits.high == 0 && digits.low <= exact && scale >= 0 && scale <= 22) {
        const double size = double(digits.low) / tens[scale];
        return negative ? -size : size;
    }
    // Rounded once, as text is read.
    uint32_t left[] = {uint32_t(digits.high >> 32), uint32_t(digits.high), uint32_t(digits.low >> 32),
                       uint32_t(digits.low)};
    char text[64];
    char* at = text + 44;
    auto [end, error] = std::to_chars(at, text + sizeof text, -scale);
    (void)error;
    *--at = 'e';
    bool more;
    do {
        uint64_t rest = 0;
        more = false;
        for (uint32_t& part : left) {
            const uint64_t divided = rest << 32 | part;
            part = uint32_t(divided / 10);
            rest = divided % 10;
            more = more || part != 0;
        }
        *--at = char('0' + rest);
    } while (more);
    if (negative) *--at = '-';
    double value = 0;
    parse_number(at, end, value);
    return value;
}

// One column within a batch. Rows are counted from the batch's first.
class Cells {
  public:
    Cells(const ArrowArray& batch, const ArrowArray& column, const ArrowType& type)
        : type_(type), first_(size_t(batch.offset + column.offset)) {
        set_validity(batch, column);
        if (type.dictionary) {
            if (!column.dictionary) throw ArrowFailed("a dictionary column has no dictionary");
            indices_ = buffer(column, 1);
            entries_ = column.dictionary;
            entries_begin_ = size_t(entries_->offset);
            entry_valid_ =
                entries_->null_count == 0 ? nullptr : static_cast<const uint8_t*>(entries_->buffers[0]);
            set_values(*entries_);
        } else {
            set_values(column);
        }
    }

    bool valid(size_t row) const {
        if (type_.kind == ArrowKind::nothing) return false;
        if (validity_ && !bit(validity_, first_ + row)) return false;
        if (batch_validity_ && !bit(batch_validity_, batch_first_ + row)) return false;
        if (!type_.dictionary) return true;
        const size_t entry = entry_of(row);
        return !entry_valid_ || bit(entry_valid_, entry);
    }

    // Whether two rows hold the same, told without looking at any text where that can be.
    bool surely_same(size_t a, size_t b) const {
        if (type_.dictionary) return index(a) == index(b);
        if (is_text(type_.kind)) return false;
        const size_t width = width_of(type_.kind);
        return std::memcmp(values_ + (first_ + a) * width, values_ + (first_ + b) * width, width) == 0;
    }

    // An id as text; a number is written into `scratch`, of 24 bytes or more.
    std::string_view id(size_t row, char* scratch) const { return id_of(key(row), scratch); }

    // What stands for a cell's id: a whole number itself, else where its text is.
    uint64_t key(size_t row) const {
        if (type_.dictionary) return entry_of(row);
        if (is_text(type_.kind)) return first_ + row;
        return uint64_t(whole(values_, type_.kind, first_ + row));
    }
    std::string_view id_of(uint64_t key, char* scratch) const {
        const size_t at = size_t(key);
        switch (type_.kind) {
            case ArrowKind::text:
                return text_at<int32_t>(at);
            case ArrowKind::large_text:
                return text_at<int64_t>(at);
            case ArrowKind::text_view:
                return view_at(at);
            case ArrowKind::uint64:
                return written(type_.dictionary ? load<uint64_t>(values_ + at * 8) : key, scratch);
            default:
                return written(type_.dictionary ? whole(values_, type_.kind, at) : int64_t(key), scratch);
        }
    }

    // Asks for the text of an id before it is needed.
    void prefetch(uint64_t key) const {
        if (type_.kind == ArrowKind::text) prefetch_from(values_ + key * 4);
        if (type_.kind == ArrowKind::large_text) prefetch_from(values_ + key * 8);
        if (type_.kind == ArrowKind::text_view) prefetch_from(values_ + key * 16);
    }

    double number(size_t row) const {
        const size_t at = first_ + row;
        switch (type_.kind) {
            case ArrowKind::real:
                return load<double>(values_ + at * 8);
            case ArrowKind::single:
                return load<float>(values_ + at * 4);
            case ArrowKind::half:
                return from_half(load<uint16_t>(values_ + at * 2));
            case ArrowKind::boolean:
                return bit(reinterpret_cast<const uint8_t*>(values_), at) ? 1.0 : 0.0;
            case ArrowKind::uint64:
                return double(load<uint64_t>(values_ + at * 8));
            case ArrowKind::decimal:
                return from_decimal(digits(at), type_.scale);
            default:
                return double(whole(values_, type_.kind, at));
        }
    }

    // Whether a double holds a whole number as it is: it would tie with its neighbours otherwise.
    bool exact(size_t row) const {
        if (type_.kind == ArrowKind::uint64) {
            const uint64_t value = load<uint64_t>(values_ + (first_ + row) * 8);
            return value <= exact_up_to || round_trips(value);
        }
        if (type_.kind != ArrowKind::int64) return true;
        const int64_t value = load<int64_t>(values_ + (first_ + row) * 8);
        const uint64_t size = value < 0 ? 0 - uint64_t(value) : uint64_t(value);
        return size <= exact_up_to || round_trips(size);
    }
    std::string whole_text(size_t row) const {
        const char* at = values_ + (first_ + row) * 8;
        return type_.kind == ArrowKind::uint64 ? std::to_string(load<uint64_t>(at))
                                               : std::to_string(load<int64_t>(at));
    }

  private:
    static constexpr uint64_t exact_up_to = uint64_t(1) << 53;
    // A double has 53 binary digits: what is below them must be zeros.
    static bool round_trips(uint64_t size) { return std::bit_width(size) - std::countr_zero(size) <= 53; }
    static bool bit(const uint8_t* bits, size_t at) { return bits[at / 8] >> (at % 8) & 1; }

    static const char* buffer(const ArrowArray& array, int64_t number) {
        if (array.n_buffers <= number) throw ArrowFailed("a buffer of a column is missing");
        return static_cast<const char*>(array.buffers[number]);
    }

    static std::string_view written(auto value, char* scratch) {
        return {scratch, size_t(std::to_chars(scratch, scratch + 24, value).ptr - scratch)};
    }

    void set_validity(const ArrowArray& batch, const ArrowArray& column) {
        if (column.null_count != 0 && type_.kind != ArrowKind::nothing) {
            validity_ = reinterpret_cast<const uint8_t*>(buffer(column, 0));
        }
        if (batch.null_count != 0 && batch.n_buffers > 0) {
            batch_validity_ = static_cast<const uint8_t*>(batch.buffers[0]);
            batch_first_ = size_t(batch.offset);
        }
    }

    void set_values(const ArrowArray& array) {
        if (type_.kind == ArrowKind::nothing) return;
        values_ = buffer(array, 1);
        if (type_.kind == ArrowKind::text || type_.kind == ArrowKind::large_text) text_ = buffer(array, 2);
        if (type_.kind == ArrowKind::text_view) {
            // Behind the views stand the texts, and last the texts' sizes.
            texts_ = reinterpret_cast<const char* const*>(array.buffers + 2);
            text_count_ = array.n_buffers - 3;
        }
    }

    int64_t index(size_t row) const { return whole(indices_, type_.index, first_ + row); }
    size_t entry_of(size_t row) const {
        const int64_t at = index(row);
        if (at < 0 || at >= entries_->length) throw ArrowFailed("an index lies outside its dictionary");
        return entries_begin_ + size_t(at);
    }

    static int64_t whole(const char* values, ArrowKind kind, size_t at) {
        switch (kind) {
            case ArrowKind::int8:
                return load<int8_t>(values + at);
            case ArrowKind::int16:
                return load<int16_t>(values + at * 2);
            case ArrowKind::int32:
                return load<int32_t>(values + at * 4);
            case ArrowKind::uint8:
                return load<uint8_t>(values + at);
            case ArrowKind::uint16:
                return load<uint16_t>(values + at * 2);
            case ArrowKind::uint32:
                return load<uint32_t>(values + at * 4);
            default:
                return load<int64_t>(values + at * 8);
        }
    }

    template <class Offset>
    std::string_view text_at(size_t at) const {
        const auto begin = load<Offset>(values_ + at * sizeof(Offset));
        const auto end = load<Offset>(values_ + (at + 1) * sizeof(Offset));
        if (begin < 0 || end < begin) throw ArrowFailed("the offsets of a text column decrease");
        return {text_ + begin, size_t(end - begin)};
    }

    // Sixteen bytes: the size, then the text itself if it is short, else where it is.
    std::string_view view_at(size_t at) const {
        const char* view = values_ + at * 16;
        const int32_t size = load<int32_t>(view);
        if (size < 0) throw ArrowFailed("a text has a negative size");
        if (size <= 12) return {view + 4, size_t(size)};
        const int32_t number = load<int32_t>(view + 8), offset = load<int32_t>(view + 12);
        if (number < 0 || number >= text_count_ || offset < 0)
            throw ArrowFailed("a text lies outside the buffers of its column");
        return {texts_[number] + offset, size_t(size)};
    }

    Whole128 digits(size_t at) const {
        if (type_.bytes == 4) return whole_128(load<int32_t>(values_ + at * 4));
        if (type_.bytes == 8) return whole_128(load<int64_t>(values_ + at * 8));
        constexpr size_t low = std::endian::native == std::endian::little ? 0 : 8;
        const char* both = values_ + at * 16;
        return {load<uint64_t>(both + low), load<uint64_t>(both + (8 - low))};
    }

    ArrowType type_;
    size_t first_, batch_first_ = 0, entries_begin_ = 0;
    const uint8_t *validity_ = nullptr, *batch_validity_ = nullptr, *entry_valid_ = nullptr;
    const char *values_ = nullptr, *text_ = nullptr, *indices_ = nullptr;
    const char* const* texts_ = nullptr;
    int64_t text_count_ = 0;
    const ArrowArray* entries_ = nullptr;
};

}  // namespace idealist
