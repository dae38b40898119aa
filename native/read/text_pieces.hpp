// Bytes of a text to rows, on all cores: the text is cut at line ends, whatever a line says.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/columns.hpp"
#include "base/problem.hpp"
#include "base/segments.hpp"

namespace idealist {

// Reads the lines of one kind of text.
class LineParser {
  public:
    // Readable bytes behind every text that is parsed.
    static constexpr size_t padding = 64;

    virtual ~LineParser() = default;
    // Adds the rows of whole lines. `first` when nothing stands before them in the text.
    virtual void parse(std::string_view text, bool first, SegmentBuilder& out) const = 0;
};

using LineParserPtr = std::shared_ptr<const LineParser>;

inline std::string_view without_byte_order_mark(std::string_view text) {
    return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

// Remembers what is wrong with the line that was counted last, if it is the first such line.
void note_problem(Segment& out, Problem::Kind kind, uint32_t columns, std::string_view text);

// What is longer is not taken for a line of text.
constexpr size_t longest_line = size_t(1) << 20;
// Counts such a line, and says so.
void note_long_line(Segment& segment);

// The file became shorter while it was read.
struct FileChanged : std::exception {
    const char* what() const noexcept override { return "the file changed while it was read"; }
};

// A file is read in pieces of a fixed size, whatever the number of threads.
size_t piece_count(uint64_t size);

// One worker's way through a regular file. The bytes are copied piece by piece, never mapped: another process
// that cuts the file short must not be able to crash this one.
class PieceReader {
  public:
    PieceReader(int descriptor, uint64_t size, LineParserPtr parser)
        : descriptor_(descriptor), size_(size), parser_(std::move(parser)) {}

    // Adds the rows of the lines that begin within a piece.
    void parse(size_t piece, SegmentBuilder& out);

  private:
    static constexpr uint64_t none = ~uint64_t(0);

    // What precedes a line without end is parsed, so that the line can be named by its number.
    void parse_to_long_line(uint64_t from, SegmentBuilder& out);
    char* at(uint64_t offset) { return buffer_.data() + (offset - base_); }
    void fill_to(uint64_t end);
    uint64_t newline_from(uint64_t offset);

    int descriptor_;
    uint64_t size_;
    LineParserPtr parser_;
    Column<char> buffer_;  // the file's bytes from base_ to filled_
    uint64_t base_ = 0, filled_ = 0;
};

}  // namespace idealist
