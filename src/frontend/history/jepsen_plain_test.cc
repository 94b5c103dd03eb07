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
  RandomJepsen(std::uint32_t seed, HistoryFormat format)
      : random_(seed), is_json_(format == HistoryFormat::jepsen_json) {}

  // Each event once as it is and once with what makes no difference in each transaction: a value
  // that is discarded, a tab.
  void add_events(std::string& plain, std::string& other) {
    for (auto left = 1 + random_() % 12; left > 0; --left) add_event(plain, other);
  }

 private:
  void add_event(std::string& plain, std::string& other) {
    const auto process = random_() % 4;
    const bool begins = !is_open_[process];
    is_open_[process] = begins;
    static constexpr const char* kEnds[] = {"ok", "ok", "ok", "fail", "info"};
    const char* const type = begins ? "invoke" : kEnds[random_() % std::size(kEnds)];
    std::string begin = "{" + field("type") + name(type) + separator() + field("f") + name("txn") +
                        separator() + field("value");
    const std::string end = random_() % 20 == 0
                                ? "}\n"
                                : separator() + field("process") + fmt::format("{}}}\n", process);
    const std::string value = transaction();
    plain += begin + value + end;
    const std::string noise = is_json_ ? "[\t" : "[#_ 0 ";
    other += begin + (value.starts_with('[') ? noise + value.substr(1) : value) + end;
  }

  std::string transaction() {
    if (random_() % 15 == 0) return random_() % 2 == 0 ? nil() : "[]";
    std::string text;
    for (auto left = 1 + random_() % 4; left > 0; --left) {
      text += (text.empty() ? "" : separator()) + operation();
    }
    return "[" + text + "]";
  }

  std::string operation() {
    const auto key = random_() % 4;
    const bool is_list = key % 2 == 0;
    const auto odd = random_() % 25;
    if (odd == 0) return "[" + name("r") + separator() + fmt::format("{}]", key);
    if (odd == 1) return micro("w", key, "\"a]\"");
    if (odd == 2) return micro("r", key, "[1" + separator() + "2.5]");
    if (odd == 3) return micro("r", key, "[1" + separator() + "1234567890123456789]");
    if (odd == 4) return micro("write", key, "3");
    if (random_() % 2 == 0) {
      return micro(is_list ? "append" : "w", key, fmt::to_string(++last_));
    }
    if (random_() % 4 == 0) return micro("r", key, nil());
    if (!is_list) return micro("r", key, fmt::to_string(last_));
    std::string list;
    const auto size = random_() % 9;
    for (std::size_t i = 0; i < size; ++i) {
      list += (i == 0 ? "" : separator()) + fmt::to_string(10 - i);
    }
    return micro("r", key, "[" + list + "]");
  }

  std::string micro(std::string_view function, std::size_t key, std::string_view value) const {
    return "[" + name(function) + separator() + fmt::format("{}{}{}]", key, separator(), value);
  }
  std::string field(std::string_view text) const { return name(text) + (is_json_ ? ": " : " "); }
  std::string name(std::string_view text) const {
    return is_json_ ? fmt::format("\"{}\"", text) : fmt::format(":{}", text);
  }
  std::string separator() const { return is_json_ ? "," : " "; }
  std::string nil() const { return is_json_ ? "null" : "nil"; }

  std::mt19937 random_;
  bool is_json_;
  std::vector<bool> is_open_ = std::vector<bool>(4, false);
  int last_ = 0;
};

// Complaints name other places where something is put in between.
std::string without_place(std::string text) {
  if (!text.starts_with("file:")) return text;
  return "file: " + text.substr(text.find(": ") + 2);
}

TEST(JepsenPlain, is_read_like_all_others) {
  for (const HistoryFormat format : {HistoryFormat::jepsen_edn, HistoryFormat::jepsen_json}) {
    std::size_t read = 0;
    for (std::uint32_t seed = 0; seed < test_rounds(5'000); ++seed) {
      std::string plain;
      std::string other;
      RandomJepsen(seed, format).add_events(plain, other);
      const std::string expected = without_place(dump_read(other, format, {}));
      ASSERT_EQ(without_place(dump_read(plain, format, {})), expected) << plain;
      read += expected.starts_with("file:") ? 0 : 1;
    }
    EXPECT_GT(read, 500U);
  }
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
