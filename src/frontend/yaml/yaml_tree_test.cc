// Trees of YAML, and texts that are none.
#include "frontend/yaml/yaml_tree.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

std::string shown_tree(const YamlNode& node) {
  std::string text;
  switch (node.kind) {
    case YamlKind::nothing:
      return "~";
    case YamlKind::scalar:
      return node.text;
    case YamlKind::list:
      for (const YamlPart& item : node.items) text += (text.empty() ? "" : " ") + shown_tree(*item);
      return "[" + text + "]";
    case YamlKind::map:
      for (const auto& [key, value] : node.entries) {
        text += (text.empty() ? "" : " ") + shown_tree(*key) + ":" + shown_tree(*value);
      }
      return "{" + text + "}";
  }
  return text;
}

std::string read_yaml(const std::string& text) {
  const Result<YamlPart> tree = parse_yaml(text, "f", "write it well");
  return tree ? shown_tree(**tree) : to_string(tree.error());
}

TEST(YamlTree, ListsMapsAndAliases) {
  EXPECT_EQ(read_yaml("a: [1, two, ~]\nb:\n  - x: y\n  -\n"), "{a:[1 two ~] b:[{x:y} ~]}");
  EXPECT_EQ(read_yaml("a: &one [1, 2]\nb: *one\nc: &text word\nd: [*text, *one]\n"),
            "{a:[1 2] b:[1 2] c:word d:[word [1 2]]}");
  EXPECT_EQ(read_yaml("a: 1\na: 2\n"), "{a:1 a:2}");
  EXPECT_EQ(read_yaml(""), "~");
}

TEST(YamlTree, LinesEndAsOnAnySystem) {
  EXPECT_EQ(read_yaml("a:\r\n  - x\r\n  - y\r\n"), "{a:[x y]}");
  EXPECT_EQ(read_yaml("\xef\xbb\xbf"
                      "a: b\n"),
            "{a:b}");
}

TEST(YamlTree, BytesThatAreNoText) {
  EXPECT_EQ(read_yaml("a: b\nc: \xff\n"), "f:2:4: this is no UTF-8, save it as UTF-8");
  EXPECT_EQ(read_yaml(std::string("a: b\0c\n", 7)), "f:1:5: here is a NUL, take it out");
  EXPECT_EQ(read_yaml("\xff\xfe"
                      "a"),
            "f:1:1: this is no UTF-8, save it as UTF-8");
}

TEST(YamlTree, WhatIsNoYaml) {
  EXPECT_EQ(read_yaml("a:\n\tb: c\n"),
            "f:2:1: a tab is no indentation in YAML, indent with spaces");
  EXPECT_EQ(read_yaml("a: [1, 2\n"),
            "f:2:1: this is no YAML: end of sequence flow not found, write it "
            "well");
  EXPECT_EQ(read_yaml("a: b\n---\nc: d\n"),
            "f:2:1: a second document begins here, put everything into one, without ---");
}

TEST(YamlTree, AliasesCannotGoRound) {
  EXPECT_EQ(read_yaml("a: &x [1, *x]\n"),
            "f:1:11: this alias is inside of what it names, write it out");
}

// Each line doubles what it names: written out that would be 2 to the power of 40 words.
TEST(YamlTree, AliasesTakeNoSpace) {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 40; ++i) text += fmt::format("a{0}: &a{0} [*a{1}, *a{1}]\n", i, i - 1);
  EXPECT_TRUE(parse_yaml(text, "f", "write it well").has_value());
}

TEST(YamlTree, DepthAndLengthAreBounded) {
  for (const std::string& text : {std::string(500'000, '['), std::string(20'000, '{'),
                                  [] {
                                    std::string steps;
                                    for (int i = 0; i < 1'000; ++i) {
                                      steps +=
                                          std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
                                    }
                                    return steps;
                                  }(),
                                  [] {
                                    std::string chain = "a0: &a0 [x]\n";
                                    for (int i = 1; i < 10'000; ++i) {
                                      chain += fmt::format("a{0}: &a{0} [*a{1}]\n", i, i - 1);
                                    }
                                    return chain;
                                  }()}) {
    const std::string message = read_yaml(text);
    EXPECT_NE(message.find("this is nested too deeply"), message.npos) << message.substr(0, 200);
  }
  EXPECT_EQ(read_yaml(std::string(2'000'000, 'a')),
            "f: this is longer than 1048576 bytes, give less");
}

}  // namespace
}  // namespace heddle
