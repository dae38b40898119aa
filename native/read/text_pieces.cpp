#include "read/text_pieces.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/problem.hpp"
#include "base/segments.hpp"
#include "base/system.hpp"

namespace idealist {

namespace {

constexpr size_t piece_size = size_t(1) << 19;
constexpr size_t shown = 80;  // how much of a bad line is kept for the message

}  // namespace

void note_problem(Segment& out, Problem::Kind kind, uint32_t columns, std::string_view text) {
    if (out.problems++ == 0) {
        out.problem = Problem{kind, out.lines, columns, std::string(text.substr(0, shown))};
    }
}

void note_long_line(Segment& segment) {
    ++segment.lines;
    note_problem(segment, Problem::Kind::too_long, 0, {});
}

size_t piece_count(uint64_t size) { return size_t((size + piece_size - 1) / piece_size); }

void PieceReader::parse(size_t piece, SegmentBuilder& out) {
    const uint64_t begin = piece * uint64_t(piece_size);
    const uint64_t limit = std::min(size_, begin + piece_size);
    base_ = piece == 0 ? 0 : begin - 1;
    filled_ = base_;
    fill_to(std::min(size_, limit + 4096));
    uint64_t from = begin;
    if (piece > 0) {
        const uint64_t before = newline_from(base_);
        if (before == none || before + 1 >= limit) return;
        from = before + 1;
    }
    uint64_t newline = newline_from(limit - 1);
    while (newline == none && filled_ < size_) {
        if (filled_ - limit > longest_line) return parse_to_long_line(from, out);
        const uint64_t searched = filled_;
        fill_to(std::min(size_, filled_ + piece_size));
        newline = newline_from(searched);
    }
    if (newline == none) {
        newline = size_;
        at(size_)[0] = '\n';  // the last line had none
    }
    const std::string_view text(at(from), newline + 1 - from);
    parser_->parse(text, piece == 0, out);
}

void PieceReader::parse_to_long_line(uint64_t from, SegmentBuilder& out) {
    const std::string_view text(at(from), size_t(filled_ - from));
    const size_t newline = text.rfind('\n');
    if (newline != std::string_view::npos) parser_->parse(text.substr(0, newline + 1), from == 0, out);
    note_long_line(out.extra);
}

void PieceReader::fill_to(uint64_t end) {
    const size_t wanted = size_t(end - base_) + 1 + LineParser::padding;
    buffer_.reserve(std::max(wanted, piece_size + 8192));
    const size_t missing = size_t(end - filled_);
    if (read_at(descriptor_, at(filled_), missing, filled_) < missing) throw FileChanged{};
    filled_ = end;
}

uint64_t PieceReader::newline_from(uint64_t offset) {
    if (offset >= filled_) return none;
    const void* found = std::memchr(at(offset), '\n', size_t(filled_ - offset));
    return found ? base_ + uint64_t(static_cast<const char*>(found) - buffer_.data()) : none;
}

}  // namespace idealist
