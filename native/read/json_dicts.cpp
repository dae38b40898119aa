#include "read/json_dicts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number_text.hpp"
#include "base/problem.hpp"
#include "base/query_rows.hpp"
#include "base/segments.hpp"
#include "read/text_pieces.hpp"

namespace idealist {

namespace {

using Kind = Problem::Kind;

constexpr size_t shown = 80;  // how much of an id is kept for the message

}  // namespace

void JsonDicts::add(std::string_view block) {
    if (problem_) return;
    buffer_.append(block);
    read(false);
}

Segments JsonDicts::finish() {
    if (!problem_) read(true);
    if (!problem_ && state_ != State::start && state_ != State::done) {
        refuse(Kind::cut_short, place(buffer_.data()), {});
    }
    if (segments_.arenas.empty()) segments_.arenas.emplace_back();
    segments_.list.push_back(builder_.store(segments_.arenas.back()));
    if (problem_) {
        segments_.list.assign(1, {});
        segments_.list[0].problem = std::move(problem_);
        segments_.list[0].problems = 1;
    }
    return std::move(segments_);
}

void JsonDicts::read(bool last) {
    if (!started_) {
        if (buffer_.size() < 3 && !last) return;
        started_ = true;
        buffer_.erase(0, buffer_.size() - without_byte_order_mark(buffer_).size());
    }
    const size_t size = buffer_.size();
    buffer_.append(padding, '\0');  // which JSON has no use for
    const char* const end = buffer_.data() + size;
    JsonCursor cursor(buffer_.data());
    while (!problem_) {
        skip_space(cursor);
        if (cursor.at == end) break;
        const char* const begin = cursor.at;
        const uint64_t line = line_, line_begin = line_begin_;
        if (step(cursor) || problem_) continue;
        const size_t left = size_t(end - begin);
        if (!last && left < longest_entry) {  // perhaps the rest is still to come
            cursor.at = begin;
            line_ = line;
            line_begin_ = line_begin;
            break;
        }
        if (cursor.at >= end) {
            refuse(last ? Kind::cut_short : Kind::too_long, place(cursor.at), {});
        } else {
            refuse(*cursor.at == '\0' ? Kind::binary : cursor.problem, place(cursor.at),
                   failed_step(cursor, end));
        }
    }
    const size_t used = size_t(std::min(cursor.at, end) - buffer_.data());
    behind_ += used;
    buffer_.resize(size);
    buffer_.erase(0, used);
}

bool JsonDicts::step(JsonCursor& cursor) {
    switch (state_) {
        case State::start:
            if (!cursor.take('{', "{query: {document: number}}")) return false;
            state_ = State::first_query;
            return true;
        case State::first_query:
            if (*cursor.at != '}') return begin_query(cursor);
            ++cursor.at;
            state_ = State::done;
            return true;
        case State::query:
            return begin_query(cursor);
        case State::first_document:
            if (*cursor.at != '}') return add_document(cursor);
            ++cursor.at;
            return end_query();
        case State::document:
            return add_document(cursor);
        case State::after_query:
            if (*cursor.at == ',') {
                ++cursor.at;
                state_ = State::query;
                return true;
            }
            if (!cursor.take('}', ", or }")) return false;
            state_ = State::done;
            return true;
        case State::done:
            return cursor.fail("nothing more");
    }
    return false;
}

bool JsonDicts::begin_query(JsonCursor& cursor) {
    const Place where = place(cursor.at);
    JsonString name;
    if (!cursor.string(name)) return false;
    skip_space(cursor);
    if (!cursor.take(':', ":")) return false;
    skip_space(cursor);
    if (!cursor.take('{', "{document: number}")) return false;
    std::string_view text;
    if (!read_id(name, where, text)) return false;
    query_ = text;
    if (text.empty()) return refuse(Kind::empty, where, "query");
    if (!queries_.insert(query_).second) return refuse(Kind::repeated_query, where, text);
    builder_.begin_group(text);
    places_.clear();
    state_ = State::first_document;
    return true;
}

bool JsonDicts::add_document(JsonCursor& cursor) {
    const Place where = place(cursor.at);
    JsonString name;
    if (!cursor.string(name)) return false;
    skip_space(cursor);
    if (!cursor.take(':', ":")) return false;
    skip_space(cursor);
    const Place value_at = place(cursor.at);
    if (!cursor.begins_number()) return cursor.fail("a number");
    JsonNumber digits;
    if (!cursor.number(digits)) return false;
    skip_space(cursor);
    const bool closed = *cursor.at == '}';
    if (!closed && *cursor.at != ',') return cursor.fail(", or }");
    ++cursor.at;

    double number;
    if (!value_of(digits, number) || std::isnan(number)) {
        return refuse(Kind::not_a_number, value_at, digits.text());
    }
    if (finite_ && std::isinf(number)) return refuse(Kind::not_finite, value_at, digits.text());
    if (loses_digits(digits.text(), number)) return refuse(Kind::not_exact, value_at, digits.text());
    std::string_view text;
    if (!read_id(name, where, text)) return false;
    if (text.empty()) return refuse(Kind::empty, where, "document");
    if (builder_.id_text.size() + text.size() > most_text) return refuse(Kind::too_long, where, {});
    builder_.add(text, number);
    places_.push_back(where);
    state_ = State::document;
    return !closed || end_query();
}

// Documents that are there twice are looked for here, where their places are known.
bool JsonDicts::end_query() {
    state_ = State::after_query;
    const uint32_t end = uint32_t(builder_.value.size()), begin = end - uint32_t(places_.size());
    view_.assign(1, builder_.view());
    const Slice slice{0, begin, end};
    const QueryRows rows(view_, std::span(&slice, 1));
    size_t second = places_.size();
    duplicates_.search(rows, [&](size_t, size_t later) { second = std::min(second, later); });
    if (second < places_.size()) return refuse(Kind::repeated, places_[second], rows.id(second));
    if (builder_.full()) {
        if (segments_.arenas.empty()) segments_.arenas.emplace_back();
        segments_.list.push_back(builder_.store(segments_.arenas.back()));
    }
    return true;
}

bool JsonDicts::read_id(const JsonString& string, Place where, std::string_view& text) {
    text = string.raw();
    if (!string.escaped) return true;
    scratch_.resize(text.size());
    size_t size = 0;
    if (!write_unescaped(string, scratch_.data(), size)) return refuse(Kind::no_text, where, text);
    text = {scratch_.data(), size};
    return true;
}

void JsonDicts::skip_space(JsonCursor& cursor) {
    for (;; ++cursor.at) {
        cursor.skip_blanks();
        if (*cursor.at != '\n') return;
        ++line_;
        line_begin_ = behind_ + uint64_t(cursor.at - buffer_.data()) + 1;
    }
}

JsonDicts::Place JsonDicts::place(const char* at) const {
    return {line_, behind_ + uint64_t(at - buffer_.data()) - line_begin_ + 1};
}

bool JsonDicts::refuse(Kind kind, Place where, std::string_view text) {
    constexpr uint64_t most = std::numeric_limits<uint32_t>::max();
    problem_ =
        Problem{kind, where.line, uint32_t(std::min(where.column, most)), std::string(text.substr(0, shown))};
    return false;
}

}  // namespace idealist
