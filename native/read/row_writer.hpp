// Rows of text to a builder, quickly: the text's size says how much room they can need.
#pragma once

#include <string_view>

#include "base/ids.hpp"
#include "base/segments.hpp"

namespace idealist {

class RowWriter {
  public:
    RowWriter(SegmentBuilder& out, size_t text_size, size_t most_rows)
        : out_(out), size_(out.id_text.size()) {
        out.reserve_more(most_rows, text_size + 16);
        text_ = out.id_text.data();
    }
    RowWriter(const RowWriter&) = delete;
    RowWriter& operator=(const RowWriter&) = delete;
    ~RowWriter() { out_.id_text.resize_uninitialised(size_); }

    void set_query(std::string_view query) {
        if (out_.groups.empty() || !same_text(out_.last_query(), query)) out_.begin_group(query);
    }
    // Sixteen bytes from the id's first can be read: copying them beats copying seven.
    void add(std::string_view id, double value) {
        if (id.size() <= 16) {
            std::memcpy(text_ + size_, id.data(), 16);
        } else {
            std::memcpy(text_ + size_, id.data(), id.size());
        }
        add_written(id.size(), value);
    }
    // Where an id can be written that is no longer than the text it comes from.
    char* room() { return text_ + size_; }
    void add_written(size_t size, double value) {
        out_.id_hash.push_unchecked(hash_id(text_ + size_, size));
        size_ += size;
        out_.id_end.push_unchecked(uint32_t(size_));
        out_.value.push_unchecked(value);
    }

  private:
    SegmentBuilder& out_;
    char* text_;
    size_t size_;
};

}  // namespace idealist
