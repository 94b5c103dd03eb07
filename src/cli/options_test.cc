#include "cli/options/options.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/commands.h"
#include "cli/options/help.h"
#include "cli/options/values.h"

namespace heddle {
namespace {

Result<Arguments> parse(const std::vector<std::string>& words) {
  return parse_arguments(explore_command(), words, "1.2.3");
}

std::string message(const std::vector<std::string>& words) {
  const Result<Arguments> arguments = parse(words);
  return arguments ? "accepted" : to_string(arguments.error());
}

TEST(Options, take_values_in_both_forms) {
  const Result<Arguments> arguments =
      parse({"a.spec", "--jobs=3", "--seed", "7", "b.spec", "--all", "--timeout=500ms"});
  ASSERT_TRUE(arguments) << to_string(arguments.error());
  EXPECT_EQ(arguments->inputs(), (std::vector<std::string>{"a.spec", "b.spec"}));
  EXPECT_EQ(arguments->number("--jobs"), 3U);
  EXPECT_EQ(arguments->number("--seed"), 7U);
  EXPECT_EQ(arguments->duration_ms("--timeout"), 500U);
  EXPECT_TRUE(arguments->has("--all"));
  EXPECT_FALSE(arguments->has("--no-progress"));
  EXPECT_EQ(arguments->version(), "1.2.3");
}

TEST(Options, fall_back_on_the_table) {
  const Result<Arguments> arguments = parse({"a.spec"});
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments->text("--format"), "text");
  EXPECT_EQ(arguments->text("--output"), "");
  EXPECT_EQ(arguments->duration_ms("--step-timeout"), 30'000U);
  EXPECT_FALSE(arguments->has("--on"));
  EXPECT_TRUE(arguments->levels("--isolation").empty());
}

TEST(Options, repeat_or_let_the_last_one_count) {
  const Result<Arguments> arguments =
      parse({"--isolation=serializable", "--jobs=1", "a.spec", "--isolation", "read-committed",
             "--jobs=2", "--isolation=serializable"});
  ASSERT_TRUE(arguments) << to_string(arguments.error());
  EXPECT_EQ(arguments->number("--jobs"), 2U);
  EXPECT_EQ(
      arguments->levels("--isolation"),
      (std::vector<IsolationLevel>{IsolationLevel::serializable, IsolationLevel::read_committed}));
  EXPECT_EQ(arguments->inputs(), std::vector<std::string>{"a.spec"});
}

TEST(Options, keep_odd_inputs) {
  const Result<Arguments> arguments = parse({"-", "a=b.spec", "--", "--all", "-x"});
  ASSERT_TRUE(arguments) << to_string(arguments.error());
  EXPECT_EQ(arguments->inputs(), (std::vector<std::string>{"-", "a=b.spec", "--all", "-x"}));
  EXPECT_FALSE(arguments->has("--all"));
}

TEST(Options, refuse_with_one_clear_message) {
  EXPECT_EQ(message({}), "heddle explore needs FILE.spec..., see \"heddle help explore\"");
  EXPECT_EQ(message({"--jbos=2", "a.spec"}),
            "heddle explore has no option \"--jbos\", did you mean \"--jobs\"?");
  EXPECT_EQ(message({"-j2", "a.spec"}),
            "heddle explore has no option \"-j2\", see \"heddle help explore\"");
  EXPECT_EQ(message({"a.spec", "--jobs"}), "--jobs needs a value, write --jobs=N");
  EXPECT_EQ(message({"--jobs", "--all", "a.spec"}), "--jobs needs a value, write --jobs=N");
  EXPECT_EQ(message({"--jobs=", "a.spec"}), "--jobs needs a value, write --jobs=N");
  EXPECT_EQ(message({"--all=yes", "a.spec"}), "--all takes no value, write just --all");
  EXPECT_EQ(message({"--jobs=0", "a.spec"}), "--jobs=0 is too small, give at least 1");
  EXPECT_EQ(message({"-", "-"}), "standard input (-) is named twice, name it once");
}

TEST(Options, what_is_meant_is_proposed) {
  const auto proposed = [](const CommandDefinition& command, const std::string& word) {
    const Result<Arguments> parsed = parse_arguments(command, {word, "x"}, "1.0");
    return parsed ? "none" : parsed.error().what_to_do;
  };
  const CommandDefinition& find = find_command_definition();
  EXPECT_EQ(proposed(find, "--list"), "did you mean \"--list-statements\"?");
  EXPECT_EQ(proposed(find, "--print"), "did you mean \"--print-program\"?");
  EXPECT_EQ(proposed(find, "--level=serializable"), "did you mean \"--isolation\"?");
  EXPECT_EQ(proposed(find, "--threads=4"), "did you mean \"--jobs\"?");
  EXPECT_EQ(proposed(find, "--frobnicate"), "see \"heddle help find\"");
  EXPECT_EQ(proposed(explore_command(), "--list"), "see \"heddle help explore\"");
  EXPECT_EQ(proposed(check_command(), "--isolation=snapshot"), "did you mean \"--level\"?");
}

TEST(Options, every_fallback_is_a_legal_value) {
  for (const CommandDefinition* command : commands()) {
    for (const OptionDefinition& option : command->options) {
      if (option.fallback.empty()) continue;
      EXPECT_TRUE(check_value(option, option.fallback)) << command->word << " " << option.name;
    }
  }
}

TEST(Options, every_row_of_every_table_is_complete) {
  for (const CommandDefinition* command : commands()) {
    EXPECT_NE(command->run, nullptr) << command->word;
    EXPECT_FALSE(command->exit_codes.empty()) << command->word;
    EXPECT_FALSE(command->examples.empty()) << command->word;
    for (const OptionDefinition& option : command->options) {
      const std::string name = fmt::format("{} {}", command->word, option.name);
      EXPECT_TRUE(option.name.starts_with("--")) << name;
      EXPECT_TRUE(option.meaning.ends_with('.')) << name;
      EXPECT_FALSE(option.group.empty()) << name;
      EXPECT_EQ(option.value.empty(), option.kind == ValueKind::flag) << name;
      EXPECT_EQ(option.choices.empty(), option.kind != ValueKind::choice) << name;
    }
  }
}

TEST(Commands, suggest_the_word_that_was_meant) {
  EXPECT_EQ((*find_command("replay"))->word, "replay");
  EXPECT_EQ(to_string(find_command("exlpore").error()),
            "unknown command \"exlpore\", did you mean \"explore\"?");
  EXPECT_EQ(to_string(find_command("verify").error()),
            "unknown command \"verify\", did you mean \"check\"?");
  EXPECT_EQ(to_string(find_command("--versoin").error()),
            "unknown command \"--versoin\", did you mean \"--version\"?");
  EXPECT_EQ(to_string(find_command("zzzzzzzz").error()),
            "unknown command \"zzzzzzzz\", use one of: explore, replay, check, find, split, "
            "record, race, hold, clean, help, completion");
}

TEST(Commands, help_names_all_commands) {
  const std::vector<std::string_view>& choices = help_command().choices;
  EXPECT_EQ(std::vector<std::string>(choices.begin(), choices.end()), command_words());
}

TEST(Help, fits_a_terminal_and_names_every_option) {
  for (const CommandDefinition* command : commands()) {
    const std::string text = help_for(*command);
    for (const OptionDefinition& option : command->options) {
      EXPECT_NE(text.find("\n  " + spelled(option)), std::string::npos) << option.name;
    }
    EXPECT_NE(overview().find(fmt::format("\n  {}", command->word)), std::string::npos);
  }
}

TEST(Help, wraps_words) {
  EXPECT_EQ(wrapped("one two three", 2, 9), "  one two\n  three\n");
  EXPECT_EQ(wrapped("unbreakable", 2, 5), "  unbreakable\n");
  EXPECT_EQ(wrapped("", 0, 5), "\n");
}

}  // namespace
}  // namespace heddle
