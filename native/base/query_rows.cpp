#include "base/query_rows.hpp"

namespace idealist {

uint64_t QueryRows::line(size_t row, const std::vector<uint64_t>& first_lines) const {
    const auto [segment, at] = place(row);
    return first_lines[segment] + segments_[segment].line_of(at);
}

bool QueryRows::together() const {
    for (size_t i = 1; i < slices_.size(); ++i) {
        uint32_t segment = slices_[i - 1].segment;
        if (slices_[i].begin != 0 || slices_[i - 1].end != segments_[segment].rows()) return false;
        while (++segment < slices_[i].segment) {
            if (segments_[segment].rows() != 0) return false;
        }
    }
    return true;
}

}  // namespace idealist
