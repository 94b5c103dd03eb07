// A file that somebody still writes to, or standard input: bytes as they come.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/file.h"
#include "heddle/result.h"

namespace heddle {

class GrowingInput {
 public:
  // What waiting for more has come to.
  enum class Event : std::uint8_t {
    bytes,        // there are some
    idle,         // none at this moment; the next call waits
    end,          // there will be none
    interrupted,  // a signal has come
    timeout,
  };

  // "-" is standard input. Errors: the file cannot be read or watched.
  static Result<GrowingInput> open(const std::string& path);

  // Reads what there is into `bytes`, some 64 KB at most. Says once that there is nothing, then
  // waits. Errors: the file shrank or was removed.
  Result<Event> next(std::string& bytes,
                     const std::optional<std::chrono::steady_clock::time_point>& deadline);

 private:
  explicit GrowingInput(std::string path) : path_(std::move(path)) {}

  Result<Event> wait(const std::optional<std::chrono::steady_clock::time_point>& deadline);
  Result<Event> check_file() const;
  void drop_events() const;
  int fd() const;

  std::string path_;
  FileDescriptor file_;     // not open: standard input
  FileDescriptor watcher_;  // inotify's; not open: what is read ends
  std::uint64_t offset_ = 0;
  bool said_idle_ = false;
};

}  // namespace heddle
