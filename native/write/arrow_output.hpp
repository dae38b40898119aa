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

// Fills `out` with a stream that gives them; `number` names the third column.
void export_stream(RowOrder order, const std::string& number, ArrowArrayStream* out);

}  // namespace idealist
