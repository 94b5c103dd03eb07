// heddle hold: statements of somebody's tests wait for each other.
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options/command.h"
#include "cli/options/options.h"
#include "cli/output/output.h"
#include "hold/holding.h"
#include "store/address_text.h"
#include "store/client_environment.h"

namespace heddle {

namespace {

constexpr std::string_view kBarrier =
    "A race that you know of becomes a test that always shows it: no sleeps, no triggers, no "
    "changes of the code. heddle listens for the command's clients, passes everything on to the "
    "database, and holds statements until others have got as far.";
constexpr std::string_view kMeet =
    "--meet='2: SELECT balance FROM account*' lets nobody past such a statement before two "
    "connections have had theirs answered, or one of those that are missing waits in the database "
    "for a lock of one that is there: the test fails where a plain SELECT is used, and passes with "
    "SELECT ... FOR UPDATE. Afterwards the next two meet.";
constexpr std::string_view kOrder =
    "--order='A1 B1 B2 A2' says in which order named statements go; --name=A1='SELECT balance*' "
    "says which they are. The letters before the number are a connection.";

Result<MeetingPlan> read_meeting(const std::string& text) {
  const std::size_t colon = text.find(':');
  std::size_t connections = 0;
  const std::string_view number = trim(std::string_view(text).substr(0, colon));
  const auto read = std::from_chars(number.data(), number.data() + number.size(), connections);
  const bool is_number = read.ptr == number.data() + number.size() && read.ec == std::errc();
  const std::string_view pattern =
      colon == text.npos ? "" : trim(std::string_view(text).substr(colon + 1));
  if (!is_number || connections < 2 || connections > 1000 || pattern.empty()) {
    return Diagnostic{.what = fmt::format("--meet={} says not who meets where", text),
                      .what_to_do = "write --meet='2: SELECT balance FROM account*'"};
  }
  return MeetingPlan{.text = text, .pattern = std::string(pattern), .connections = connections};
}

Result<std::vector<OrderedStatement>> read_order(const Arguments& arguments) {
  std::vector<OrderedStatement> names;
  for (const std::string& text : arguments.texts("--name")) {
    const std::size_t sign = text.find('=');
    if (sign == text.npos || sign == 0 || sign + 1 == text.size()) {
      return Diagnostic{.what = fmt::format("--name={} names no statement", text),
                        .what_to_do = "write --name=A1='SELECT balance*'"};
    }
    names.push_back({.name = text.substr(0, sign), .pattern = text.substr(sign + 1)});
  }
  std::vector<OrderedStatement> order;
  for (const std::string& word : split(arguments.text("--order"), ' ')) {
    if (word.empty()) continue;
    const auto found = std::ranges::find(names, word, &OrderedStatement::name);
    if (found == names.end()) {
      return Diagnostic{.what = fmt::format("--order names {}, which no --name says", word),
                        .what_to_do = fmt::format("add --name={}='SELECT ...'", word)};
    }
    order.push_back(*found);
  }
  return order;
}

Result<HoldPlan> read_plan(const Arguments& arguments) {
  HoldPlan plan{.bound = std::chrono::milliseconds(arguments.duration_ms("--bound"))};
  for (const std::string& text : arguments.texts("--meet")) {
    auto meeting = read_meeting(text);
    if (!meeting) return meeting.error();
    plan.meetings.push_back(std::move(*meeting));
  }
  auto order = read_order(arguments);
  if (!order) return order.error();
  plan.order = std::move(*order);
  if (plan.meetings.empty() == plan.order.empty()) {
    return Diagnostic{.what = plan.order.empty() ? "nothing is to be held"
                                                 : "--meet and --order together say too much",
                      .what_to_do = "write --meet='2: SELECT ...', or --order='A1 B1 ...'"};
  }
  return plan;
}

Result<ExitCode> run_hold(const Arguments& arguments) {
  if (!arguments.has("--on")) {
    return Diagnostic{.what = "heddle hold needs --on=ADDRESS",
                      .what_to_do = "name the database, as in --on=postgres://user@host:port/shop"};
  }
  auto plan = read_plan(arguments);
  if (!plan) return plan.error();
  install_interrupt_handler();
  const std::string on = arguments.text("--on");
  auto holding = Holding::open(on, std::move(*plan));
  if (!holding) return without_passwords_of(on, holding.error());
  std::vector<std::string> environment = whole_environment();
  for (std::string& each : taken_variables()) environment.push_back(std::move(each));
  const auto outcome =
      (*holding)->run(arguments.inputs(), std::move(environment), arguments.text("--variable"));
  const bool is_interrupted = !outcome && outcome.error().trouble == Trouble::interrupted;
  if (!outcome && !is_interrupted) return outcome.error();
  print_on_terminal((*holding)->report());
  if (is_interrupted) return ExitCode::interrupted;
  return static_cast<ExitCode>(outcome->signal != 0 ? 128 + outcome->signal : outcome->exit_code);
}

CommandDefinition hold_definition() {
  return {
      .word = "hold",
      .summary = "make statements of your own tests wait for each other",
      .arguments = "-- COMMAND [ARGUMENT...]",
      .fewest_arguments = 1,
      .most_arguments = 1000,
      .description = {kBarrier, kMeet, kOrder},
      .examples = {{"heddle hold --on=postgres://localhost/shop --meet='2: SELECT*' -- npm test",
                    "two withdrawals that both read before either writes"}},
      .options =
          {
              {.name = "--on",
               .value = "ADDRESS",
               .kind = ValueKind::text,
               .group = "Database",
               .meaning = "The database that the command uses: postgres://user@host:port/name."},
              {.name = "--variable",
               .value = "NAME",
               .kind = ValueKind::text,
               .group = "Database",
               .meaning =
                   "The command finds heddle's address in this variable, as a URL; as one of "
                   "JDBC in JDBC_NAME, and in PGHOST and PGPORT.",
               .fallback = "DATABASE_URL"},
              {.name = "--meet",
               .value = "N: PATTERN",
               .kind = ValueKind::text,
               .group = "What is held",
               .meaning = "N connections meet behind statements of the pattern.",
               .repeatable = true},
              {.name = "--order",
               .value = "NAMES",
               .kind = ValueKind::text,
               .group = "What is held",
               .meaning = "The order in which named statements go."},
              {.name = "--name",
               .value = "NAME=PATTERN",
               .kind = ValueKind::text,
               .group = "What is held",
               .meaning = "A statement of the order; several may have the same pattern.",
               .repeatable = true},
              {.name = "--bound",
               .value = "TIME",
               .kind = ValueKind::duration,
               .group = "What is held",
               .meaning = "How long a statement is held at most.",
               .fallback = "5s"},
          },
      .exit_codes = {{ExitCode::nothing_found,
                      "the command has ended well; else its own exit code"},
                     {ExitCode::trouble, "the usage is wrong, or there is no such database"},
                     {ExitCode::interrupted, "interrupted; what was held has not run"}},
      .run = run_hold,
  };
}

}  // namespace

const CommandDefinition& hold_command() {
  static const CommandDefinition command = hold_definition();
  return command;
}

}  // namespace heddle
