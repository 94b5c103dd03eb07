// Lines of fields, as heddle and the launcher exchange them: tabs between fields, \\, \t, \n, \r as
// escapes, and \N for none.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "stream/stream_socket.h"

namespace heddle {

using LineFields = std::vector<std::optional<std::string>>;

std::string to_line(const LineFields& fields);
// Without the newline.
LineFields read_line(const std::string& line);

class LineChannel {
 public:
  LineChannel() = default;
  explicit LineChannel(FileDescriptor socket) : socket_(std::move(socket)) {}

  bool is_open() const { return socket_.is_open(); }
  int socket() const { return socket_.get(); }
  void close() { socket_.reset(); }

  // False: the other side has gone.
  bool write(const LineFields& fields);
  // The next line that has arrived, or none.
  std::optional<LineFields> next();
  // The same, and waits for it until the deadline. Errors: it did not come, or the other side has
  // gone (environment); interrupted.
  Result<LineFields> await(Deadline deadline);
  // Whether the other side has gone; what it said before is kept.
  bool has_ended() const { return has_ended_; }

 private:
  FileDescriptor socket_;
  std::string bytes_;
  bool has_ended_ = false;
};

}  // namespace heddle
