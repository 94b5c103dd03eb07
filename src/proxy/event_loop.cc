#include "proxy/event_loop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

#include "base/assert.h"

namespace heddle {
namespace {

std::uint32_t epoll_events(short events) {
  return ((events & POLLIN) != 0 ? std::uint32_t{EPOLLIN} : 0U) |
         ((events & POLLOUT) != 0 ? std::uint32_t{EPOLLOUT} : 0U);
}

// A descriptor and its generation in the 64 bits that epoll gives back.
constexpr unsigned kGenerationShift = 32;

}  // namespace

EventLoop::EventLoop()
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  HEDDLE_ASSERT(epoll_.is_open() && wake_.is_open());
  apply(wake_.get(), {.watcher = nullptr, .events = EPOLLIN, .generation = 0}, EPOLL_CTL_ADD);
}

void EventLoop::apply(int descriptor, const Entry& entry, int operation) {
  epoll_event event{};
  event.events = entry.events;
  event.data.u64 = entry.generation << kGenerationShift | static_cast<std::uint32_t>(descriptor);
  const int done = ::epoll_ctl(epoll_.get(), operation, descriptor, &event);
  HEDDLE_ASSERT(done == 0 || operation == EPOLL_CTL_DEL);
}

void EventLoop::watch(Watched watched, Watcher& watcher) {
  const auto [found, is_new] = entries_.try_emplace(watched.descriptor);
  Entry& entry = found->second;
  const std::uint32_t events = entry.events | epoll_events(watched.events);
  if (!is_new && events == entry.events) return;
  if (is_new) entry.generation = next_generation_++ & 0xffffffff;
  entry.watcher = &watcher;
  entry.events = events;
  apply(watched.descriptor, entry, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD);
}

void EventLoop::forget(Watched watched) {
  const auto found = entries_.find(watched.descriptor);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  const std::uint32_t events = entry.events & ~epoll_events(watched.events);
  if (events == entry.events) return;
  entry.events = events;
  apply(watched.descriptor, entry, events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD);
  if (events == 0) entries_.erase(found);
}

std::uint64_t EventLoop::call_at(Deadline when, Task task) {
  const std::uint64_t timer = next_timer_++;
  timers_.emplace(std::pair(when, timer), std::move(task));
  timer_times_[timer] = when;
  return timer;
}

void EventLoop::cancel(std::uint64_t timer) {
  const auto found = timer_times_.find(timer);
  if (found == timer_times_.end()) return;
  timers_.erase({found->second, timer});
  timer_times_.erase(found);
}

void EventLoop::post(Task task) {
  {
    const std::scoped_lock lock(mutex_);
    posted_.push_back(std::move(task));
  }
  const std::uint64_t one = 1;
  const ssize_t done = ::write(wake_.get(), &one, sizeof one);
  HEDDLE_ASSERT(done == sizeof one || errno == EAGAIN);
}

void EventLoop::stop() {
  post([this] { is_stopped_ = true; });
}

int EventLoop::ms_to_next_timer() const {
  if (timers_.empty()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(timers_.begin()->first.first -
                                                                 std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

void EventLoop::run_timers() {
  if (timers_.empty()) return;
  const Deadline now = std::chrono::steady_clock::now();
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    auto node = timers_.extract(timers_.begin());
    timer_times_.erase(node.key().second);
    node.mapped()();
  }
}

void EventLoop::run_soon() {
  while (!soon_.empty()) {
    for (const Task& task : std::exchange(soon_, {})) task();
  }
}

void EventLoop::run_posted() {
  std::vector<Task> tasks;
  {
    const std::scoped_lock lock(mutex_);
    tasks.swap(posted_);
  }
  for (const Task& task : tasks) task();
}

void EventLoop::dispatch(int descriptor, std::uint64_t generation, std::uint32_t events) {
  const auto found = entries_.find(descriptor);
  // An event of a descriptor that was closed, or opened anew, since the events were asked for.
  if (found == entries_.end() || found->second.generation != generation) return;
  const bool is_trouble = (events & (EPOLLERR | EPOLLHUP)) != 0;
  const std::uint32_t wanted = found->second.events;
  found->second.watcher->ready(
      descriptor, (events & EPOLLIN) != 0 || (is_trouble && (wanted & EPOLLIN) != 0),
      (events & EPOLLOUT) != 0 || (is_trouble && (wanted & EPOLLOUT) != 0));
}

void EventLoop::run() {
  std::array<epoll_event, 64> ready{};
  is_stopped_ = false;
  while (!is_stopped_) {
    const int count = ::epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()),
                                   soon_.empty() ? ms_to_next_timer() : 0);
    HEDDLE_ASSERT(count >= 0 || errno == EINTR);
    bool is_posted = false;
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = ready[static_cast<std::size_t>(i)];
      const auto descriptor = static_cast<int>(event.data.u64 & 0xffffffff);
      if (descriptor == wake_.get()) {
        std::uint64_t posts = 0;
        is_posted = ::read(wake_.get(), &posts, sizeof posts) > 0;
      } else {
        dispatch(descriptor, event.data.u64 >> kGenerationShift, event.events);
      }
    }
    if (is_posted) run_posted();
    run_timers();
    run_soon();
  }
}

}  // namespace heddle
