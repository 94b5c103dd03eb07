#include "stream/stream.h"

#include <algorithm>
#include <cstdint>
#include <poll.h>

#include "base/interrupt.h"

namespace heddle {
namespace {

int milliseconds_to(Deadline deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

}  // namespace

Result<bool> wait_for(Watched watched, Deadline deadline) {
  pollfd waits[] = {{watched.descriptor, watched.events, 0}, {interrupt_fd(), POLLIN, 0}};
  ::poll(waits, 2, milliseconds_to(deadline));
  if (waits[0].revents != 0) return true;
  if (interrupted()) return Diagnostic{.what = "interrupted", .trouble = Trouble::interrupted};
  return false;
}

Result<bool> wait_readable(int descriptor, Deadline deadline) {
  return wait_for({.descriptor = descriptor, .events = POLLIN}, deadline);
}

bool Stream::write_all(std::string_view bytes, Deadline deadline) {
  while (write_some(bytes)) {
    if (bytes.empty()) return true;
    const Watched room = writable();
    pollfd wait{room.descriptor, room.events, 0};
    if (::poll(&wait, 1, milliseconds_to(deadline)) == 0) return false;
  }
  return false;
}

}  // namespace heddle
