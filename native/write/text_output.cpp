#include "write/text_output.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/parallel.hpp"
#include "base/query_rows.hpp"
#include "base/utf8.hpp"
#include "rank/match.hpp"
#include "rank/match_options.hpp"

namespace idealist {

namespace {

using Form = TextLayout::Form;

void put_number(std::string& out, double number) {
    char buffer[32];
    const auto written = std::to_chars(buffer, buffer + sizeof buffer, number + 0.0);  // −0 is 0
    out.append(buffer, written.ptr);
}

void put_count(std::string& out, uint64_t count) {
    char buffer[24];
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, count).ptr);
}

bool is_blank(char c) { return c == ' ' || static_cast<unsigned char>(c - 9) <= 4; }

// Whether blanks, or tabs and line ends, leave an id as it is.
bool fits_columns(std::string_view id) {
    return !id.empty() && std::none_of(id.begin(), id.end(), [](char c) { return is_blank(c) || c == 0; });
}

bool fits_lines(std::string_view id) {
    return !id.empty() &&
           std::none_of(id.begin(), id.end(), [](char c) { return c == '\n' || c == '\r' || c == 0; });
}

bool fits(const TextLayout& layout, std::string_view id) {
    switch (layout.form) {
        case Form::trec_run:
        case Form::trec_judgments:
            return fits_columns(id);
        case Form::msmarco:
            return fits_columns(id) && is_utf8(id);
        case Form::delimited:
            return fits_lines(id) && is_utf8(id);
        case Form::json:
        case Form::json_lines:
            return !id.empty() && is_utf8(id);
    }
    return false;
}

void put_field(std::string& out, std::string_view text, char delimiter) {
    const bool edges = text.empty() || is_blank(text.front()) || is_blank(text.back());
    if (!edges && text.find(delimiter) == text.npos && text.find('"') == text.npos) {
        out.append(text);
        return;
    }
    out.push_back('"');
    for (const char c : text) {
        if (c == '"') out.push_back('"');
        out.push_back(c);
    }
    out.push_back('"');
}

void put_json(std::string& out, std::string_view text) {
    constexpr char digits[] = "0123456789abcdef";
    out.push_back('"');
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out.push_back('\\');
            out.push_back(c);
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out.append("\\u00");
            out.push_back(digits[c >> 4]);
            out.push_back(digits[c & 15]);
        } else {
            out.push_back(c);
        }
    }
    out.push_back('"');
}

// Ranks beside scores go by them and, where they are equal, by the order of the rows, so that they do not
// contradict the lines. Where ranks are all there is, they are those of our own rule for ties.
constexpr MatchOptions in_input_order{.ties = Ties::input_order};

// One query's rows, to be written.
class QueryText {
  public:
    QueryText(const Rows& rows, size_t query, const TextLayout& layout)
        : layout_(layout),
          name_(rows.queries()[query]),
          first_(query == 0),
          its_rows_(rows.query_rows(query)) {
        values_ = its_rows_.values(scratch_);
        if (layout.form == Form::trec_run) order_ = ranked_rows(rows, query, in_input_order);
        if (layout.form == Form::msmarco) order_ = ranked_rows(rows, query, MatchOptions{});
    }

    std::optional<Refused> refused() const {
        if (!fits(layout_, name_)) return Refused{Refused::What::query, std::string(name_), ""};
        const bool json = layout_.form == Form::json || layout_.form == Form::json_lines;
        for (size_t row = 0; row < its_rows_.size(); ++row) {
            const std::string_view id = its_rows_.id(row);
            const bool number_fits = !json || std::isfinite(values_[row]);
            if (fits(layout_, id) && number_fits) continue;
            const auto what = number_fits ? Refused::What::document : Refused::What::number;
            return Refused{what, std::string(name_), std::string(id)};
        }
        return std::nullopt;
    }

    void append(std::string& out) const {
        switch (layout_.form) {
            case Form::trec_run:
                return append_run(out);
            case Form::trec_judgments:
                return append_rows(out, " ", [&](size_t row) {
                    out.append("0 ").append(its_rows_.id(row)).push_back(' ');
                    put_number(out, values_[row]);
                });
            case Form::delimited:
                return append_delimited(out);
            case Form::json:
                return append_object(out);
            case Form::json_lines:
                return append_records(out);
            case Form::msmarco:
                for (size_t rank = 0; rank < order_.size(); ++rank) {
                    out.append(name_).append("\t").append(its_rows_.id(order_[rank])).push_back('\t');
                    put_count(out, rank + 1);
                    out.push_back('\n');
                }
                return;
        }
    }

  private:
    template <class Rest>
    void append_rows(std::string& out, std::string_view between, Rest&& rest) const {
        for (size_t row = 0; row < its_rows_.size(); ++row) {
            out.append(name_).append(between);
            rest(row);
            out.push_back('\n');
        }
    }

    void append_run(std::string& out) const {
        std::vector<uint32_t> rank(order_.size());
        for (size_t at = 0; at < order_.size(); ++at) rank[order_[at]] = uint32_t(at + 1);
        append_rows(out, " Q0 ", [&](size_t row) {
            out.append(its_rows_.id(row)).push_back(' ');
            put_count(out, rank[row]);
            out.push_back(' ');
            put_number(out, values_[row]);
            out.append(" ").append(layout_.word);
        });
    }

    void append_delimited(std::string& out) const {
        std::string name;
        put_field(name, name_, layout_.delimiter);
        name.push_back(layout_.delimiter);
        for (size_t row = 0; row < its_rows_.size(); ++row) {
            out.append(name);
            put_field(out, its_rows_.id(row), layout_.delimiter);
            out.push_back(layout_.delimiter);
            put_number(out, values_[row]);
            out.push_back('\n');
        }
    }

    void append_object(std::string& out) const {
        out.append(first_ ? "\n" : ",\n");
        put_json(out, name_);
        out.append(": {");
        for (size_t row = 0; row < its_rows_.size(); ++row) {
            if (row > 0) out.append(", ");
            put_json(out, its_rows_.id(row));
            out.append(": ");
            put_number(out, values_[row]);
        }
        out.push_back('}');
    }

    void append_records(std::string& out) const {
        std::string begin = "{\"query\": ";
        put_json(begin, name_);
        begin.append(", \"document\": ");
        const std::string number = ", \"" + layout_.word + "\": ";
        for (size_t row = 0; row < its_rows_.size(); ++row) {
            out.append(begin);
            put_json(out, its_rows_.id(row));
            out.append(number);
            put_number(out, values_[row]);
            out.append("}\n");
        }
    }

    const TextLayout& layout_;
    std::string_view name_;
    bool first_;
    QueryRows its_rows_;
    std::vector<double> scratch_;
    const double* values_;
    std::vector<uint32_t> order_;
};

}  // namespace

size_t append_text(const Rows& rows, size_t query, size_t size, const TextLayout& layout, unsigned threads,
                   std::string& out, std::optional<Refused>& refused) {
    constexpr size_t block = 64;
    while (query < rows.queries().size() && out.size() < size && !refused) {
        const size_t count = std::min(block, rows.queries().size() - query);
        std::vector<std::string> parts(count);
        std::vector<std::optional<Refused>> wrong(count);
        parallel_for(count, threads, [&](size_t i, unsigned) {
            const QueryText text(rows, query + i, layout);
            wrong[i] = text.refused();
            if (!wrong[i]) text.append(parts[i]);
        });
        for (size_t i = 0; i < count && !refused; ++i) {
            refused = std::move(wrong[i]);
            out += parts[i];
        }
        query += count;
    }
    return query;
}

}  // namespace idealist
