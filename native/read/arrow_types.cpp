#include "read/arrow_types.hpp"

#include <charconv>
#include <string_view>
#include <utility>

namespace idealist {

namespace {

ArrowKind kind_of(std::string_view format) {
    static constexpr std::pair<std::string_view, ArrowKind> kinds[] = {
        {"u", ArrowKind::text},       {"z", ArrowKind::text},       {"U", ArrowKind::large_text},
        {"Z", ArrowKind::large_text}, {"vu", ArrowKind::text_view}, {"vz", ArrowKind::text_view},
        {"c", ArrowKind::int8},       {"s", ArrowKind::int16},      {"i", ArrowKind::int32},
        {"l", ArrowKind::int64},      {"C", ArrowKind::uint8},      {"S", ArrowKind::uint16},
        {"I", ArrowKind::uint32},     {"L", ArrowKind::uint64},     {"e", ArrowKind::half},
        {"f", ArrowKind::single},     {"g", ArrowKind::real},       {"b", ArrowKind::boolean},
        {"n", ArrowKind::nothing},
    };
    for (const auto& [text, kind] : kinds) {
        if (text == format) return kind;
    }
    return format.starts_with("d:") ? ArrowKind::decimal : ArrowKind::other;
}

// "d:precision,scale" or "d:precision,scale,bits"
void read_decimal(std::string_view format, ArrowType& type) {
    int parts[3] = {0, 0, 128}, count = 0;
    const char *at = format.data() + 2, *end = format.data() + format.size();
    while (at < end && count < 3) {
        const auto [next, error] = std::from_chars(at, end, parts[count++]);
        if (error != std::errc()) break;
        at = next + 1;
    }
    type.scale = parts[1];
    type.bytes = parts[2] / 8;
    if (type.bytes != 4 && type.bytes != 8 && type.bytes != 16) type.kind = ArrowKind::other;
}

}  // namespace

bool ArrowType::is_id() const {
    return is_text(kind) || is_whole(kind) || (kind == ArrowKind::nothing && !dictionary);
}

bool ArrowType::is_number() const { return !dictionary && !is_text(kind) && kind != ArrowKind::other; }

ArrowType type_of(const ArrowSchema& schema) {
    ArrowType type;
    const ArrowSchema& values = schema.dictionary ? *schema.dictionary : schema;
    type.dictionary = schema.dictionary != nullptr;
    if (type.dictionary) {
        type.index = kind_of(schema.format);
        if (!is_whole(type.index) || values.dictionary) return type;
    }
    type.kind = kind_of(values.format);
    if (type.kind == ArrowKind::decimal) read_decimal(values.format, type);
    return type;
}

}  // namespace idealist
