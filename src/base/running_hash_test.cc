#include "base/running_hash.h"

#include <cstddef>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace heddle {
namespace {

std::uint64_t hash_of(std::string_view bytes) {
  RunningHash hash;
  hash.add(bytes);
  return hash.value();
}

TEST(RunningHash, is_the_same_wherever_the_bytes_are_cut) {
  const std::string bytes = "The quick brown fox jumps over the lazy dog.";
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    for (std::size_t second = first; second <= bytes.size(); ++second) {
      RunningHash hash;
      hash.add(bytes.substr(0, first));
      hash.add(bytes.substr(first, second - first));
      hash.add(bytes.substr(second));
      EXPECT_EQ(hash.value(), hash_of(bytes));
    }
  }
}

TEST(RunningHash, differs_where_a_byte_does) {
  std::set<std::uint64_t> hashes;
  std::size_t count = 0;
  for (std::size_t length = 0; length < 40; ++length) {
    std::string bytes(length, '\0');
    hashes.insert(hash_of(bytes));
    ++count;
    for (std::size_t at = 0; at < length; ++at) {
      bytes[at] = 'x';
      hashes.insert(hash_of(bytes));
      bytes[at] = '\0';
      ++count;
    }
  }
  EXPECT_EQ(hashes.size(), count);
}

}  // namespace
}  // namespace heddle
