// The sum of numbers as if it were computed with all digits and rounded once at the end: it does not depend
// on their order, so that machines which hold parts of the numbers can agree to the last bit. Shewchuk, 1997.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace idealist {

class ExactSum {
  public:
    void add(double x) {
        plain_ += x;
        size_t kept = 0;
        for (size_t i = 0; i < parts_.size(); ++i) {
            double y = parts_[i];
            if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
            const double high = x + y;
            const double low = y - (high - x);
            if (low != 0) parts_[kept++] = low;
            x = high;
        }
        parts_.resize(kept);
        parts_.push_back(x);
    }

    double value() const {
        if (!std::isfinite(plain_)) return plain_;  // beyond what a number can hold, on the way or at the end
        if (parts_.empty()) return 0;
        size_t i = parts_.size() - 1;
        double high = parts_[i], low = 0;
        while (i > 0 && low == 0) {
            const double x = high, y = parts_[--i];
            high = x + y;
            low = y - (high - x);
        }
        // Half way between two numbers: the parts that are left say which of the two is nearer.
        if (i > 0 && ((low < 0 && parts_[i - 1] < 0) || (low > 0 && parts_[i - 1] > 0))) {
            const double twice = low * 2, other = high + twice;
            if (twice == other - high) high = other;
        }
        return high;
    }

  private:
    std::vector<double> parts_;  // do not overlap, smallest first
    double plain_ = 0;
};

}  // namespace idealist
