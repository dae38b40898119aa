#include "read/json_lines.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>

#include "base/ids.hpp"
#include "base/number_text.hpp"
#include "base/problem.hpp"
#include "base/segments.hpp"
#include "base/utf8.hpp"
#include "read/json_scan.hpp"
#include "read/row_writer.hpp"

namespace idealist {

namespace {

using Kind = Problem::Kind;

enum Role : uint32_t { query, document, number, roles };

// An id or number as it stands in the line.
struct Value {
    enum class Type { absent, string, whole, number, null, other } type = Type::absent;
    JsonString string;
    std::string_view text;  // of what is no string
};

class LineReader {
  public:
    LineReader(const JsonLines& format, std::string_view text, SegmentBuilder& out)
        // No object that has the three names is shorter than sixteen bytes.
        : format_(format), out_(out), rows_(out, text.size(), text.size() / 16 + 1) {}

    void read(const char* line, const char* newline) {
        ++out_.extra.lines;
        JsonCursor cursor(line);
        cursor.skip_blanks();
        if (cursor.at == newline) return out_.blanks.push_back(uint32_t(out_.value.size()));
        const std::string_view whole(line, size_t(newline - line));
        if (!is_utf8(whole)) return note_problem(out_.extra, Kind::not_utf8, 0, whole);
        if (!read_object(cursor)) return note_bad_json(cursor, line, newline);
        if (repeated_) return note_problem(out_.extra, Kind::repeated, 0, *repeated_);
        add_row();
    }

  private:
    bool read_object(JsonCursor& cursor) {
        for (Value& value : values_) value = {};
        others_.clear();
        kept_.clear();
        repeated_.reset();
        if (!cursor.take('{', "{")) return false;
        cursor.skip_blanks();
        if (*cursor.at == '}') {
            ++cursor.at;
        } else if (!read_members(cursor)) {
            return false;
        }
        cursor.skip_blanks();
        if (*cursor.at != '\n') return cursor.fail("the end of the line");
        if (others_.size() > 1) find_repeated();
        return true;
    }

    bool read_members(JsonCursor& cursor) {
        for (;;) {
            JsonString name;
            if (!cursor.string(name)) return false;
            cursor.skip_blanks();
            if (!cursor.take(':', ":")) return false;
            cursor.skip_blanks();
            if (!read_member(name, cursor)) return false;
            cursor.skip_blanks();
            if (*cursor.at != ',') return cursor.take('}', ", or }");
            ++cursor.at;
            cursor.skip_blanks();
        }
    }

    bool read_member(const JsonString& raw_name, JsonCursor& cursor) {
        const std::string_view name = raw_name.escaped ? kept(raw_name) : raw_name.raw();
        const uint32_t role = role_of(name);
        if (role == roles) {
            others_.push_back(name);
            return cursor.skip_value();
        }
        Value& value = values_[role];
        if (value.type != Value::Type::absent) repeated_ = name;
        return read_value(cursor, value);
    }

    uint32_t role_of(std::string_view name) const {
        if (same_text(name, format_.query)) return query;
        if (same_text(name, format_.document)) return document;
        return same_text(name, format_.number) ? number : roles;
    }

    static bool read_value(JsonCursor& cursor, Value& value) {
        using Type = Value::Type;
        if (*cursor.at == '"') {
            value.type = Type::string;
            const bool good = cursor.string(value.string);
            value.text = good ? value.string.raw() : std::string_view();
            return good;
        }
        const char* begin = cursor.at;
        if (cursor.begins_number()) {
            JsonNumber found;
            if (!cursor.number(found)) return false;
            value.type = found.whole ? Type::whole : Type::number;
            value.text = found.text();
            return true;
        }
        value.type = *begin == 'n' ? Type::null : Type::other;
        if (!cursor.skip_value()) return false;
        value.text = {begin, size_t(cursor.at - begin)};
        return true;
    }

    // A name with escapes as it is meant, or as it stands where it is no text.
    std::string_view kept(const JsonString& name) {
        std::string& text = kept_.emplace_back(name.raw().size(), '\0');
        size_t size = 0;
        if (!write_unescaped(name, text.data(), size)) return name.raw();
        text.resize(size);
        return text;
    }

