// Ctrl-C while the core works: loops that may take long ask now and then whether they are still wanted.
#pragma once

#include <atomic>
#include <chrono>

namespace idealist {

// The work was interrupted. What Python is to raise is set in the thread that called the core.
struct Interrupted {};

// Whether a signal has come that ends the work, and its error is set; the bindings know how to ask Python.
inline bool (*signal_came)() = nullptr;

// Who a thread listens to: those that a loop started to the loop, any other to Python.
struct Attention {
    const std::atomic<bool>* stopped = nullptr;
    std::chrono::steady_clock::time_point next{};
};
inline constinit thread_local Attention attention{};

// Raises Interrupted. Python is asked at most every tenth of a second: asking takes the GIL.
inline void refuse_interrupted() {
    if (attention.stopped) {
        if (attention.stopped->load(std::memory_order_relaxed)) throw Interrupted{};
        return;
    }
    if (!signal_came) return;
    const auto now = std::chrono::steady_clock::now();
    if (now < attention.next) return;
    attention.next = now + std::chrono::milliseconds(100);
    if (signal_came()) throw Interrupted{};
}

// The same within a loop over rows, which calls it for each.
inline void refuse_interrupted(size_t row) {
    constexpr size_t rows = size_t(1) << 14;
    if (row % rows == rows - 1) [[unlikely]]
        refuse_interrupted();
}

}  // namespace idealist
