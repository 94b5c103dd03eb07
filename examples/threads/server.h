/// A small server: requests wait in a queue, threads of a pool answer them, and `shut_down` returns
/// when all that were accepted are answered.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

/// What is wrong with a server.
enum class ServerFlaw {
  none,
  forgets_requests,  ///< threads that are told to end do not look at the queue again
  joins_locked       ///< `shut_down` holds the lock while it waits for the threads
};

template <ServerFlaw kFlaw>
class ThreadedServer {
 public:
  using Request = std::function<void()>;

  explicit ThreadedServer(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
  }
  ~ThreadedServer() { shut_down(); }

  /// False: the server is shutting down, and the request is not accepted.
  bool accept(Request request) {
    const std::lock_guard lock(mutex_);
    if (ends_) return false;
    requests_.push_back(std::move(request));
    changed_.notify_one();
    return true;
  }

  void shut_down() {
    std::unique_lock lock(mutex_);
    ends_ = true;
    changed_.notify_all();
    // Right without the lock, because a thread needs it to find out that it shall end.
    if constexpr (kFlaw != ServerFlaw::joins_locked) lock.unlock();
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

 private:
  void serve() {
    while (true) {
      Request request;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return ends_ || !requests_.empty(); });
        if (shall_end()) return;
        request = std::move(requests_.front());
        requests_.pop_front();
      }
      request();
    }
  }

  bool shall_end() const {
    if constexpr (kFlaw == ServerFlaw::forgets_requests) return ends_;
    // Right, because nothing is accepted any more, so that a queue that is empty stays so.
    return ends_ && requests_.empty();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> requests_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

using ForgetfulServer = ThreadedServer<ServerFlaw::forgets_requests>;
using LockedServer = ThreadedServer<ServerFlaw::joins_locked>;
using Server = ThreadedServer<ServerFlaw::none>;
