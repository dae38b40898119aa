// Rows as a stream of Arrow batches with the columns query, document and a number.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/arrow_abi.hpp"
#include "base/rows.hpp"
#include "base/segments.hpp"

namespace idealist {

// Neighbouring rows of one query, wherever they are kept.
struct Stretch {
    std::string_view query;
    const Segment* segment;
    uint32_t begin, end;
};

// Rows in the order they are given out, together with whatever keeps them alive.
struct RowOrder {
    std::shared_ptr<const void> owner;
    std::vector<Stretch> stretches;
};

// Query by query.
RowOrder in_order(const std::shared_ptr<const Rows>& rows);
// As they were given.
RowOrder in_order(const std::shared_ptr<const Segments>& segments);

// A batch's column of text may have 2 GiB: its offsets have 32 bits, one for the sign.
inline constexpr size_t most_batch_text = (size_t(1) << 31) - 1;

// Fills `out` with a stream that gives them; `number` names the third column. No column of a batch has more
// than `most_text` bytes of text; an id that is longer ends the stream with an error.
void export_stream(RowOrder order, const std::string& number, ArrowArrayStream* out, size_t most_text);

}  // namespace idealist
