// Columns that another library holds, by the Arrow C interface, to rows.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "arrow_abi.hpp"
#include "windows.hpp"

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

class Batches;

// A stream of batches: tables, or any other source of the interface.
class ArrowReader {
  public:
    explicit ArrowReader(ArrowArrayStream* stream);
    const std::vector<std::string>& names() const { return names_; }
    // As the interface writes types; a dictionary's as "dictionary<index,values>".
    const std::vector<std::string>& formats() const { return formats_; }
    // Columns must be of types that fit; the caller has looked.
    void choose(const ArrowColumns& columns);
    // The next rows, at most so many; nothing at the end.
    WindowPtr next(size_t rows);
    // All that is left, query by query.
    WindowPtr regrouped(unsigned threads);
    // From now on, what was read is kept, and can be read again: many streams are given once only.
    void keep() { keeps_ = true; }
    void rewind();

  private:
    bool fetch();
    std::shared_ptr<Batches> pull(size_t rows);

    Owned<ArrowArrayStream> stream_;
    Owned<ArrowSchema> schema_;
    std::vector<std::string> names_, formats_;
    std::vector<ArrowType> types_;
    ArrowColumns columns_{};
    bool chosen_ = false, ended_ = false;
    std::shared_ptr<const Owned<ArrowArray>> batch_;  // the last one, and how many of its rows were taken
    size_t taken_ = 0;
    bool keeps_ = false;
    std::vector<std::shared_ptr<const Owned<ArrowArray>>> kept_;
    size_t kept_at_ = 0;  // how many of them were given again
};

}  // namespace idealist
