#include "read/windows.hpp"

#include <algorithm>

#include "base/arena.hpp"
#include "base/parallel.hpp"
#include "base/segments.hpp"

namespace idealist {

namespace {

constexpr size_t text_piece = size_t(1) << 18;

bool is_blank(std::string_view text) {
    return without_byte_order_mark(text).find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// A line without end: it is counted, and what is wrong with it is said.
class LongLine : public Window {
  public:
    size_t pieces() const override { return 1; }
    void parse(size_t, unsigned, SegmentBuilder& out) override { note_long_line(out.extra); }
};

}  // namespace

FileWindow::FileWindow(int descriptor, uint64_t size, LineParserPtr parser, size_t begin, size_t end)
    : file_(descriptor),
      size_(size),
      parser_(std::move(parser)),
      begin_(std::min(begin, piece_count(size))),
      end_(std::clamp(end, begin_, piece_count(size))) {}

void FileWindow::parse(size_t piece, unsigned worker, SegmentBuilder& out) {
    auto& reader = readers_[worker];
    if (!reader) reader = std::make_unique<PieceReader>(file_.descriptor(), size_, parser_);
    reader->parse(begin_ + piece, out);
}

TextWindow::TextWindow(std::string text, bool first, LineParserPtr parser)
    : text_(std::move(text)), first_(first), parser_(std::move(parser)) {
    const size_t size = text_.size();
    text_.append(LineParser::padding, ' ');
    for (size_t at = 0; at < size;) {
        begins_.push_back(at);
        const size_t newline = text_.find('\n', std::min(at + text_piece, size - 1));
        at = newline == std::string::npos ? size : newline + 1;
    }
    begins_.push_back(size);
}

void TextWindow::parse(size_t piece, unsigned, SegmentBuilder& out) {
    const std::string_view text(text_.data() + begins_[piece], begins_[piece + 1] - begins_[piece]);
    parser_->parse(text, first_ && piece == 0, out);
}

WindowPtr TextCutter::cut(std::string_view block) {
    const size_t newline = block.rfind('\n');
    if (newline == std::string_view::npos) {
        carried_.append(block);
        if (carried_.size() <= longest_line) return nullptr;
        carried_.clear();
        started_ = true;
        return std::make_shared<LongLine>();
    }
    std::string text = std::move(carried_);
    text.append(block.substr(0, newline + 1));
    carried_.assign(block.substr(newline + 1));
    if (!started_ && is_blank(text) && text.size() < longest_line) {  // what comes is still the first line
        carried_.insert(0, text);
        return nullptr;
    }
    return std::make_shared<TextWindow>(std::move(text), !std::exchange(started_, true), parser_);
}

WindowPtr TextCutter::finish() {
    if (carried_.empty()) return nullptr;
    const bool first = !std::exchange(started_, true);
    return std::make_shared<TextWindow>(std::exchange(carried_, {}) + '\n', first, parser_);
}

void Gathering::add(Window& window) {
    const unsigned count = std::max(1u, threads_);
    if (segments_.arenas.empty()) segments_.arenas = std::vector<Arena>(count);
    const size_t first = segments_.list.size();
    segments_.list.resize(first + window.pieces());
    window.prepare(count);
    std::vector<SegmentBuilder> builders(count);
    parallel_for(window.pieces(), count, [&](size_t piece, unsigned worker) {
        window.parse(piece, worker, builders[worker]);
        segments_.list[first + piece] = builders[worker].store(segments_.arenas[worker]);
    });
    for (size_t at = first; at < segments_.list.size(); ++at) rows_ += segments_.list[at].rows();
}

}  // namespace idealist
