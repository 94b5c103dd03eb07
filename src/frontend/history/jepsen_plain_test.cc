// Histories of plain transactions are read as they are where nothing in them is plain.
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "frontend/history/jepsen.h"
#include "frontend/history/jepsen_dump_testing.h"

namespace heddle {
namespace {

class RandomJepsen {
 public:
  explicit RandomJepsen(std::uint32_t seed) : random_(seed) {}

  // Each event once as it is and once with a discarded value in each transaction, which makes no
  // difference.
  void add_events(std::string& plain, std::string& discarding) {
    for (auto left = 1 + random_() % 12; left > 0; --left) add_event(plain, discarding);
  }

 private:
  void add_event(std::string& plain, std::string& discarding) {
    const auto process = random_() % 4;
    const bool begins = !is_open_[process];
    is_open_[process] = begins;
    static constexpr const char* kEnds[] = {"ok", "ok", "ok", "fail", "info"};
    const char* const type = begins ? "invoke" : kEnds[random_() % std::size(kEnds)];
    const std::string who =
        random_() % 20 == 0 ? std::string() : fmt::format(" :process {}", process);
    const std::string value = transaction();
    const char* const format = "{{:type :{}{} :f :txn :value {}}}\n";
    plain += fmt::format(fmt::runtime(format), type, who, value);
    discarding += fmt::format(fmt::runtime(format), type, who,
                              value.starts_with('[') ? "[#_ 0 " + value.substr(1) : value);
  }

  std::string transaction() {
    if (random_() % 15 == 0) return random_() % 2 == 0 ? "nil" : "[]";
    std::string text;
    for (auto left = 1 + random_() % 4; left > 0; --left) {
      text += fmt::format("{}{}", text.empty() ? "" : " ", operation());
    }
    return "[" + text + "]";
  }

  std::string operation() {
    const auto key = random_() % 4;
    const bool is_list = key % 2 == 0;
    const auto odd = random_() % 25;
    if (odd == 0) return fmt::format("[:r {}]", key);
    if (odd == 1) return fmt::format("[:w {} \"a]\"]", key);
    if (odd == 2) return fmt::format("[:r {} [1 2.5]]", key);
    if (odd == 3) return fmt::format("[:r {} [1 -]]", key);
    if (odd == 4) return fmt::format("[\"append\" {} 3]", key);
    if (random_() % 2 == 0)
      return fmt::format("[:{} {} {}]", is_list ? "append" : "w", key, ++last_);
    if (random_() % 4 == 0) return fmt::format("[:r {} nil]", key);
    if (!is_list) return fmt::format("[:r {} {}]", key, last_);
    std::string list;
    for (int i = static_cast<int>(random_() % 9); i > 0; --i) list += fmt::format("{} ", 10 - i);
    return fmt::format("[:r {} [{}]]", key, list);
  }

  std::mt19937 random_;
  std::vector<bool> is_open_ = std::vector<bool>(4, false);
  int last_ = 0;
};

std::string without_columns(std::string text) {
  // Complaints name other columns, as the discarded values move what follows.
  const std::size_t line = text.starts_with("file:") ? text.find(':', 5) : std::string::npos;
  const std::size_t end = line == std::string::npos ? line : text.find(':', line + 1);
  return end == std::string::npos ? text : text.substr(0, line) + text.substr(end);
}

TEST(JepsenPlain, is_read_like_all_others) {
  std::size_t read = 0;
  for (std::uint32_t seed = 0; seed < test_rounds(5'000); ++seed) {
    std::string plain;
    std::string discarding;
    RandomJepsen(seed).add_events(plain, discarding);
    const std::string expected = dump_read(discarding, HistoryFormat::jepsen_edn, {});
    const std::string found = dump_read(plain, HistoryFormat::jepsen_edn, {});
    ASSERT_EQ(without_columns(found), without_columns(expected)) << plain;
    read += found.starts_with("file:") ? 0 : 1;
  }
  EXPECT_GT(read, 500U);
}

// Shows that the comparison can fail.
TEST(JepsenPlain, is_told_from_another) {
  const char* const text = "{{:type :ok :process 0 :f :txn :value [[:append 1 {}] [:r 1 [{}]]]}}";
  const auto dumped = [&](int append, int read) {
    return dump_read(fmt::format(fmt::runtime(text), append, read), HistoryFormat::jepsen_edn, {});
  };
  EXPECT_EQ(dumped(2, 2), "0 committed: append 1 2, r 1 [2]\n");
  EXPECT_NE(dumped(2, 2), dumped(3, 2));
  EXPECT_NE(dumped(2, 2), dumped(2, 3));
}

TEST(JepsenPlain, is_found_where_a_field_is_repeated) {
  EXPECT_EQ(dump_read("{:process 0 :type :ok :value [[:w 1 1]] :value [[:w 1 \"x\"]]}\n"
                      "{:process 0 :type :ok :value [[:w 1 \"x\"]] :value [[:w 1 2]]}\n"
                      "{:process 0 :type :ok :value [[:w 1 3]] :value nil}",
                      HistoryFormat::jepsen_edn, {}),
            "0 committed: w 1 x\n0 committed: w 1 2\n0 committed\n");
}

}  // namespace
}  // namespace heddle
