#include "read/partition.hpp"

#include <algorithm>

#include "base/columns.hpp"
#include "base/ids.hpp"
#include "base/segments.hpp"
#include "base/system.hpp"

namespace idealist {

namespace {

constexpr size_t block_size = size_t(1) << 19;  // what a part collects before it is written

// In front of every block: how many of each there are.
struct Header {
    uint64_t rows, id_text, query_text, groups;
};

size_t size_of(const SegmentBuilder& rows) {
    return rows.id_text.size() + rows.query_text.size() + rows.groups.size() * sizeof(Segment::Group) +
           rows.value.size() * (sizeof(double) + 2 * sizeof(uint32_t));
}

template <class T>
void write_column(int descriptor, std::span<const T> column) {
    write_all(descriptor, column.data(), column.size_bytes());
}

// Goes through a file from its beginning.
class BlockReader {
  public:
    explicit BlockReader(int descriptor) : descriptor_(descriptor) {}
    bool read(void* to, size_t size) {
        const size_t got = read_at(descriptor_, to, size, offset_);
        offset_ += got;
        if (got != 0 && got != size) throw FileChanged{};
        return got == size;
    }
    template <class T>
    void read(Column<T>& column, size_t count) {
        column.resize_uninitialised(count);
        if (!read(column.data(), count * sizeof(T)) && count != 0) throw FileChanged{};
    }

  private:
    int descriptor_;
    uint64_t offset_ = 0;
};

}  // namespace

Partitions::Partitions(std::vector<int> descriptors, unsigned threads)
    : descriptors_(std::move(descriptors)), threads_(threads), parts_(descriptors_.size()) {
    if (descriptors_.empty()) throw std::invalid_argument("at least one part is needed");
}

void Partitions::add(Window& window) {
    Gathering gathering(threads_);
    gathering.add(window);
    rows_ += gathering.rows();
    const Segments segments = gathering.finish();
    for (const Segment& segment : segments.list) {
        if (segment.problem && !problem_) {
            problem_ = segment.problem;
            problem_->line += lines_;
        }
        lines_ += segment.lines;
        problems_ += segment.problems;
        for (size_t g = 0; !problem_ && g < segment.groups.size(); ++g) {
            const std::string_view query = segment.query(segment.groups[g]);
            const size_t part = lasting_hash(query.data(), query.size()) % parts_.size();
            parts_[part].begin_group(query);
            parts_[part].append(segment, segment.groups[g].begin, segment.group_end(g));
            if (size_of(parts_[part]) > block_size) write(part);
        }
    }
}

void Partitions::write(size_t part) {
    const Segment rows = parts_[part].view();
    const int to = descriptors_[part];
    const Header header{rows.rows(), rows.id_text.size(), rows.query_text.size(), rows.groups.size()};
    write_all(to, &header, sizeof header);
    write_column(to, rows.value);
    write_column(to, rows.groups);
    write_column(to, rows.id_end);
    write_column(to, rows.id_hash);
    write_column(to, rows.id_text);
    write_column(to, rows.query_text);
    parts_[part].clear();
}

void Partitions::finish() {
    for (size_t part = 0; part < parts_.size(); ++part) {
        if (!parts_[part].value.empty()) write(part);
    }
}

Segments read_part(int descriptor) {
    Segments segments;
    segments.arenas.emplace_back();
    BlockReader reader(descriptor);
    SegmentBuilder builder;
    for (Header header; reader.read(&header, sizeof header);) {
        reader.read(builder.value, header.rows);
        reader.read(builder.groups, header.groups);
        reader.read(builder.id_end, header.rows);
        reader.read(builder.id_hash, header.rows);
        reader.read(builder.id_text, header.id_text);
        reader.read(builder.query_text, header.query_text);
        builder.extra.lines = header.rows;
        segments.list.push_back(builder.store(segments.arenas.back()));
    }
    return segments;
}

}  // namespace idealist
