// Streams over sockets, and a listener for such streams.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "heddle/result.h"
#include "stream/stream.h"

namespace heddle {

class SocketStream : public Stream {
 public:
  // Of a connected socket.
  explicit SocketStream(FileDescriptor socket);
  // Of one that stays somebody else's, who keeps it open as long as the stream is used.
  static std::unique_ptr<Stream> borrow(int socket);

  bool read_some(std::string& bytes, std::size_t most) override;
  bool write_some(std::string_view& bytes) override;
  void end_writing() override;
  void close() override;
  bool is_open() const override { return socket_ >= 0; }
  Watched readable() const override;
  Watched writable() const override;

  // Why the connection could not be made, or was lost: a number of errno; 0: nothing is wrong.
  int connection_trouble() const;

 private:
  explicit SocketStream(int socket) : socket_(socket) {}

  FileDescriptor owned_;  // or none
  int socket_ = -1;
};

// Where a server listens: 127.0.0.1:5432, db.internal:5432, [::1]:80, or the path of a socket,
// /run/postgresql/.s.PGSQL.5432. Names are looked up once, when it is made.
class SocketTarget {
 public:
  // Errors: bad_input where the text is no such address, environment where the name is unknown.
  static Result<SocketTarget> find(const std::string& text);

  const std::string& text() const { return text_; }
  // A name may have several addresses, of which the next is tried where one does not answer.
  std::size_t addresses() const { return addresses_.size(); }
  // A stream whose connection to one of these is being made: it becomes writable when that has
  // ended, and then connection_trouble() tells how. Errors: environment.
  Result<std::unique_ptr<SocketStream>> connect_now(std::size_t address = 0) const;

 private:
  std::string text_;
  std::vector<std::string> addresses_;  // each a sockaddr of some kind
};

// Port 0 of an address is one that the system chooses.
inline constexpr const char* kLoopback = "127.0.0.1:0";

class SocketListener : public StreamListener {
 public:
  // `address`: numbers of a host and a port, 127.0.0.1:8080 or [::1]:8080. Errors: bad_input where
  // it is none, environment where nobody can listen there.
  static Result<std::unique_ptr<SocketListener>> open(const std::string& address);

  std::unique_ptr<Stream> accept_now() override;
  Watched readable() const override;
  std::string address() const override { return address_; }

 private:
  SocketListener(FileDescriptor socket, std::string address)
      : socket_(std::move(socket)), address_(std::move(address)) {}

  FileDescriptor socket_;
  std::string address_;  // with the port that was chosen
};

}  // namespace heddle
