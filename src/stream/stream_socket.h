// Connections on the loopback interface and what is read from and written to them without waiting
// longer than said.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "heddle/result.h"

namespace heddle {

using Deadline = std::chrono::steady_clock::time_point;

// A socket that listens on a port of 127.0.0.1 that the system chose.
struct Listener {
  FileDescriptor socket;
  std::uint16_t port = 0;
};
Result<Listener> listen_on_loopback();

// The next connection, or none: none is waiting.
std::optional<FileDescriptor> accept_now(const Listener& listener);

// Whether the descriptor became readable before the deadline. Errors: interrupted.
Result<bool> wait_readable(int descriptor, Deadline deadline);

// What has arrived, appended. False: the other side has closed the connection.
bool read_available(int socket, std::string& bytes);

// Writes all of it, waiting where the other side is slow. False: it has closed the connection, or
// does not read in time.
bool write_all(int socket, std::string_view bytes, Deadline deadline);

// A random name that nobody guesses.
Result<std::string> make_token();

}  // namespace heddle
