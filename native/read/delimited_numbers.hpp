// Delimited text whose columns are numbers, but for some that are ids: features as tables have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/columns.hpp"
#include "read/delimited_fields.hpp"

namespace idealist {

struct NumberColumns {
    std::vector<uint32_t> numbers, texts;  // which columns are which; the others are not looked at
    bool missing = false;                  // whether a number may be empty, nan or null
};

// Reads lines that are as usual. What is not (a number that is none, a field too few, a quote that stays
// open, a blank line) is for a reader that goes cell by cell and says what is wrong: `whole` is false then.
class DelimitedNumbers {
  public:
    DelimitedNumbers(std::string_view text, const Delimited& format, const NumberColumns& columns);

    bool whole() const { return whole_; }
    size_t rows() const { return rows_; }
    const Column<double>& values() const { return values_; }  // row by row
    // The fields of one of the columns of ids, by its place among them.
    std::vector<std::string_view> texts(size_t place) const;

  private:
    bool parse_lines(const char* at, const char* end);
    bool parse_line(const char* at, const char* end);
    bool split(const char* at, const char* end);

    const Delimited format_;
    const NumberColumns columns_;
    bool whole_ = true;
    size_t rows_ = 0;
    Column<double> values_;
    std::vector<std::string> ids_;
    std::vector<Column<uint64_t>> ends_;
    std::vector<Field> fields_;
    std::vector<uint8_t> doubled_;
    std::string scratch_;
};

}  // namespace idealist
