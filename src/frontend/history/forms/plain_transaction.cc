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

// How EDN and JSON spell them.
struct PlainSpelling {
  std::string_view read;
  std::string_view append;
  std::string_view write;
  std::string_view nil;
};

constexpr PlainSpelling kEdnSpelling = {":r ", ":append ", ":w ", "nil"};
constexpr PlainSpelling kJsonSpelling = {"\"r\"", "\"append\"", "\"w\"", "null"};

class PlainReader {
 public:
  PlainReader(std::string_view text, std::size_t at, PlainForm form)
      : is_json_(form == PlainForm::json),
        spelling_(is_json_ ? kJsonSpelling : kEdnSpelling),
        begin_(text.data()),
        at_(begin_ + at),
        end_(begin_ + text.size()) {}

  // Where it ends, or 0.
  std::size_t read(std::vector<PlainOperation>& operations) {
    if (!take('[')) return 0;
    skip_space();
    while (!take(']')) {
      if (!operations.empty() && !separate()) return 0;
      if (!read_operation(operations.emplace_back())) return 0;
      skip_space();
    }
    return operations.empty() ? 0 : static_cast<std::size_t>(at_ - begin_);
  }

 private:
  static constexpr std::ptrdiff_t kMostDigits = 18;  // more may not fit

  bool read_operation(PlainOperation& operation) {
    if (!take('[')) return false;
    if (take(spelling_.read)) {
      operation.action = KeyAction::read;
    } else if (take(spelling_.append)) {
      operation.action = KeyAction::append;
    } else if (take(spelling_.write)) {
      operation.action = KeyAction::write;
    } else {
      return false;
    }
    if (!separate() || !read_number(operation.key)) return false;
    if (!separate() || !read_value(operation)) return false;
    skip_space();
    return take(']');
  }

  bool read_value(PlainOperation& operation) {
    if (operation.action == KeyAction::read) {
      if (take('[')) return read_numbers(operation);
      if (take(spelling_.nil)) return ends_here();
    }
    operation.kind = PlainOperation::Kind::number;
    return read_number(operation.number);
  }

  // Behind the bracket.
  bool read_numbers(PlainOperation& operation) {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    operation.kind = PlainOperation::Kind::numbers;
    if (is_json_) {
      if (!pass_json_numbers()) return false;
    } else {
      at_ += numbers_end(rest, 0);
    }
    operation.numbers = rest.substr(0, static_cast<std::size_t>(at_ - rest.data()));
    return take(']');
  }

  // JSON is particular about commas and zeros.
  bool pass_json_numbers() {
    skip_space();
    for (bool is_first = true; at_ != end_ && *at_ != ']'; is_first = false) {
      if (!is_first && !separate()) return false;
      take('-');
      const char* const first = at_;
      while (at_ != end_ && is_digit(*at_)) ++at_;
      if (!is_json_number(first) || !ends_here()) return false;
      skip_space();
    }
    return true;
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
    return at_ != first && (!is_json_ || is_json_number(first)) && ends_here();
  }

  // Of the digits that were passed.
  bool is_json_number(const char* first) const {
    return at_ != first && (*first != '0' || at_ == first + 1);
  }

  bool ends_here() const { return at_ != end_ && (*at_ == ' ' || *at_ == ',' || *at_ == ']'); }

  // Between two values. False: there is no comma, where one is due.
  bool separate() {
    skip_space();
    if (!is_json_) return true;
    if (!take(',')) return false;
    skip_space();
    return true;
  }

  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || (*at_ == ',' && !is_json_))) ++at_;
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

  const bool is_json_;
  const PlainSpelling& spelling_;
  const char* begin_;
  const char* at_;
  const char* end_;
};

}  // namespace

std::size_t read_plain_transaction(std::string_view text, std::size_t at, PlainForm form,
                                   std::vector<PlainOperation>& operations) {
  operations.clear();
  const std::size_t end = PlainReader(text, at, form).read(operations);
  if (end == 0) operations.clear();
  return end;
}

std::size_t numbers_end(std::string_view text, std::size_t at) {
  while (text.size() - at >= sizeof(Block) && are_in_numbers(text.data() + at)) at += sizeof(Block);
  while (at < text.size() && is_in_numbers(text[at])) ++at;
  return at;
}

}  // namespace heddle
