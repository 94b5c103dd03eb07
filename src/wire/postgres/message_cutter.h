// Cuts a stream of bytes into messages without keeping more than the beginning of each, so that a
// row or a parameter of a gigabyte passes in little memory, and without copying those that come
// whole.
//
//   while (!bytes.empty()) {
//     Result<std::optional<CutMessage>> message = cutter.take(bytes);
//     if (!message) ...                    // no message begins so
//     if (*message) ...                    // its body is read before the next call
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/running_hash.h"
#include "heddle/result.h"

namespace heddle::postgres {

struct CutMessage {
  char type = 0;           // 0: one of those without, with which a client begins
  std::string_view body;   // its beginning, valid until the cutter takes more
  std::uint64_t size = 0;  // of the whole body, in bytes
  std::uint64_t hash = 0;  // of the whole body, where only its beginning is there

  bool is_whole() const { return body.size() == size; }
};

class MessageCutter {
 public:
  // `begins`: the stream is a client's, whose first messages have no type, until `started`.
  explicit MessageCutter(std::size_t most_kept, bool begins = false)
      : most_kept_(most_kept), begins_(begins) {}

  // Takes bytes from the front up to the end of the message that they belong to. None: it has not
  // ended, and all bytes were taken. Error: no message begins so.
  Result<std::optional<CutMessage>> take(std::string_view& bytes);
  void started() { begins_ = false; }

  // Whether a message has begun and not ended.
  bool is_within() const { return !head_.empty() || has_head_; }
  // The type of that message, and the size of its body, once its head has come.
  char type() const { return type_; }
  std::uint64_t size() const { return size_; }

 private:
  bool take_head(std::string_view& bytes);
  std::optional<CutMessage> take_body(std::string_view& bytes);
  std::size_t head_size() const { return begins_ ? 4 : 5; }

  std::size_t most_kept_;
  bool begins_;
  std::string head_;  // as far as it has come
  bool has_head_ = false;
  char type_ = 0;
  std::uint64_t size_ = 0;  // of the body
  std::uint64_t taken_ = 0;
  std::string kept_;  // of a body that came in parts
  RunningHash hash_;  // of a body that is longer than what is kept
};

}  // namespace heddle::postgres
