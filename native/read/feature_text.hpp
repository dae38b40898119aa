// Rows of features in LETOR and SVMlight text: grade qid:query 1:value 2:value … #docid = document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/columns.hpp"

namespace idealist {

// What is wrong with a line: which rule it breaks, and the text that breaks it.
struct FeatureProblem {
    const char* kind;
    uint64_t line;
    std::string text;
};

// Collects rows from blocks of text, which may end anywhere. It stops at the first line that is wrong.
class FeatureText {
  public:
    void add(std::string_view block);
    void finish();

    const std::optional<FeatureProblem>& problem() const { return problem_; }
    size_t rows() const { return grades_.size(); }
    bool has_queries() const { return has_queries_; }
    bool has_documents() const { return has_documents_; }
    // Whether all rows have the features of the first, in its order: then only one row of numbers is kept.
    bool uniform() const { return uniform_; }

    const Column<double>& grades() const { return grades_; }
    const Column<double>& values() const { return values_; }
    // The numbers of features: of the first row where all rows are alike, else of every value.
    const Column<uint32_t>& numbers() const { return uniform_ ? first_ : numbers_; }
    // Where the values of each row begin.
    const Column<uint64_t>& begins() const { return begins_; }
    const Column<uint64_t>& lines() const { return lines_; }
    // The query of each stretch of rows that share it, and how many rows it has.
    std::vector<std::string_view> queries() const { return cut(query_text_, query_ends_); }
    const Column<uint64_t>& query_sizes() const { return query_sizes_; }
    std::vector<std::string_view> documents() const { return cut(document_text_, document_ends_); }

  private:
    static std::vector<std::string_view> cut(const std::string& text, const Column<uint64_t>& ends);
    void parse_lines(const char* at, const char* end);
    void parse_line(const char* at, const char* end);
    bool parse_query(std::string_view text);
    bool parse_features(const char* at, const char* end);
    bool parse_feature(const char* at, const char* end);
    bool parse_document(std::string_view comment);
    bool end_row(size_t begin);
    bool wrong(const char* kind, std::string_view text);

    std::string waiting_;  // a line that has not ended
    uint64_t line_ = 0;
    std::optional<FeatureProblem> problem_;
    bool has_queries_ = false, has_documents_ = false, uniform_ = true;
    Column<double> grades_, values_;
    Column<uint32_t> first_, numbers_, row_;
    Column<uint64_t> begins_, lines_, query_ends_, query_sizes_, document_ends_;
    std::string query_text_, document_text_, query_;
};

}  // namespace idealist