    void find_repeated() {
        if (others_.size() > 8) {
            std::sort(others_.begin(), others_.end());
            const auto twice = std::adjacent_find(others_.begin(), others_.end());
            if (twice != others_.end()) repeated_ = *twice;
            return;
        }
        for (size_t i = 1; i < others_.size(); ++i) {
            for (size_t j = 0; j < i; ++j) {
                if (same_text(others_[i], others_[j])) repeated_ = others_[i];
            }
        }
    }

    void add_row() {
        for (uint32_t role = 0; role < roles; ++role) {
            const Value& value = values_[role];
            if (value.type == Value::Type::absent) return note_problem(out_.extra, Kind::missing, role, {});
            if (value.type == Value::Type::null) return note_problem(out_.extra, Kind::empty, role, {});
            if (role == number) continue;
            if (value.type != Value::Type::string && value.type != Value::Type::whole) {
                return note_problem(out_.extra, Kind::not_an_id, role, value.text);
            }
            if (value.text.empty()) return note_problem(out_.extra, Kind::empty, role, {});
        }
        double result;
        if (!read_number(result)) return;
        const std::optional<std::string_view> name = id(values_[query], query_scratch_);
        if (!name) return note_problem(out_.extra, Kind::no_text, query, values_[query].text);
        const Value& its_document = values_[document];
        if (its_document.string.escaped) {
            size_t size = 0;
            if (!write_unescaped(its_document.string, rows_.room(), size)) {
                return note_problem(out_.extra, Kind::no_text, document, its_document.text);
            }
            rows_.set_query(*name);
            return rows_.add_written(size, result);
        }
        rows_.set_query(*name);
        rows_.add(plain_id(its_document), result);
    }

    bool read_number(double& result) {
        const Value& value = values_[number];
        const bool numeric = value.type == Value::Type::whole || value.type == Value::Type::number;
        const JsonNumber found{value.text.data(), value.text.data() + value.text.size(), false};
        if (!numeric || !value_of(found, result) || std::isnan(result)) {
            note_problem(out_.extra, Kind::not_a_number, number, shown(value));
            return false;
        }
        if (format_.finite && std::isinf(result)) {
            note_problem(out_.extra, Kind::not_finite, number, value.text);
            return false;
        }
        if (loses_digits(value.text, result)) {
            note_problem(out_.extra, Kind::not_exact, number, value.text);
            return false;
        }
        if (format_.rank) result = 0.0 - result;
        return true;
    }

    // A string with its quotes, so that "1" is seen not to be 1.
    static std::string_view shown(const Value& value) {
        if (value.type != Value::Type::string) return value.text;
        return {value.text.data() - 1, value.text.size() + 2};
    }

    static std::string_view plain_id(const Value& value) {
        return value.type == Value::Type::whole && value.text == "-0" ? value.text.substr(1) : value.text;
    }

    static std::optional<std::string_view> id(const Value& value, std::string& scratch) {
        if (!value.string.escaped) return plain_id(value);
        size_t size = 0;
        scratch.resize(value.text.size());
        if (!write_unescaped(value.string, scratch.data(), size)) return std::nullopt;
        return std::string_view(scratch.data(), size);
    }

    void note_bad_json(const JsonCursor& cursor, const char* line, const char* newline) {
        if (std::memchr(line, 0, size_t(newline - line))) {
            return note_problem(out_.extra, Kind::binary, 0, {});
        }
        note_problem(out_.extra, cursor.problem, uint32_t(cursor.at - line + 1),
                     failed_step(cursor, newline));
    }

    const JsonLines& format_;
    SegmentBuilder& out_;
    RowWriter rows_;
    Value values_[roles];
    std::vector<std::string_view> others_;  // the names that say nothing to us
    std::deque<std::string> kept_;
    std::optional<std::string_view> repeated_;
    std::string query_scratch_;
};

class JsonLineParser : public LineParser {
  public:
    explicit JsonLineParser(JsonLines format) : format_(std::move(format)) {}
    void parse(std::string_view text, bool first, SegmentBuilder& out) const override {
        if (first) text = without_byte_order_mark(text);
        LineReader reader(format_, text, out);
        const char* const end = text.data() + text.size();
        for (const char* line = text.data(); line < end;) {
            const char* newline = static_cast<const char*>(std::memchr(line, '\n', size_t(end - line)));
            reader.read(line, newline);
            line = newline + 1;
        }
    }

  private:
    JsonLines format_;
};

}  // namespace

LineParserPtr json_lines(JsonLines format) { return std::make_shared<JsonLineParser>(std::move(format)); }

}  // namespace idealist
