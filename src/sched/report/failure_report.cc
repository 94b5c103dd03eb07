#include "sched/report/failure_report.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/diagram/diagram.h"
#include "sched/report/objects.h"
#include "sched/report/places.h"
#include "sched/runtime/libc.h"
#include "sched/runtime/program_image.h"
#include "sched/test/output.h"

namespace heddle::sched::runtime {

namespace {

using Places = std::map<std::uintptr_t, std::vector<SourcePlace>>;

std::string departures(const Schedule& schedule) {
  const std::size_t count = schedule.choices.size();
  if (count == 0) return "each thread runs until it waits";
  return count == 1 ? "one departure from running each thread until it waits"
                    : std::to_string(count) + " departures from running each thread until it waits";
}

// Whether the event tells a reader something: what each thread does once and in the same order does
// not.
bool is_shown(const Event& event) {
  switch (event.kind) {
    case OperationKind::end:
    case OperationKind::detach:
      return false;
    case OperationKind::choose:
      return event.result != 0;
    case OperationKind::once:
      // What libraries make once, as locales, is not the program's.
      return !event.stack.empty() && program_offset(event.stack.front()) != 0;
    default:
      return true;
  }
}

Places places_of(const Execution& execution) {
  std::vector<std::uintptr_t> addresses = execution.failure.stack;
  for (const Event& event : execution.recorded) {
    addresses.insert(addresses.end(), event.stack.begin(), event.stack.end());
  }
  return find_places(addresses);
}

std::string value_text(const Event& event) {
  switch (event.kind) {
    case OperationKind::read:
    case OperationKind::atomic_load:
      return "reads " + std::to_string(event.before);
    case OperationKind::write:
    case OperationKind::atomic_store:
      return "writes " + std::to_string(event.after);
    case OperationKind::atomic_change:
      return "changes " + std::to_string(event.before) + " to " + std::to_string(event.after);
    case OperationKind::compare_exchange:
      return event.result != 0 ? "exchanges " + std::to_string(event.before) + " for " +
                                     std::to_string(event.after)
                               : "compares with " + std::to_string(event.before) + ", in vain";
    case OperationKind::create:
      return "starts thread " + std::to_string(event.object);
    case OperationKind::join:
      return "joins thread " + std::to_string(event.object);
    default:
      return verb(event.kind);
  }
}

// The lines of the program that a diagram names, each told once below it.
using SourceLines = std::map<std::string, std::string>;

bool is_of_call(const Event& event) {
  return event.kind == OperationKind::call || event.kind == OperationKind::returned;
}

StyledCell cell_of(const Event& event, const Places& places, ObjectNames& names,
                   SourceLines& lines) {
  const bool about_task = event.kind == OperationKind::create || event.kind == OperationKind::join;
  std::string text = value_text(event);
  if (!about_task && event.object != 0) text += " (" + names.name(event.object) + ")";
  if (event.timed_out) text += ": its time has come";
  const bool writes = event.kind == OperationKind::write ||
                      event.kind == OperationKind::atomic_store ||
                      event.kind == OperationKind::atomic_change;
  StyledCell cell{{writes ? TextStyle::write : TextStyle::read, std::move(text)}};
  const SourcePlace place = own_place(event.stack, places);
  if (place.line != 0) {
    cell.push_back({TextStyle::plain, place.text()});
    lines[place.text()] = place.source();
  }
  return cell;
}

// What goes on for ever is told by how it begins and how it ends.
void fold_middle(Diagram& diagram) {
  constexpr std::size_t kFirst = 40;
  constexpr std::size_t kLast = 60;
  if (diagram.rows.size() <= kFirst + kLast + 1) return;
  DiagramRow folded;
  folded.label = "...";
  folded.folded = true;
  folded.cells.resize(diagram.columns.size());
  const std::size_t count = diagram.rows.size() - kFirst - kLast;
  folded.cells.front() = {{TextStyle::plain, std::to_string(count) + " steps"}};
  const auto begin = diagram.rows.begin() + static_cast<std::ptrdiff_t>(kFirst);
  diagram.rows.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
  diagram.rows.insert(diagram.rows.begin() + static_cast<std::ptrdiff_t>(kFirst),
                      std::move(folded));
}

Diagram diagram_of(const Execution& execution, const Places& places, const Judge* judge,
                   ObjectNames& names, SourceLines& lines) {
  Diagram diagram;
  diagram.column_word = "thread";
  diagram.stores = {""};
  for (std::size_t task = 0; task < execution.tasks; ++task) {
    diagram.columns.push_back("thread " + std::to_string(task));
  }
  for (const Event& event : execution.recorded) {
    if (!is_shown(event)) continue;
    DiagramRow row;
    row.label = std::to_string(diagram.rows.size() + 1);
    row.cells.resize(execution.tasks);
    if (is_of_call(event)) {
      row.cells[event.place.task] = {{TextStyle::heading, judge->describe_event(event)}};
    } else {
      row.cells[event.place.task] = cell_of(event, places, names, lines);
    }
    row.active = event.place.task;
    diagram.rows.push_back(std::move(row));
  }
  fold_middle(diagram);
  return diagram;
}

std::string waiting_text(const Failure& failure, ObjectNames& names) {
  std::string text;
  for (const Waiting& waiting : failure.waiting) {
    const bool sleeps = waiting.kind == OperationKind::wake_up;
    text += "  thread " + std::to_string(waiting.task) + " " +
            (sleeps ? "waits on" : verb(waiting.kind));
    if (waiting.kind == OperationKind::join) {
      text += " thread " + std::to_string(waiting.object);
    } else if (waiting.object != 0) {
      text += " " + names.name(waiting.object);
      if (waiting.owner >= 0) text += ", which thread " + std::to_string(waiting.owner) + " has";
    }
    text += "\n";
  }
  return text;
}

// Where it failed: the runtime's own frames stand before the program's.
SourcePlace failing_place(const Execution& execution, const Places& places) {
  return own_place(execution.failure.stack, places);
}

// Each line with the thread that wrote it; a line that several threads wrote is told in parts.
std::string by_thread(const std::string& text, const std::vector<WrittenPart>& parts) {
  std::string told;
  std::size_t begin = 0;
  for (const WrittenPart& part : parts) {
    const std::size_t end = std::min<std::size_t>(part.end, text.size());
    while (begin < end) {
      const std::size_t line = std::min(text.find('\n', begin), end);
      told +=
          "  thread " + std::to_string(part.task) + ": " + text.substr(begin, line - begin) + "\n";
      begin = line < end ? line + 1 : end;
    }
  }
  return told + text.substr(begin);
}

std::string report_of(const Test& test, const Execution& execution, const std::string& token,
                      std::uint64_t executions) {
  const Places places = places_of(execution);
  std::string text =
      std::string("heddle: ") + name(execution.failure.kind) + ": " + execution.failure.what + "\n";
  const SourcePlace place = failing_place(execution, places);
  if (place.line != 0) text += "  at " + place.text() + ": " + place.source() + "\n";
  ObjectNames names(execution.names);
  SourceLines lines;
  const Diagram diagram = diagram_of(execution, places, test.judge(), names, lines);
  text += waiting_text(execution.failure, names);
  if (test.judge() != nullptr) text += "\n" + test.judge()->describe();
  text += "\n" + render_diagram_text(diagram, TextOptions{});
  for (const auto& [where, source] : lines) text += where + ": " + source + "\n";
  text += "\nfound in execution " + std::to_string(executions) + "; " +
          departures(execution.schedule) + "\nagain: HEDDLE_REPLAY=" + token + " " +
          command_line() + "\n";
  return text;
}

}  // namespace

std::string token_of(const Test& test, const Execution& execution) {
  Token token{.schedule = execution.schedule,
              .check = test.number(),
              .seed = test.options().seed,
              .events = static_cast<std::uint32_t>(execution.events),
              .program = {}};
  if (test.judge() != nullptr) token.program = test.judge()->program_numbers();
  return print_token(token);
}

sched::Failure explain(Test& test, const Execution& execution, std::uint64_t executions) {
  sched::Failure failure;
  failure.kind = name(execution.failure.kind);
  failure.what = execution.failure.what;
  failure.token = token_of(test, execution);
  // What threads share was learned on the way: the second replay shows all accesses to it.
  test.replay(execution.schedule, false);
  std::string written;
  const Execution shown = [&] {
    const Captured captured;
    Execution recorded = test.record(execution.schedule, captured.file());
    written = by_thread(captured.text(), recorded.written);
    return recorded;
  }();
  if (!shown.failed()) {
    failure.report =
        "heddle: " + failure.kind + ": " + failure.what +
        "\n  and not again under the same schedule: the test depends on something that is "
        "not controlled\n";
    return failure;
  }
  failure.report = report_of(test, shown, failure.token, executions);
  if (!written.empty()) failure.report += "it wrote:\n" + written;
  return failure;
}

std::optional<Token> token_to_replay() {
  const char* text = getenv("HEDDLE_REPLAY");
  if (text == nullptr) return std::nullopt;
  const std::optional<Token> token = parse_token(text);
  if (!token) stop_program("heddle: HEDDLE_REPLAY is no token: it was cut or mistyped");
  return token;
}

Answer left_out() {
  return {.passed = true, .executions = 0, .coverage = "left out", .failure = {}};
}

Answer replay_token(Test& test, const Token& token) {
  Answer answer;
  answer.executions = 1;
  answer.coverage = "one schedule";
  test.set_seed(token.seed);
  const Execution execution = test.replay(token.schedule, false);
  answer.passed = !execution.failed();
  if (static_cast<std::uint32_t>(execution.events) != token.events) {
    write_error(
        "heddle: what happens under this token is not what happened when it was printed: the "
        "program "
        "or its build has changed\n");
  }
  if (!answer.passed) answer.failure = explain(test, execution, 1);
  return answer;
}

}  // namespace heddle::sched::runtime
