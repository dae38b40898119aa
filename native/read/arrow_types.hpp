// What columns that another library holds are made of.
#pragma once

#include <cstddef>
#include <stdexcept>

#include "base/arrow_abi.hpp"

namespace idealist {

// What the other library says when it cannot go on, or gives what the interface does not allow.
struct ArrowFailed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// What a column holds, as far as rows can be made of it.
enum class ArrowKind {
    text,        // 32-bit offsets
    large_text,  // 64-bit offsets
    text_view,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    half,
    single,
    real,
    boolean,
    decimal,
    nothing,  // all null
    other,
};

inline bool is_text(ArrowKind kind) { return kind <= ArrowKind::text_view; }
inline bool is_whole(ArrowKind kind) { return kind >= ArrowKind::int8 && kind <= ArrowKind::uint64; }

struct ArrowType {
    ArrowKind kind = ArrowKind::other;  // of the values, if there is a dictionary
    bool dictionary = false;
    ArrowKind index = ArrowKind::other;
    int scale = 0, bytes = 0;  // of a decimal

    bool is_id() const;
    bool is_number() const;
};

ArrowType type_of(const ArrowSchema& schema);

// Which columns are the query, the document and the number, and how the number is meant.
struct ArrowColumns {
    size_t query, document, number;
    bool negated = false;  // a rank: the smaller the better
    bool finite = false;
};

}  // namespace idealist
