// Tables so wide that columns are looked up in an index: whatever ALTER does to them, they are the
// columns of a plain list that is changed the same way.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "heddle/schema.h"

namespace heddle {
namespace {

std::string create(const std::string& table, std::size_t count) {
  std::string text = "CREATE TABLE " + table + " (c0 int";
  for (std::size_t i = 1; i < count; ++i) text += fmt::format(", c{} int", i);
  return text + ");\n";
}

std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const TableColumn& column : table.columns) names.push_back(column.name);
  return names;
}

// A text of ALTERs and the names that a list has after the same changes.
class RandomAlters {
 public:
  explicit RandomAlters(unsigned seed) : random_(seed) {
    for (std::size_t i = 0; i < 100; ++i) names_.push_back(fmt::format("c{}", i));
  }

  std::string next() {
    const std::size_t at = below(names_.size());
    const std::string name = names_[at];
    const std::string written = below(2) == 0 ? name : upper(name);
    switch (below(4)) {
      case 0:
        names_.push_back(fmt::format("n{}", ++made_));
        return fmt::format("ALTER TABLE t ADD COLUMN {} int;\n", names_.back());
      case 1:
        if (names_.size() < 70) return "";
        names_.erase(names_.begin() + static_cast<std::ptrdiff_t>(at));
        return fmt::format("ALTER TABLE t DROP COLUMN {};\n", written);
      case 2:
        names_[at] = fmt::format("n{}", ++made_);
        return fmt::format("ALTER TABLE t CHANGE COLUMN {} {} bigint;\n", written, names_[at]);
      default:
        names_.erase(names_.begin() + static_cast<std::ptrdiff_t>(at));
        names_.insert(names_.begin(), name);
        return fmt::format("ALTER TABLE t MODIFY COLUMN {} int FIRST;\n", name);
    }
  }

  const std::vector<std::string>& names() const { return names_; }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  static std::string upper(std::string name) {
    std::ranges::transform(name, name.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return name;
  }

  std::mt19937 random_;
  std::vector<std::string> names_;
  std::size_t made_ = 0;
};

TEST(WideTable, has_the_columns_of_a_plain_list) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    RandomAlters alters(seed);
    std::string text = create("t", 100);
    for (int i = 0; i < 100; ++i) text += alters.next();
    const SchemaReading reading = parse_schema(text, Dialect::mysql);
    ASSERT_TRUE(reading.errors.empty()) << to_string(reading.errors.front()) << "\n" << text;
    EXPECT_EQ(names_of(reading.schema.tables.at(0)), alters.names()) << text;
  }
}

TEST(WideTable, says_what_it_does_not_have) {
  for (const Dialect dialect : {Dialect::postgres, Dialect::mysql, Dialect::sqlite}) {
    std::string text = create("t", 200) + create("u", 200);
    text += "ALTER TABLE t ADD COLUMN C17 int;\n";
    text += "ALTER TABLE u RENAME COLUMN c5 TO d5;\nALTER TABLE u RENAME COLUMN c5 TO e5;\n";
    const SchemaReading reading = parse_schema(text, dialect);
    ASSERT_EQ(reading.errors.size(), 2U);
    EXPECT_NE(to_string(reading.errors[0]).find("17 is defined twice"), std::string::npos);
    EXPECT_NE(to_string(reading.errors[1]).find("no column c5"), std::string::npos);
  }
}

TEST(WideTable, of_100000_columns_is_read_soon) {
  std::string text = create("t", 100'000);
  text.resize(text.size() - 3);
  text += ", PRIMARY KEY (c99999, c17), UNIQUE (c5, c99998));\n";
  const SchemaReading reading = parse_schema(text, Dialect::mysql);
  EXPECT_TRUE(reading.errors.empty());
  EXPECT_EQ(reading.schema.tables.at(0).columns.size(), 100'000U);
}

}  // namespace
}  // namespace heddle
