// Numbers as letters that go through any shell: those of RFC 4648, section 5, six bits each.
//
// A number is cut in two: its k lowest bits as they are, and before them how many bits are left,
// counted in zeros, with these bits behind (an exponential Golomb code: Teuhola, 1978). Numbers of
// one kind are much alike, so k follows those that were written before (as in JPEG-LS: Weinberger,
// Seroussi and Sapiro, 2000): the operations of a large program take hardly more than their digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::sched::runtime {

// One kind of number, and what has been seen of it.
class NumberKind {
 public:
  // `about`: what such a number is before one was seen.
  explicit NumberKind(std::uint64_t about) : sum_(about) {}

  // How many bits are written as they are.
  unsigned low_bits() const;
  void see(std::uint64_t number);

 private:
  std::uint64_t sum_;
  std::uint64_t count_ = 1;
};

class LetterWriter {
 public:
  // The `count` lowest bits, the highest of these first.
  void put_bits(std::uint64_t bits, unsigned count);
  void put(NumberKind& kind, std::uint64_t number);
  // Bits are filled up to whole letters.
  std::string letters() const;

 private:
  std::vector<bool> bits_;
};

class LetterReader {
 public:
  // None: a letter is none of ours.
  static std::optional<LetterReader> of(std::string_view letters);

  // None: there are no more.
  std::optional<std::uint64_t> take_bits(unsigned count);
  std::optional<std::uint64_t> take(NumberKind& kind);
  // Whether nothing is left but what fills the last letter up.
  bool is_at_end() const;

 private:
  std::vector<bool> bits_;
  std::size_t at_ = 0;
};

}  // namespace heddle::sched::runtime
