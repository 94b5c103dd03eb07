// Lines of fields, as heddle and what it starts exchange them: tabs between fields, \\, \t, \n, \r
// as escapes, and \N for none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/result.h"
#include "stream/stream.h"

namespace heddle {

using LineFields = std::vector<std::optional<std::string>>;

std::string to_line(const LineFields& fields);
// Without the newline.
LineFields read_line(const std::string& line);

class LineChannel {
 public:
  LineChannel() = default;
  explicit LineChannel(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}

  bool is_open() const { return stream_ != nullptr; }
  // REQUIRES: is_open().
  Watched readable() const { return stream_->readable(); }
  void close() { stream_.reset(); }

  // False: the other side has gone.
  bool write(const LineFields& fields);
  // The next line that has arrived, or none.
  std::optional<LineFields> next();
  // The same, and waits for it until the deadline. Errors: it did not come, or the other side has
  // gone (environment); interrupted. `whom`: what they call the other side.
  Result<LineFields> await(Deadline deadline, const std::string& whom);
  // Whether the other side has gone; what it said before is kept.
  bool has_ended() const { return has_ended_; }

 private:
  std::unique_ptr<Stream> stream_;
  std::string bytes_;
  bool has_ended_ = false;
};

}  // namespace heddle
