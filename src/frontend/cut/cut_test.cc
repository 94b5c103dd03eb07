// Cuts as JSON and YAML, good and bad.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "heddle/split.h"

namespace heddle {
namespace {

// "M1: account, wallet; M2: log", or the message.
std::string read_cut_text(const std::string& text) {
  const Result<Cut> cut = parse_cut(text, "cut");
  if (!cut) return to_string(cut.error());
  std::string shown;
  for (const Service& service : cut->services) {
    shown += (shown.empty() ? "" : "; ") + service.name + ":";
    for (const CutTable& table : service.tables) {
      shown += fmt::format(" {}@{}:{}", table.name, table.position.line, table.position.column);
    }
  }
  return shown;
}

TEST(CutReader, reads_json) {
  EXPECT_EQ(read_cut_text("{\"M1\": [\"account\", \"wallet\"],\n \"M2\": [\"log\"]}"),
            "M1: account@1:9 wallet@1:20; M2: log@2:9");
}

TEST(CutReader, reads_yaml) {
  EXPECT_EQ(read_cut_text("# a plan\nM1:\n  - account\n  - wallet\nM2: [log]\n"),
            "M1: account@3:5 wallet@4:5; M2: log@5:6");
}

TEST(CutReader, says_what_is_wrong) {
  const std::string form = R"(, write {"SERVICE": ["TABLE", ...], ...})";
  EXPECT_EQ(read_cut_text("[1, 2]"), "cut:1:1: this is no map from services to tables" + form);
  EXPECT_EQ(read_cut_text("{\"M1\": \"account\"}"),
            "cut:1:8: the service \"M1\" has no list of tables" + form);
  EXPECT_EQ(read_cut_text("{\"M1\": [[]]}"),
            "cut:1:9: the service \"M1\" has something that is no name of a table" + form);
  EXPECT_EQ(read_cut_text("{\"M1\": [\"a\"], \"M1\": [\"b\"]}"),
            "cut:1:15: the service \"M1\" is there twice, put all its tables into one list");
  EXPECT_EQ(read_cut_text("{\"M1\": [\"a\"], \"M2\": [\"a\"]}"),
            "cut:1:22: the table \"a\" is there twice, a table belongs to one service");
  EXPECT_EQ(read_cut_text("{\"M1\": []}"),
            "cut:1:2: the service \"M1\" has no tables, leave it out");
  EXPECT_EQ(read_cut_text("{}"), "cut:1:1: there is no service" + form);
  EXPECT_NE(read_cut_text("{\"M1\": [\"a\"").find("cut:"), std::string::npos);
  EXPECT_NE(read_cut_text(std::string(1'000, '[')).find("nested too deeply"), std::string::npos);
}

}  // namespace
}  // namespace heddle
