// docs/formats/history.md shows a file in each textual format: they must be read without complaint,
// and heddle's own is what heddle writes.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/source_tree_testing.h"
#include "frontend/history/formats/read_history.h"
#include "frontend/history/formats/write_history.h"

namespace heddle {
namespace {

struct Fence {
  std::string language;
  std::string content;
};

std::vector<Fence> read_fences() {
  std::ifstream file(source_tree() / "docs/formats/history.md");
  std::vector<Fence> fences;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) fences.push_back({line.substr(3), ""});
    } else if (inside) {
      fences.back().content += line + "\n";
    }
  }
  return fences;
}

const std::map<std::string, HistoryFormat> kLanguages = {{"jsonl", HistoryFormat::heddle_lines},
                                                         {"textbook", HistoryFormat::textbook},
                                                         {"plume", HistoryFormat::plume},
                                                         {"awdit", HistoryFormat::awdit}};

TEST(HistoryDocs, examples_are_read) {
  std::map<std::string, unsigned> examples;
  for (const Fence& fence : read_fences()) {
    ASSERT_TRUE(kLanguages.contains(fence.language)) << fence.language;
    ++examples[fence.language];
    const auto history =
        read_history(fence.content, "history.md", {.format = kLanguages.at(fence.language)});
    EXPECT_TRUE(history) << to_string(history.error()) << "\n" << fence.content;
  }
  EXPECT_EQ(examples.size(), kLanguages.size());
  EXPECT_EQ(examples["jsonl"], 2U);
}

TEST(HistoryDocs, examples_are_what_heddle_writes) {
  for (const Fence& fence : read_fences()) {
    const HistoryFormat format = kLanguages.at(fence.language);
    if (format == HistoryFormat::textbook) continue;  // it has comments
    const auto history = read_history(fence.content, "history.md", {.format = format});
    ASSERT_TRUE(history);
    const Result<std::string> written = write_history(*history, format);
    ASSERT_TRUE(written) << to_string(written.error());
    EXPECT_EQ(*written, fence.content);
  }
}

TEST(HistoryDocs, every_format_is_in_the_table) {
  std::ifstream file(source_tree() / "docs/formats/history.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  for (const HistoryFormatName& row : history_formats()) {
    EXPECT_NE(page.find("`" + std::string(row.name) + "`"), std::string::npos) << row.name;
  }
  for (int i = 0; i <= static_cast<int>(ObjectFunction::transfer); ++i) {
    const std::string name(to_string(static_cast<ObjectFunction>(i)));
    EXPECT_NE(page.find("`" + name + "`"), std::string::npos) << name;
  }
  for (int i = 0; i <= static_cast<int>(ObjectModel::bank); ++i) {
    const std::string name(to_string(static_cast<ObjectModel>(i)));
    EXPECT_NE(page.find("`" + name + "`"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace heddle
