// An event loop that waits for events, sockets and timers at once.
#include <cassert>
#include <cstdint>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <thread>
#include <unistd.h>

namespace {

void watch(int epoll, int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  assert(epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0);
}

int timer_after(long ns, long interval_ns) {
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  const itimerspec time{.it_interval = {.tv_sec = 0, .tv_nsec = interval_ns},
                        .it_value = {.tv_sec = 0, .tv_nsec = ns}};
  assert(timerfd_settime(timer, 0, &time, nullptr) == 0);
  return timer;
}

}  // namespace

int main() {
  const int epoll = epoll_create1(0);
  const int event = eventfd(0, EFD_NONBLOCK);
  const int once = timer_after(900'000'000, 0);
  const int often = timer_after(100'000'000, 100'000'000);
  int ends[2];
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  for (const int one : {event, once, often, ends[0]}) watch(epoll, one);
  std::thread loop([&] {
    int ticks = 0;
    bool told = false;
    bool written = false;
    bool over = false;
    while (!told || !written || !over || ticks < 3) {
      epoll_event events[4];
      const int count = epoll_wait(epoll, events, 4, 10'000);
      assert(count > 0);
      for (int i = 0; i < count; ++i) {
        const int one = events[i].data.fd;
        std::uint64_t value = 0;
        char letters[8];
        if (one == ends[0]) {
          written |= read(one, letters, sizeof letters) > 0;
        } else if (read(one, &value, sizeof value) == sizeof value) {
          told |= one == event;
          over |= one == once;
          ticks += one == often ? 1 : 0;
        }
      }
    }
  });
  std::thread writes([&] {
    const std::uint64_t value = 1;
    assert(write(event, &value, sizeof value) == sizeof value);
    assert(write(ends[1], "hi", 2) == 2);
  });
  loop.join();
  writes.join();
  // One that waits by itself.
  const int alone = timerfd_create(CLOCK_MONOTONIC, 0);
  const itimerspec hour{.it_interval = {}, .it_value = {.tv_sec = 3600, .tv_nsec = 0}};
  assert(timerfd_settime(alone, 0, &hour, nullptr) == 0);
  itimerspec left{};
  assert(timerfd_gettime(alone, &left) == 0 && left.it_value.tv_sec > 3000);
  std::uint64_t value = 0;
  assert(read(alone, &value, sizeof value) == sizeof value && value == 1);
  return 0;
}
