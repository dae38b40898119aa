// The bytes that stand for rows whatever their order and wherever they came from: what a digest is made of.
#pragma once

#include <cstddef>
#include <string>

#include "base/rows.hpp"

namespace idealist {

// Appends queries from `query` on until there are `size` bytes or more; gives the first query that is not
// among them. Queries are in bytewise order, documents within a query too; a row is the query and the
// document, each after its size in four bytes, and the number in eight, all with the lowest byte first. A
// query without documents is its name and four bytes of 255.
size_t append_canonical(const Rows& rows, size_t query, size_t size, unsigned threads, std::string& out);

}  // namespace idealist
