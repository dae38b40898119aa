// Columns that another library holds, by the Arrow C interface, to rows.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/arrow_abi.hpp"
#include "read/arrow_types.hpp"
#include "read/windows.hpp"

namespace idealist {

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
