#include "stream/stream_socket.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/random_text.h"

namespace heddle {
namespace {

int milliseconds_to(Deadline deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

void send_at_once(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

Result<Listener> listen_on_loopback() {
  Listener listener;
  listener.socket =
      FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  const int descriptor = listener.socket.get();
  if (descriptor < 0 || ::bind(descriptor, generic, size) != 0 || ::listen(descriptor, 16) != 0 ||
      ::getsockname(descriptor, generic, &size) != 0) {
    return file_trouble("127.0.0.1", "listen", errno);
  }
  listener.port = ntohs(address.sin_port);
  return listener;
}

std::optional<FileDescriptor> accept_now(const Listener& listener) {
  FileDescriptor accepted(
      ::accept4(listener.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!accepted.is_open()) return std::nullopt;
  send_at_once(accepted.get());
  return accepted;
}

Result<bool> wait_readable(int descriptor, Deadline deadline) {
  pollfd waits[] = {{descriptor, POLLIN, 0}, {interrupt_fd(), POLLIN, 0}};
  ::poll(waits, 2, milliseconds_to(deadline));
  if (waits[0].revents != 0) return true;
  if (interrupted()) return Diagnostic{.what = "interrupted", .trouble = Trouble::interrupted};
  return false;
}

bool read_available(int socket, std::string& bytes) {
  std::array<char, 16384> chunk;
  while (true) {
    const ssize_t count = ::recv(socket, chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (count > 0) {
      bytes.append(chunk.data(), static_cast<std::size_t>(count));
    } else if (count == 0) {
      return false;
    } else if (errno != EINTR) {
      return errno == EAGAIN || errno == EWOULDBLOCK;
    }
  }
}

bool write_all(int socket, std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
    pollfd wait{socket, POLLOUT, 0};
    if (::poll(&wait, 1, milliseconds_to(deadline)) == 0) return false;
  }
  return true;
}

Result<std::string> make_token() { return draw_hexadecimal(16); }

}  // namespace heddle
