// Values that are not to be written, found again wherever they stand in a text and however they are
// encoded there.
//
// The last bytes of each form of each value (as it is, in base64 at each of three alignments, in
// hexadecimal, quoted as SQL, forms and HTML do) are kept in a table: the first ones are the same
// for most tokens of a system. A text is looked through once for these, and once more as it is
// without percent-encoding and without backslashes: so it does not matter which of its characters
// are escaped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "record/redact/encodings.h"
#include "record/redact/placeholder.h"

namespace heddle {

// What is shorter is found everywhere by chance, and never searched for.
inline constexpr std::size_t kShortestSearched = 6;
// What is longer is no value that a person or a program gives as a secret.
inline constexpr std::size_t kLongestSearched = std::size_t{16} << 10;

class KnownSecrets {
 public:
  // `key` makes placeholders. When more than `most` values are known, the oldest are forgotten.
  KnownSecrets(std::string key, std::size_t most);

  // The placeholder of the value: that of what it is without percent-encoding.
  std::string placeholder_of(std::string_view value, Hiding hiding) const;
  // From now on `replace_in` finds the value, if it is neither too short nor too long.
  void remember(std::string_view value, Hiding hiding);
  // The text with placeholders instead of values. Placeholders stay. Takes time proportional to the
  // text, and to the places where a value ends.
  std::string replace_in(std::string_view text) const;

  // Grows when a value is remembered: what was looked through before may hold it.
  std::uint64_t remembered() const { return remembered_; }
  std::uint64_t forgotten() const { return remembered_ - values_.size(); }

 private:
  struct Value {
    std::string text;
    Hiding hiding = Hiding::secret;
  };
  struct Entry {
    std::uint64_t number = 0;  // of the value, as `remembered_` counts
    std::uint8_t form = 0;
  };
  // A value in the text that is looked through.
  struct Match {
    std::size_t begin = 0;
    std::size_t end = 0;
    const Value* value = nullptr;
  };

  void add(std::string text, Hiding hiding);
  void forget_oldest();
  // What ends at `begin` up to, not including, `end`.
  void find_between(const TextView& view, std::size_t begin, std::size_t end,
                    std::vector<Match>& found) const;
  void find_decoded(const TextView& view, std::size_t depth, std::vector<Match>& found) const;
  void find_before(const TextView& view, std::size_t end, std::vector<Match>& found) const;
  const Value& value_of(std::uint64_t number) const;

  std::string key_;
  std::size_t most_;
  std::uint64_t remembered_ = 0;
  std::vector<Value> values_;  // number n is at (n - 1) % most_
  std::unordered_map<std::string, std::uint64_t> numbers_;
  std::unordered_multimap<std::uint64_t, Entry> entries_;  // by the last bytes
  std::size_t longest_ = 0;                                // of all forms
  std::vector<bool> last_bytes_;  // which of these there may be, by a hash of them
};

}  // namespace heddle
