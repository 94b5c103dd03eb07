// Streams over sockets, and a listener for such streams.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

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

 private:
  explicit SocketStream(int socket) : socket_(socket) {}

  FileDescriptor owned_;  // or none
  int socket_ = -1;
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
