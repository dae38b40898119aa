// A stretch of a source of rows, cut into pieces that can be read in any order, on all cores. Whoever reads a
// source reads one window after the other; so memory is bounded, progress can be shown, and work can be
// stopped.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/segments.hpp"
#include "base/system.hpp"
#include "read/text_pieces.hpp"

namespace idealist {

class Window {
  public:
    virtual ~Window() = default;
    virtual size_t pieces() const = 0;
    // Adds the rows of a piece. A worker reads one piece at a time.
    virtual void parse(size_t piece, unsigned worker, SegmentBuilder& out) = 0;
    // Called before any piece is read, with the number of workers.
    virtual void prepare([[maybe_unused]] unsigned workers) {}
};

using WindowPtr = std::shared_ptr<Window>;

// Pieces [begin, end) of a regular file of text.
class FileWindow : public Window {
  public:
    FileWindow(int descriptor, uint64_t size, LineParserPtr parser, size_t begin, size_t end);
    size_t pieces() const override { return end_ - begin_; }
    void prepare(unsigned workers) override { readers_.resize(workers); }
    void parse(size_t piece, unsigned worker, SegmentBuilder& out) override;

  private:
    OwnFile file_;
    uint64_t size_;
    LineParserPtr parser_;
    size_t begin_, end_;
    std::vector<std::unique_ptr<PieceReader>> readers_;
};

// Whole lines of text that is in memory.
class TextWindow : public Window {
  public:
    TextWindow(std::string text, bool first, LineParserPtr parser);
    size_t pieces() const override { return begins_.size() - 1; }
    void parse(size_t piece, unsigned worker, SegmentBuilder& out) override;

  private:
    std::string text_;  // with padding
    bool first_;
    LineParserPtr parser_;
    std::vector<size_t> begins_;
};

// Cuts text that comes in order, from pipes and compressed files, at line ends.
class TextCutter {
  public:
    explicit TextCutter(LineParserPtr parser) : parser_(std::move(parser)) {}
    // The lines that are whole now; nothing when none is. A line that is too long is whole, and wrong.
    WindowPtr cut(std::string_view block);
    // The last line, if it had no end.
    WindowPtr finish();

  private:
    LineParserPtr parser_;
    std::string carried_;
    bool started_ = false;
};

// The rows of windows, kept in the order they were given.
class Gathering {
  public:
    explicit Gathering(unsigned threads) : threads_(threads) {}
    Gathering(const Gathering&) = delete;
    Gathering& operator=(const Gathering&) = delete;
    void add(Window& window);
    Segments finish() { return std::move(segments_); }
    size_t rows() const { return rows_; }

  private:
    unsigned threads_;
    Segments segments_;
    size_t rows_ = 0;
};

// All rows of text that comes in order.
class Feed {
  public:
    explicit Feed(LineParserPtr parser) : cutter_(std::move(parser)), rows_(1) {}
    void add(std::string_view block) { add(cutter_.cut(block)); }
    Segments finish() {
        add(cutter_.finish());
        return rows_.finish();
    }

  private:
    void add(const WindowPtr& window) {
        if (window) rows_.add(*window);
    }

    TextCutter cutter_;
    Gathering rows_;
};

}  // namespace idealist
