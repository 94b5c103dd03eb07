#include "wire/postgres/message_cutter.h"

#include <algorithm>
#include <utility>

#include "wire/postgres/big_endian.h"

namespace heddle::postgres {
namespace {

// The server itself takes no larger message than a gigabyte.
constexpr std::uint64_t kLongestPassed = std::uint64_t{1} << 30;
// What a client may begin with is short.
constexpr std::uint64_t kLongestBeginning = 10'000;
constexpr std::uint64_t kOwnLength = 4;

}  // namespace

// False: it has not come whole.
bool MessageCutter::take_head(std::string_view& bytes) {
  const std::size_t wanted = std::min(head_size() - head_.size(), bytes.size());
  std::string_view head = bytes.substr(0, wanted);
  bytes.remove_prefix(wanted);
  if (wanted < head_size()) {  // it comes in parts
    head_ += head;
    if (head_.size() < head_size()) return false;
    head = head_;
  }
  has_head_ = true;
  type_ = begins_ ? '\0' : head.front();
  size_ = big_endian(head.substr(head_size() - kOwnLength));
  head_.clear();
  taken_ = 0;
  kept_.clear();
  hash_ = {};
  return true;
}

Result<std::optional<CutMessage>> MessageCutter::take(std::string_view& bytes) {
  if (!has_head_) {
    if (!take_head(bytes)) return std::optional<CutMessage>();
    const std::uint64_t longest = begins_ ? kLongestBeginning : kLongestPassed;
    const bool is_typed = begins_ || type_ != '\0';
    if (size_ < kOwnLength || size_ > longest || !is_typed) {
      return Diagnostic{.what = "what came is no message of PostgreSQL's protocol",
                        .trouble = Trouble::bad_input};
    }
    size_ -= kOwnLength;
  }
  return take_body(bytes);
}

std::optional<CutMessage> MessageCutter::take_body(std::string_view& bytes) {
  const std::string_view part = bytes.substr(
      0, static_cast<std::size_t>(std::min<std::uint64_t>(size_ - taken_, bytes.size())));
  bytes.remove_prefix(part.size());
  const bool is_first = taken_ == 0;
  taken_ += part.size();
  const bool is_long = size_ > most_kept_;
  if (is_long) hash_.add(part);
  if (taken_ < size_ || !is_first) {
    kept_ += part.substr(0, most_kept_ - std::min(most_kept_, kept_.size()));
    if (taken_ < size_) return std::nullopt;
  }
  has_head_ = false;
  const std::string_view body = is_first ? part.substr(0, most_kept_) : std::string_view(kept_);
  return CutMessage{
      .type = type_, .body = body, .size = size_, .hash = is_long ? hash_.value() : 0};
}

}  // namespace heddle::postgres
