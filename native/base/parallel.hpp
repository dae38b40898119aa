// A loop over threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace idealist {

// Calls task(i, worker) for every i < count. Which thread takes which i is left open, so a task may
// write only what belongs to i, or to its worker. Of several exceptions, that of the lowest i is thrown:
// all lower ones were taken before it, and are finished.
template <class Task>
void parallel_for(size_t count, unsigned threads, Task&& task) {
    if (threads < 1) threads = 1;
    if (threads > count) threads = unsigned(count);
    if (threads <= 1) {
        for (size_t i = 0; i < count; ++i) task(i, 0u);
        return;
    }
    std::atomic<size_t> next{0};
    std::exception_ptr failure;
    size_t failed = count;
    std::mutex failure_lock;
    auto work = [&](unsigned worker) {
        for (size_t i; (i = next.fetch_add(1)) < count;) {
            try {
                task(i, worker);
            } catch (...) {
                next.store(count);
                const std::lock_guard<std::mutex> lock(failure_lock);
                if (i < failed) {
                    failed = i;
                    failure = std::current_exception();
                }
                return;
            }
        }
    };
    std::vector<std::thread> others;  // not jthread, which macOS's library is late with
    others.reserve(threads - 1);
    try {
        for (unsigned worker = 1; worker < threads; ++worker) others.emplace_back(work, worker);
    } catch (const std::exception&) {
        // No more threads to be had: those that started and this one do the work.
    }
    work(0);
    for (std::thread& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace idealist
