#include "frontend/history/forms/plain_transaction.h"

#include <array>
#include <cstring>
#include <optional>

#include "base/text.h"

namespace heddle {

namespace {

constexpr bool is_in_numbers(char c) { return is_digit(c) || c == ' ' || c == ',' || c == '-'; }

// Sixteen bytes that are looked at at once.
using Block = unsigned char __attribute__((vector_size(16)));

bool are_in_numbers(const char* bytes) {
  Block block;
  std::memcpy(&block, bytes, sizeof block);
  const auto stands = (block - '0' < 10) | (block == ' ') | (block == ',') | (block == '-');
  std::array<std::uint64_t, 2> halves;
  std::memcpy(halves.data(), &stands, sizeof stands);
  return (halves[0] & halves[1]) == ~std::uint64_t{0};
}

class PlainReader {
 public:
  PlainReader(std::string_view text, std::size_t at)
      : begin_(text.data()), at_(begin_ + at), end_(begin_ + text.size()) {}

  // Where it ends, or 0.
  std::size_t read(std::vector<PlainOperation>& operations) {
    if (!take('[')) return 0;
    for (skip_space(); !take(']'); skip_space()) {
      if (!read_operation(operations.emplace_back())) return 0;
    }
    return operations.empty() ? 0 : static_cast<std::size_t>(at_ - begin_);
  }

 private:
  static constexpr std::ptrdiff_t kMostDigits = 18;  // more may not fit

  bool read_operation(PlainOperation& operation) {
    if (!take('[')) return false;
    if (take(":r ")) {
      operation.action = KeyAction::read;
    } else if (take(":append ")) {
      operation.action = KeyAction::append;
    } else if (take(":w ")) {
      operation.action = KeyAction::write;
    } else {
      return false;
    }
    skip_space();
    if (!read_number(operation.key)) return false;
    skip_space();
    if (!read_value(operation)) return false;
    skip_space();
    return take(']');
  }

  bool read_value(PlainOperation& operation) {
    if (operation.action == KeyAction::read) {
      if (take('[')) return read_numbers(operation);
      if (take("nil")) return ends_here();
    }
    operation.kind = PlainOperation::Kind::number;
    return read_number(operation.number);
  }

  // Behind the bracket.
  bool read_numbers(PlainOperation& operation) {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    operation.kind = PlainOperation::Kind::numbers;
    operation.numbers = rest.substr(0, numbers_end(rest, 0));
    at_ += operation.numbers.size();
    return take(']');
  }

  bool read_number(std::int64_t& number) {
    const bool is_negative = take('-');
    const char* const first = at_;
    std::int64_t read = 0;
    for (; at_ != end_ && is_digit(*at_); ++at_) {
      if (at_ - first == kMostDigits) return false;
      read = 10 * read + (*at_ - '0');
    }
    number = is_negative ? -read : read;
    return at_ != first && ends_here();
  }

  bool ends_here() const { return at_ != end_ && (*at_ == ' ' || *at_ == ',' || *at_ == ']'); }

  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == ',')) ++at_;
  }

  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  bool take(std::string_view word) {
    const auto size = static_cast<std::ptrdiff_t>(word.size());
    if (end_ - at_ < size || std::memcmp(at_, word.data(), word.size()) != 0) return false;
    at_ += size;
    return true;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
};

}  // namespace

std::size_t read_plain_transaction(std::string_view text, std::size_t at,
                                   std::vector<PlainOperation>& operations) {
  operations.clear();
  const std::size_t end = PlainReader(text, at).read(operations);
  if (end == 0) operations.clear();
  return end;
}

std::size_t numbers_end(std::string_view text, std::size_t at) {
  while (text.size() - at >= sizeof(Block) && are_in_numbers(text.data() + at)) at += sizeof(Block);
  while (at < text.size() && is_in_numbers(text[at])) ++at;
  return at;
}

}  // namespace heddle
