#include "stream/stream_socket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
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

// None: the text is no address.
SocketAddress read_address(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return nullptr;
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const std::string port = text.substr(colon + 1);
  if (host.empty() || port.empty()) return nullptr;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return nullptr;
  return SocketAddress(found);
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
      bytes.append(chunk.data(), static_cast<std::size_t>(count));
      most -= static_cast<std::size_t>(count);
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
