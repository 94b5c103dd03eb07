/// A queue with a bounded number of places: `push` waits for a free one, `pop` for an item.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <heddle/sched.h>
#include <mutex>

/// What is wrong with a queue.
enum class QueueFlaw {
  none,
  trusts_wake_ups,       ///< `if` where `while` is needed
  one_condition_for_all  ///< `notify_one` may wake a thread that waits for something else
};

template <QueueFlaw kFlaw>
class Queue {
 public:
  explicit Queue(std::size_t places) : places_(places) {}

  void push(int item) {
    std::unique_lock lock(mutex_);
    wait(lock, not_full_, [this] { return items_.size() < places_; });
    items_.push_back(item);
    not_empty().notify_one();
  }

  int pop() {
    std::unique_lock lock(mutex_);
    wait(lock, not_empty(), [this] { return !items_.empty(); });
    if (items_.empty()) heddle::sched::fail("an item is taken from an empty queue");
    const int item = items_.front();
    items_.pop_front();
    not_full_.notify_one();
    return item;
  }

 private:
  template <class Condition>
  void wait(std::unique_lock<std::mutex>& lock, std::condition_variable& woken, Condition holds) {
    if constexpr (kFlaw == QueueFlaw::trusts_wake_ups) {
      // Between the notification and the lock, a third thread can make the condition false again;
      // a thread may also wake up without any notification.
      if (!holds()) woken.wait(lock);
    } else {
      // Right, because the condition is looked at again with the lock held.
      while (!holds()) woken.wait(lock);
    }
  }

  std::condition_variable& not_empty() {
    if constexpr (kFlaw == QueueFlaw::one_condition_for_all) {
      // A `pop` that wants to wake a producer may wake a consumer, which waits again: the producer
      // sleeps on, although there is a place.
      return not_full_;
    } else {
      // Right, because all that wait at one condition variable wait for one condition: whichever is
      // woken can go on.
      return not_empty_;
    }
  }

  const std::size_t places_;
  std::mutex mutex_;
  std::condition_variable not_full_;
  std::condition_variable not_empty_;
  std::deque<int> items_;
};

using TrustingQueue = Queue<QueueFlaw::trusts_wake_ups>;
using WhisperingQueue = Queue<QueueFlaw::one_condition_for_all>;
using BoundedQueue = Queue<QueueFlaw::none>;
