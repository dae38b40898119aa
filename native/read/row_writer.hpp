// Rows of text to an empty builder, quickly: the text's size says how much room they can need.
#pragma once

#include <string_view>

#include "base/ids.hpp"
#include "base/segments.hpp"

namespace idealist {

class RowWriter {
  public:
    RowWriter(SegmentBuilder& out, size_t text_size, size_t most_rows) : out_(out) {
        out.id_text.reserve(text_size + 16);
        out.id_end.reserve(most_rows);
        out.id_hash.reserve(most_rows);
        out.value.reserve(most_rows);
        text_ = out.id_text.data();
    }
    RowWriter(const RowWriter&) = delete;
    RowWriter& operator=(const RowWriter&) = delete;
    ~RowWriter() { out_.id_text.resize_uninitialised(size_); }

    void set_query(std::string_view query) {
        if (!out_.groups.empty()) {
            const Segment::Group& last = out_.groups[out_.groups.size() - 1];
            if (same_text({out_.query_text.data() + last.query_begin, last.query_size}, query)) return;
        }
        out_.begin_group(query);
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
    size_t size_ = 0;
};

}  // namespace idealist
