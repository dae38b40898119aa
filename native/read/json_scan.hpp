// Steps through JSON text. Its end is marked by a byte that cannot stand there in JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/problem.hpp"

namespace idealist {

// What stands between the quotes of a string.
struct JsonString {
    const char* begin = nullptr;
    const char* end = nullptr;
    bool escaped = false;
    std::string_view raw() const { return {begin, size_t(end - begin)}; }
};

struct JsonNumber {
    const char* begin = nullptr;
    const char* end = nullptr;
    bool whole = false;  // digits, perhaps behind a minus
    std::string_view text() const { return {begin, size_t(end - begin)}; }
};

// Writes a string's text, which is never longer than what stands between the quotes. Half a surrogate pair
// is no text, unless it stands for a byte as Python's surrogateescape has it. Nothing when it is no text.
bool write_unescaped(const JsonString& string, char* to, size_t& size);

// A place in JSON text and, when a step fails, what should have been there. Sixteen bytes behind the end
// can be read.
class JsonCursor {
  public:
    static constexpr unsigned deepest = 256;

    explicit JsonCursor(const char* from) : at(from) {}

    const char* at;
    const char* expected = "";
    Problem::Kind problem = Problem::Kind::not_json;

    // Within a line; the newline marks its end.
    void skip_blanks() {
        while (*at == ' ' || *at == '\t' || *at == '\r') ++at;
    }
    bool take(char byte, const char* name) {
        if (*at != byte) return fail(name);
        ++at;
        return true;
    }
    bool string(JsonString& found);
    bool begins_number() const {
        return (*at >= '0' && *at <= '9') || *at == '-' || *at == 'I' || *at == 'N';
    }
    // Also NaN, Infinity and -Infinity, which many writers know.
    bool number(JsonNumber& found);
    // A value of any kind, within a line.
    bool skip_value(unsigned depth = 0);

    bool fail(const char* what, Problem::Kind kind = Problem::Kind::not_json) {
        expected = what;
        problem = kind;
        return false;
    }

  private:
    bool digits();
    bool escape();
    bool word(const char* text);
    bool skip_object(unsigned depth);
    bool skip_array(unsigned depth);
};

// What was expected where a step failed, and behind a newline what was found.
std::string failed_step(const JsonCursor& cursor, const char* end);

// The value of a number that a cursor found.
bool value_of(const JsonNumber& number, double& value);

}  // namespace idealist
