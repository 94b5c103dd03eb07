#include "cli/options/shared_options.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace heddle {

namespace {

constexpr std::string_view kLimits = "Limits";

}  // namespace

OptionDefinition on_option() {
  return {.name = "--on",
          .value = "STORE",
          .kind = ValueKind::text,
          .group = "Where to run",
          .meaning =
              "\"postgres\", \"mariadb\" and \"redis\" start a private throwaway server that needs "
              "nothing but the installed programs and leaves nothing behind, \"mariadb:ring\" two "
              "that replicate each other; \"sqlite\" and "
              "\"sqlite:wal\" make private files, without a server; \"replicated\" is inside of "
              "heddle, "
              "\"replicated:3\" with three replicas; \"postgres://user@host:port/\", "
              "\"mysql://user@host:port/\" and \"redis://host:port/\" use a given server, in a "
              "database that heddle creates and removes; of Redis, in a logical database that is "
              "empty. NAME=STORE is for the file's store of that name. Without it each store is a "
              "throwaway server of the kind that the file declares, else of PostgreSQL.",
          .repeatable = true};
}

OptionDefinition jobs_option(std::string_view meaning) {
  return {.name = "--jobs",
          .value = "N",
          .kind = ValueKind::count,
          .group = "Limits",
          .meaning = meaning};
}

std::size_t jobs_of(const Arguments& arguments) {
  if (arguments.has("--jobs")) return arguments.number("--jobs");
  return std::max(1U, std::thread::hardware_concurrency());
}

OptionDefinition step_timeout_option() {
  return {.name = "--step-timeout",
          .value = "DURATION",
          .kind = ValueKind::duration,
          .group = "Limits",
          .meaning = "Cancel a step that has not returned after this time.",
          .fallback = "30s"};
}

OptionDefinition fail_on_option(std::string_view group) {
  return {.name = "--fail-on",
          .value = "WHAT",
          .kind = ValueKind::choice,
          .group = group,
          .meaning =
              "What makes the exit code 1: any, all that is not refuted; or confirmed, only "
              "what a run has shown, for which --on is needed.",
          .fallback = "any",
          .choices = {"any", "confirmed"}};
}

OptionDefinition classes_option(std::string_view group, std::string_view meaning) {
  return {.name = "--classes",
          .value = "PATH",
          .kind = ValueKind::file,
          .group = group,
          .meaning = meaning};
}

OptionDefinition format_option(std::vector<std::string_view> formats, std::string_view meaning) {
  return {.name = "--format",
          .value = "FORMAT",
          .kind = ValueKind::choice,
          .group = kOutputGroup,
          .meaning = meaning,
          .fallback = "text",
          .choices = std::move(formats)};
}

OptionDefinition output_option() {
  return {.name = "--output",
          .value = "FILE",
          .kind = ValueKind::file,
          .group = kOutputGroup,
          .meaning = "Write to FILE instead of standard output, whole or not at all."};
}

OptionDefinition color_option() {
  return {.name = "--color",
          .value = "WHEN",
          .kind = ValueKind::choice,
          .group = kOutputGroup,
          .meaning =
              "Whether text has colour; auto: on a terminal, unless NO_COLOR is set in the "
              "environment.",
          .fallback = "auto",
          .choices = {"auto", "always", "never"}};
}

OptionDefinition constraints_option(std::string_view group) {
  return {.name = "--constraints",
          .value = "FILE",
          .kind = ValueKind::file,
          .group = group,
          .meaning =
              "What is known beyond levels and tables: axioms on what is seen and in which order, "
              "and facts of the rows at the beginning. What breaks them is not found."};
}

OptionDefinition sessions_option() {
  return {.name = "--sessions",
          .value = "N",
          .kind = ValueKind::count,
          .group = kLimits,
          .meaning =
              "Look also at users who make up to N calls one after the other: what a call shows "
              "must not be older than what an earlier one of the same user did or saw.",
          .fallback = "1"};
}

OptionDefinition prefix_option() {
  return {.name = "--prefix",
          .value = "N",
          .kind = ValueKind::number,
          .group = kLimits,
          .meaning =
              "Where it is known what rows there are at first, look also at cycles behind "
              "up to N calls that run before them, one after the other. Without it 2, 1 or "
              "none: the fewer, the larger the program is."};
}

OptionDefinition suppress_option() {
  return {.name = "--suppress",
          .value = "FILE",
          .kind = ValueKind::file,
          .group = kOutputGroup,
          .meaning =
              "Findings whose ids FILE names are reported as suppressed, with its reason, "
              "and do not make the exit code 1. One line per finding: the id, until=DATE if "
              "it ends, the reason."};
}

OptionDefinition write_suppressions_option() {
  return {.name = "--write-suppressions",
          .value = "FILE",
          .kind = ValueKind::file,
          .group = kOutputGroup,
          .meaning = "Write such a file with all that was found, for you to edit."};
}

OptionDefinition no_progress_option() {
  return {.name = "--no-progress",
          .group = kOutputGroup,
          .meaning = "Do not count on the terminal while working."};
}

}  // namespace heddle
