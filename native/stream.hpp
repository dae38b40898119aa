// Run file × judgments → rankings while the file is read. Rows are not kept, so memory does not grow with
// the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "match.hpp"
#include "rows.hpp"

namespace idealist {

struct Streamed {
    std::shared_ptr<Rankings> rankings;
    size_t run_queries;
};

// Nothing when the rows must be seen together to tell: a bad line, a document that is there twice, or a
// query whose rows do not lie together. Whoever calls then reads the run as a whole.
std::optional<Streamed> match_file(int descriptor, uint64_t size,
                                   const std::shared_ptr<const Rows>& judgments, const MatchOptions& options,
                                   unsigned threads);

}  // namespace idealist
