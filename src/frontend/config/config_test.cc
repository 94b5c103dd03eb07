// heddle.yaml, good and bad.
#include "frontend/config/config.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

std::string shown(const std::string& key, const std::vector<Setting>& settings) {
  std::string text;
  for (const Setting& setting : settings) {
    text += fmt::format("{} {}@{}:{}\n", key, setting.text, setting.position.line,
                        setting.position.column);
  }
  return text;
}

// One line for each setting, or the message.
std::string read(const std::string& text) {
  const Result<Config> config = parse_config(text, "heddle.yaml");
  if (!config) return to_string(config.error());
  const ProgramSettings& program = config->program;
  std::string all = shown("files", program.files) + shown("schema", program.schema) +
                    shown("dialect", program.dialect);
  for (const LevelSetting& level : program.levels) {
    all += shown("level of " + (level.functionality.empty() ? "all" : level.functionality),
                 {level.level});
  }
  return all + shown("entries", program.entries) + shown("exclude", program.exclude) +
         shown("refusals", program.refusals);
}

TEST(Config, EverythingHasItsPlace) {
  EXPECT_EQ(read("program:\n"
                 "  files: [schema.sql, src/main/java]\n"
                 "  schema: postgres://me@localhost/shop   # a comment\n"
                 "  dialect: mysql\n"
                 "  levels:\n"
                 "    all: read-committed\n"
                 "    Accounts.pay: serializable\n"
                 "  entries:\n"
                 "    - \"*Controller.*\"\n"
                 "  exclude: [src/legacy, '*.gen.java']\n"
                 "  refusals: ['23505', 'seat * is taken']\n"),
            "files schema.sql@2:11\n"
            "files src/main/java@2:23\n"
            "schema postgres://me@localhost/shop@3:11\n"
            "dialect mysql@4:12\n"
            "level of all read-committed@6:10\n"
            "level of Accounts.pay serializable@7:19\n"
            "entries *Controller.*@9:7\n"
            "exclude src/legacy@10:13\n"
            "exclude *.gen.java@10:25\n"
            "refusals 23505@11:14\n"
            "refusals seat * is taken@11:23\n");
}

TEST(Config, OneTextIsAListOfOne) {
  EXPECT_EQ(read("program: {exclude: old, levels: snapshot}"),
            "level of all snapshot@1:33\nexclude old@1:20\n");
}

TEST(Config, WhatIsNotThereIsNotSet) {
  for (const char* const text : {"", "# nothing\n", "---\n", "program:\n", "program: {}\n", "{}"}) {
    EXPECT_EQ(read(text), "") << text;
  }
}

TEST(Config, SectionsOfOtherCommandsAreLeftAlone) {
  EXPECT_EQ(read("services: {orders: [{url: x, url: y}], 7: *a}\n"),
            "heddle.yaml:1:43: this is no YAML: the referenced anchor is not defined, write "
            "\"program:\" and its keys below it");
  EXPECT_EQ(read("services: {orders: [{url: x, url: y}], ? [a] : b}\nstores:\n  - whatever\n"
                 "program: {dialect: mysql}\n"),
            "dialect mysql@4:20\n");
}

TEST(Config, UnknownKeysAreCorrected) {
  EXPECT_EQ(read("progam:\n  dialect: mysql\n"),
            "heddle.yaml:1:1: there is no section \"progam\", did you mean \"program\"?");
  EXPECT_EQ(read("program:\n  dialetc: mysql\n"),
            "heddle.yaml:2:3: there is no key of \"program\" \"dialetc\", did you mean "
            "\"dialect\"?");
  EXPECT_EQ(read("program:\n  exclusions: [a]\n"),
            "heddle.yaml:2:3: there is no key of \"program\" \"exclusions\", did you mean "
            "\"exclude\"?");
  EXPECT_EQ(read("program:\n  isolation: snapshot\n"),
            "heddle.yaml:2:3: there is no key of \"program\" \"isolation\", did you mean "
            "\"levels\"?");
  EXPECT_EQ(read("program:\n  zzzzzzzz: 1\n"),
            "heddle.yaml:2:3: there is no key of \"program\" \"zzzzzzzz\", use one of: files, "
            "schema, dialect, levels, entries, exclude, refusals");
  EXPECT_EQ(read("dialect: mysql\n"),
            "heddle.yaml:1:1: there is no section \"dialect\", write it below \"program:\"");
}

TEST(Config, WhatIsTwiceThereIsNoGuess) {
  EXPECT_EQ(read("program: {dialect: mysql}\nprogram: {dialect: sqlite}\n"),
            "heddle.yaml:2:1: the section \"program\" is there twice, put both into one");
  EXPECT_EQ(
      read("program:\n  dialect: mysql\n  dialect: sqlite\n"),
      "heddle.yaml:3:3: the key of \"program\" \"dialect\" is there twice, put both into one");
  EXPECT_EQ(read("program: {levels: {f: snapshot, f: serializable}}"),
            "heddle.yaml:1:33: \"f\" has two levels, leave one out");
}

TEST(Config, ValuesOfTheWrongKind) {
  EXPECT_EQ(read("[program]"),
            "heddle.yaml:1:1: these are no sections, write \"program:\" and its keys below it");
  EXPECT_EQ(read("program: [dialect]"),
            "heddle.yaml:1:10: the section \"program\" has no keys, use one of: files, schema, "
            "dialect, levels, entries, exclude, refusals");
  EXPECT_EQ(read("program: {dialect: [mysql]}"),
            "heddle.yaml:1:20: \"dialect\" needs a text, write dialect: VALUE, or leave the key "
            "out");
  EXPECT_EQ(read("program:\n  dialect:\n"),
            "heddle.yaml:2:3: \"dialect\" needs a text, write dialect: VALUE, or leave the key "
            "out");
  EXPECT_EQ(read("program: {exclude: {a: b}}"),
            "heddle.yaml:1:20: \"exclude\" needs a list of texts, write exclude: [VALUE, ...], or "
            "leave the key out");
  EXPECT_EQ(read("program: {exclude: []}"),
            "heddle.yaml:1:20: \"exclude\" needs a list of texts, write exclude: [VALUE, ...], or "
            "leave the key out");
  EXPECT_EQ(read("program: {exclude: [a, [b]]}"),
            "heddle.yaml:1:24: \"exclude\" has something in its list that is no text, write "
            "exclude: [VALUE, ...]");
  EXPECT_EQ(read("program: {levels: [snapshot]}"),
            "heddle.yaml:1:19: \"levels\" needs levels, write levels: {all: LEVEL, FUNCTIONALITY: "
            "LEVEL, ...}");
  EXPECT_EQ(read("program: {levels: {f: {}}}"),
            "heddle.yaml:1:23: \"f\" has no level, write levels: {all: LEVEL, FUNCTIONALITY: "
            "LEVEL, ...}");
}

}  // namespace
}  // namespace heddle
