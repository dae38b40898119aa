// A loop over threads.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/interrupts.hpp"

namespace idealist {

// Calls task(i, worker) for every i < count. Which thread takes which i is left open, so a task may
// write only what belongs to i, or to its worker. Of several exceptions, that of the lowest i is thrown:
// all lower ones were taken before it, and are finished. Raises Interrupted, too, where it is called from
// Python.
template <class Task>
void parallel_for(size_t count, unsigned threads, Task&& task) {
    if (threads < 1) threads = 1;
    if (threads > count) threads = unsigned(count);
    if (threads <= 1) {
        for (size_t i = 0; i < count; ++i) {
            refuse_interrupted();
            task(i, 0u);
        }
        return;
    }
    std::atomic<size_t> next{0};
    std::atomic<bool> stopped{false};
    std::exception_ptr failure;
    size_t failed = count;
    unsigned working = 0;
    std::mutex lock;  // of failure, failed and working
    std::condition_variable ended;
    auto stop = [&] {
        stopped = true;
        next.store(count);
    };
    auto work = [&](unsigned worker) {
        for (size_t i; (i = next.fetch_add(1)) < count;) {
            try {
                refuse_interrupted();
                task(i, worker);
            } catch (const Interrupted&) {
                return stop();
            } catch (...) {
                next.store(count);
                const std::lock_guard<std::mutex> locked(lock);
                if (i < failed) {
                    failed = i;
                    failure = std::current_exception();
                }
                return;
            }
        }
    };
    auto help = [&](unsigned worker) {
        attention.stopped = &stopped;
        work(worker);
        const std::lock_guard<std::mutex> locked(lock);
        --working;
        ended.notify_one();
    };
    std::vector<std::thread> others;  // not jthread, which macOS's library is late with
    others.reserve(threads - 1);
    try {
        for (unsigned worker = 1; worker < threads; ++worker) {
            {
                const std::lock_guard<std::mutex> locked(lock);
                ++working;
            }
            others.emplace_back(help, worker);
        }
    } catch (const std::exception&) {
        // No more threads to be had: those that started and this one do the work.
        const std::lock_guard<std::mutex> locked(lock);
        --working;
    }
    work(0);
    for (std::unique_lock<std::mutex> locked(lock); working > 0;) {
        if (ended.wait_for(locked, std::chrono::milliseconds(50)) == std::cv_status::no_timeout) continue;
        locked.unlock();
        try {
            refuse_interrupted();
        } catch (const Interrupted&) {
            stop();
        }
        locked.lock();
    }
    for (std::thread& other : others) other.join();
    if (stopped) throw Interrupted{};
    if (failure) std::rethrow_exception(failure);
}

}  // namespace idealist
