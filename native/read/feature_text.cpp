#include "read/feature_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "base/number_text.hpp"

namespace idealist {

namespace {

constexpr size_t behind = 16;  // bytes behind the text that reading a number may look at
constexpr size_t longest_shown = 80;
constexpr std::string_view query_mark = "qid:", document_mark = "docid", byte_order_mark = "\xEF\xBB\xBF";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

const char* skip_blanks(const char* at, const char* end) {
    while (at != end && is_blank(*at)) ++at;
    return at;
}

const char* word_end(const char* at, const char* end) {
    while (at != end && !is_blank(*at)) ++at;
    return at;
}

bool is_null(const char* at, const char* end) {
    constexpr std::string_view word = "null";
    return size_t(end - at) == word.size() &&
           std::equal(at, end, word.begin(), [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace

std::vector<std::string_view> FeatureText::cut(const std::string& text, const Column<uint64_t>& ends) {
    std::vector<std::string_view> parts;
    parts.reserve(ends.size());
    uint64_t begin = 0;
    for (const uint64_t end : ends) {
        parts.emplace_back(text.data() + begin, end - begin);
        begin = end;
    }
    return parts;
}

void FeatureText::add(std::string_view block) {
    if (problem_) return;
    // Only the new text is searched: a long line that comes in many blocks is looked at once.
    const size_t newline = block.rfind('\n');
    const size_t last = waiting_.size() + newline;
    waiting_.append(block);
    if (newline == std::string_view::npos) return;
    const size_t size = waiting_.size();
    waiting_.append(behind, '\0');
    parse_lines(waiting_.data(), waiting_.data() + last + 1);
    waiting_.resize(size);
    waiting_.erase(0, last + 1);
}

void FeatureText::finish() {
    if (!problem_ && !waiting_.empty()) {
        const size_t size = waiting_.size();
        waiting_.append(behind, '\0');
        ++line_;
        parse_line(waiting_.data(), waiting_.data() + size);
    }
    waiting_.clear();
    begins_.push_back(values_.size());
}

void FeatureText::parse_lines(const char* at, const char* end) {
    while (at != end && !problem_) {
        const char* stop = static_cast<const char*>(std::memchr(at, '\n', size_t(end - at)));
        ++line_;
        parse_line(at, stop);
        at = stop + 1;
    }
}

void FeatureText::parse_line(const char* at, const char* end) {
    if (end != at && end[-1] == '\r') --end;
    if (std::memchr(at, '\r', size_t(end - at))) {
        wrong("return", {});
        return;
    }
    if (line_ == 1 && std::string_view(at, size_t(end - at)).starts_with(byte_order_mark)) {
        at += byte_order_mark.size();
    }
    const char* comment = static_cast<const char*>(std::memchr(at, '#', size_t(end - at)));
    const char* stop = comment ? comment : end;
    at = skip_blanks(at, stop);
    if (at == stop) return;
    const char* grade_end = word_end(at, stop);
    double grade;
    if (!parse_number(at, grade_end, grade) || !std::isfinite(grade)) {
        wrong("grade", {at, size_t(grade_end - at)});
        return;
    }
    const size_t begin = values_.size();
    at = skip_blanks(grade_end, stop);
    const std::string_view rest(at, size_t(stop - at));
    std::string_view query;
    if (rest.starts_with(query_mark)) {
        const char* query_end = word_end(at, stop);
        query = {at + query_mark.size(), size_t(query_end - at) - query_mark.size()};
        if (query.empty()) {
            wrong("empty-query", {});
            return;
        }
        at = query_end;
    }
    if (!parse_query(query) || !parse_features(at, stop)) return;
    if (!parse_document(comment ? std::string_view(comment, size_t(end - comment)) : std::string_view())) {
        return;
    }
    if (!end_row(begin)) return;
    begins_.push_back(begin);
    lines_.push_back(line_);
    grades_.push_back(grade);
}

bool FeatureText::parse_query(std::string_view text) {
    if (grades_.empty()) has_queries_ = !text.empty();
    if (has_queries_ == text.empty()) return wrong("mixed-queries", {});
    if (text.empty()) return true;
    if (query_sizes_.empty() || query_ != text) {
        query_.assign(text);
        query_text_.append(text);
        query_ends_.push_back(query_text_.size());
        query_sizes_.push_back(0);
    }
    ++query_sizes_[query_sizes_.size() - 1];
    return true;
}

bool FeatureText::parse_features(const char* at, const char* end) {
    row_.clear();
    while ((at = skip_blanks(at, end)) != end) {
        const char* stop = word_end(at, end);
        if (!parse_feature(at, stop)) return false;
        at = stop;
    }
    return true;
}

bool FeatureText::parse_feature(const char* at, const char* end) {
    uint32_t number = 0;
    const auto [colon, error] = std::from_chars(at, end, number);
    const char* value_begin = colon + 1;
    if (error != std::errc() || colon == end || *colon != ':' || value_begin == end) {
        return wrong("feature", {at, size_t(end - at)});
    }
    double value;
    if (!parse_number(value_begin, end, value)) {
        if (!is_null(value_begin, end)) return wrong("feature", {at, size_t(end - at)});
        value = std::numeric_limits<double>::quiet_NaN();
    }
    row_.push_back(number);
    values_.push_back(value);
    return true;
}

bool FeatureText::parse_document(std::string_view comment) {
    const size_t found = comment.find(document_mark);
    std::string_view document;
    if (found != std::string_view::npos) {
        const char* end = comment.data() + comment.size();
        const char* at = skip_blanks(comment.data() + found + document_mark.size(), end);
        if (at != end && *at == '=') at = skip_blanks(at + 1, end);
        document = {at, size_t(word_end(at, end) - at)};
    }
    if (grades_.empty()) has_documents_ = !document.empty();
    if (has_documents_ == document.empty()) return wrong("mixed-documents", {});
    document_text_.append(document);
    if (has_documents_) document_ends_.push_back(document_text_.size());
    return true;
}

bool FeatureText::end_row(size_t begin) {
    bool rising = true;
    for (size_t i = 1; i < row_.size(); ++i) rising = rising && row_[i - 1] < row_[i];
    if (!rising) {
        std::vector<uint32_t> sorted(row_.begin(), row_.end());
        std::sort(sorted.begin(), sorted.end());
        const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
        if (twice != sorted.end()) return wrong("repeated", std::to_string(*twice));
    }
    if (grades_.empty()) first_.append(row_.data(), row_.size());
    if (uniform_) {
        const bool same =
            row_.size() == first_.size() && std::equal(row_.begin(), row_.end(), first_.begin());
        if (same) return true;
        uniform_ = false;
        numbers_.reserve(begin + row_.size());
        for (size_t earlier = 0; earlier < grades_.size(); ++earlier) {
            numbers_.append(first_.data(), first_.size());
        }
    }
    numbers_.append(row_.data(), row_.size());
    return true;
}

bool FeatureText::wrong(const char* kind, std::string_view text) {
    problem_ = FeatureProblem{kind, line_, std::string(text.substr(0, longest_shown))};
    return false;
}

}  // namespace idealist
