// One JSON object, {query: {document: number}}, to rows as its bytes come.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/duplicates.hpp"
#include "base/problem.hpp"
#include "base/segments.hpp"
#include "read/json_scan.hpp"

namespace idealist {

class JsonDicts {
  public:
    explicit JsonDicts(bool finite) : finite_(finite) {}
    JsonDicts(const JsonDicts&) = delete;
    JsonDicts& operator=(const JsonDicts&) = delete;

    void add(std::string_view block);
    // The rows, no document of a query twice among them; or nothing but the first problem, whose `columns`
    // is the byte of the line.
    Segments finish();
    // The query that was read last.
    const std::string& query() const { return query_; }

  private:
    static constexpr size_t longest_entry = size_t(1) << 20;
    static constexpr size_t most_text = size_t(1) << 31;  // of one segment's documents
    static constexpr size_t padding = 64;

    enum class State { start, first_query, query, first_document, document, after_query, done };

    struct Place {
        uint64_t line, column;
    };

    void read(bool last);
    // Reads on by one query's name, one document or one closing brace. False when the bytes do not say that;
    // then either there is a problem, or the cursor knows what was expected.
    bool step(JsonCursor& cursor);
    bool begin_query(JsonCursor& cursor);
    bool add_document(JsonCursor& cursor);
    bool end_query();
    bool read_id(const JsonString& string, Place where, std::string_view& text);
    void skip_space(JsonCursor& cursor);
    Place place(const char* at) const;
    bool refuse(Problem::Kind kind, Place where, std::string_view text);

    bool finite_;
    State state_ = State::start;
    std::string buffer_;       // from the first byte that is not understood yet
    uint64_t behind_ = 0;      // bytes before the buffer
    uint64_t line_ = 1;        // the line that is read
    uint64_t line_begin_ = 0;  // its first byte
    bool started_ = false;
    SegmentBuilder builder_;
    Segments segments_;
    std::unordered_set<std::string> queries_;
    std::string query_;
    std::vector<Place> places_;  // of the current query's documents
    std::vector<Segment> view_;
    DuplicateFinder duplicates_;
    std::string scratch_;
    std::optional<Problem> problem_;
};

}  // namespace idealist
