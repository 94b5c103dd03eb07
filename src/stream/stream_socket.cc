#include "stream/stream_socket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <utility>

#include <fmt/format.h>

namespace heddle {
namespace {

void send_at_once(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

bool would_wait(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

struct AddressCloser {
  void operator()(addrinfo* address) const { ::freeaddrinfo(address); }
};
using SocketAddress = std::unique_ptr<addrinfo, AddressCloser>;

struct HostAndPort {
  std::string host;
  std::string port;
};

std::optional<HostAndPort> host_and_port(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  std::string port = text.substr(colon + 1);
  if (host.empty() || port.empty()) return std::nullopt;
  return HostAndPort{.host = std::move(host), .port = std::move(port)};
}

// None: there is no such address.
SocketAddress look_up(const HostAndPort& at, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (::getaddrinfo(at.host.c_str(), at.port.c_str(), &hints, &found) != 0) return nullptr;
  return SocketAddress(found);
}

// None: the text is no address.
SocketAddress read_address(const std::string& text) {
  const auto at = host_and_port(text);
  return at ? look_up(*at, AI_NUMERICHOST | AI_PASSIVE) : nullptr;
}

std::string bytes_of(const void* address, std::size_t size) {
  return {static_cast<const char*>(address), size};
}

// None: the path is too long for a socket.
std::optional<std::string> path_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return std::nullopt;
  path.copy(address.sun_path, path.size());
  return bytes_of(&address, sizeof address);
}

// Where the socket is bound, in the form of `text`.
std::string bound_address(int socket, const std::string& text) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  auto* const generic = reinterpret_cast<sockaddr*>(&bound);
  std::array<char, NI_MAXSERV> port{};
  if (::getsockname(socket, generic, &size) != 0 ||
      ::getnameinfo(generic, size, nullptr, 0, port.data(), port.size(), NI_NUMERICSERV) != 0) {
    return "";
  }
  return text.substr(0, text.rfind(':') + 1) + port.data();
}

}  // namespace

SocketStream::SocketStream(FileDescriptor socket)
    : owned_(std::move(socket)), socket_(owned_.get()) {}

std::unique_ptr<Stream> SocketStream::borrow(int socket) {
  return std::unique_ptr<Stream>(new SocketStream(socket));
}

bool SocketStream::read_some(std::string& bytes, std::size_t most) {
  std::array<char, 16384> chunk;
  while (most > 0) {
    const ssize_t count = ::recv(socket_, chunk.data(), std::min(most, chunk.size()), MSG_DONTWAIT);
    if (count > 0) {
      const auto taken = static_cast<std::size_t>(count);
      bytes.append(chunk.data(), taken);
      // There was no more; who reads in parts is not kept waiting for that to be said once more.
      if (most != kAll && taken < std::min(most, chunk.size())) return true;
      most -= taken;
    } else if (count == 0) {
      return false;
    } else if (errno != EINTR) {
      return would_wait(errno);
    }
  }
  return true;
}

bool SocketStream::write_some(std::string_view& bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return would_wait(errno);
    }
  }
  return is_open();
}

void SocketStream::end_writing() { ::shutdown(socket_, SHUT_WR); }

void SocketStream::close() {
  owned_.reset();
  socket_ = -1;
}

Watched SocketStream::readable() const { return {.descriptor = socket_, .events = POLLIN}; }

Watched SocketStream::writable() const { return {.descriptor = socket_, .events = POLLOUT}; }

int SocketStream::connection_trouble() const {
  int trouble = 0;
  socklen_t size = sizeof trouble;
  if (::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &trouble, &size) != 0) return errno;
  return trouble;
}

Result<SocketTarget> SocketTarget::find(const std::string& text) {
  SocketTarget target;
  target.text_ = text;
  if (text.starts_with('/')) {
    if (auto address = path_address(text)) {
      target.addresses_.push_back(std::move(*address));
      return target;
    }
    return Diagnostic{.what = fmt::format("\"{}\" is too long for the path of a socket", text),
                      .trouble = Trouble::bad_input};
  }
  const auto at = host_and_port(text);
  if (!at) {
    return Diagnostic{.what = fmt::format("\"{}\" is no address of a server", text),
                      .what_to_do = "write HOST:PORT, or the path of a socket",
                      .trouble = Trouble::bad_input};
  }
  const SocketAddress found = look_up(*at, AI_ADDRCONFIG);
  if (!found) {
    return Diagnostic{.what = fmt::format("nobody knows where \"{}\" is", text),
                      .what_to_do = "write HOST:PORT with a name that this machine can look up",
                      .trouble = Trouble::environment};
  }
  for (const addrinfo* each = found.get(); each != nullptr; each = each->ai_next) {
    target.addresses_.push_back(bytes_of(each->ai_addr, each->ai_addrlen));
  }
  return target;
}

Result<std::unique_ptr<SocketStream>> SocketTarget::connect_now(std::size_t address) const {
  const std::string& bytes = addresses_.at(address);
  sockaddr_storage storage{};
  std::memcpy(&storage, bytes.data(), bytes.size());
  const auto* const generic = reinterpret_cast<const sockaddr*>(&storage);
  FileDescriptor socket(
      ::socket(generic->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.is_open()) return file_trouble(text_, "connect", errno);
  const int done = ::connect(socket.get(), generic, static_cast<socklen_t>(bytes.size()));
  if (done != 0 && errno != EINPROGRESS) return file_trouble(text_, "connect", errno);
  if (generic->sa_family != AF_UNIX) send_at_once(socket.get());
  return std::make_unique<SocketStream>(std::move(socket));
}

Result<std::unique_ptr<SocketListener>> SocketListener::open(const std::string& address) {
  const SocketAddress read = read_address(address);
  if (!read) {
    return Diagnostic{.what = fmt::format("\"{}\" is no address to listen at", address),
                      .what_to_do = "write numbers, as in 127.0.0.1:8080",
                      .trouble = Trouble::bad_input};
  }
  FileDescriptor socket(::socket(read->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // A port on which the last one listened a moment ago is free.
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (socket.get() < 0 || ::bind(socket.get(), read->ai_addr, read->ai_addrlen) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0) {
    return file_trouble(address, "listen", errno);
  }
  std::string bound = bound_address(socket.get(), address);
  return std::unique_ptr<SocketListener>(new SocketListener(std::move(socket), std::move(bound)));
}

std::unique_ptr<Stream> SocketListener::accept_now() {
  FileDescriptor accepted(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!accepted.is_open()) return nullptr;
  send_at_once(accepted.get());
  return std::make_unique<SocketStream>(std::move(accepted));
}

Watched SocketListener::readable() const { return {.descriptor = socket_.get(), .events = POLLIN}; }

}  // namespace heddle
