// heddle check: recorded histories, at every level.
#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/bounds.h"
#include "base/process.h"
#include "cli/check/check_one.h"
#include "cli/check/follow_one.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/options/combinations.h"
#include "cli/options/command.h"
#include "cli/options/options.h"
#include "cli/options/shared_options.h"
#include "cli/output/output.h"

namespace heddle {

namespace {

// Beside the limit on memory: stacks of threads, and what is free but not in one piece.
constexpr std::size_t kSlackBytes = 64'000'000;

std::string_view generate_meaning() {
  static const std::string meaning =
      "Make a history up instead of reading one, and check it, or write it with --convert. "
      "SHAPE is one of these, changed by NAME=VALUE as docs/check.md lists them. " +
      shapes_text() + ".";
  return meaning;
}

std::vector<OptionDefinition> question_options() {
  constexpr std::string_view kWhat = "What to check";
  return {
      {.name = "--level",
       .value = "LEVEL",
       .kind = ValueKind::level,
       .group = kWhat,
       .meaning =
           "Check this level, such as read-committed, snapshot or serializable; for calls on "
           "objects linearizable, sequential or quiescent. May be given several times. "
           "Without it all levels are checked.",
       .repeatable = true},
      {.name = "--session",
       .group = kWhat,
       .meaning = "Hold every level to the order of the transactions of each session."},
      {.name = "--realtime",
       .group = kWhat,
       .meaning = "Hold every level to real time: what ended before something else began comes "
                  "first."},
      {.name = "--witness",
       .group = kWhat,
       .meaning = "Print the order of the transactions or calls behind a yes."},
  };
}

std::vector<OptionDefinition> input_options() {
  constexpr std::string_view kInput = "Input";
  return {
      {.name = "--from",
       .value = "FORMAT",
       .kind = ValueKind::choice,
       .group = kInput,
       .meaning = "The format of the files. Without it, it is told by how they begin.",
       .choices = readable_formats()},
      {.name = "--follow",
       .group = kInput,
       .meaning =
           "Read a history that is still being written, or standard input, and check it as "
           "it grows, until it is violated or ends; what is decided is forgotten. One level; "
           "without --level strict-serializable, or linearizable for calls."},
      {.name = "--model",
       .value = "MODEL",
       .kind = ValueKind::choice,
       .group = kInput,
       .meaning = "What kind of object the calls are on. Without it, the functions tell.",
       .choices = object_models()},
      {.name = "--initial",
       .value = "VALUE",
       .kind = ValueKind::text,
       .group = kInput,
       .meaning = "What registers hold at first: nil, a number or a text; none: nothing is read "
                  "that was not written. Without it, the format tells."},
      {.name = "--generate",
       .value = "SHAPE[,NAME=VALUE...]",
       .kind = ValueKind::text,
       .group = kInput,
       .meaning = generate_meaning()},
      {.name = "--seed",
       .value = "N",
       .kind = ValueKind::seed,
       .group = kInput,
       .meaning = "Of a generated history: the same shape and seed give the same history.",
       .fallback = "0"},
  };
}

std::vector<OptionDefinition> limits_of_check() {
  constexpr std::string_view kLimits = "Limits";
  return {
      {.name = "--memory",
       .value = "SIZE",
       .kind = ValueKind::text,
       .group = kLimits,
       .meaning = "Answer unknown rather than take more memory than this: 500M, 2G."},
      {.name = "--timeout",
       .value = "DURATION",
       .kind = ValueKind::duration,
       .group = kLimits,
       .meaning = "Answer unknown to what is not decided after this time."},
      {.name = "--steps",
       .value = "N",
       .kind = ValueKind::seed,
       .group = kLimits,
       .meaning = "Take at most N steps in the search behind one answer; unlike time, this is the "
                  "same on every machine. 0: as many as it takes.",
       .fallback = "0"},
      jobs_option("Check N files side by side. Without it, as many as there are processors."),
  };
}

std::vector<OptionDefinition> output_options() {
  return {
      format_option({"text", "json"},
                    "How to report (json: one line per history where there are "
                    "several)."),
      {.name = "--convert",
       .value = "FORMAT",
       .kind = ValueKind::choice,
       .group = kOutputGroup,
       .meaning = "Check nothing and write the history in this format.",
       .choices = writable_formats()},
      output_option(),
      color_option(),
  };
}

std::vector<OptionDefinition> options_of_check() {
  std::vector<OptionDefinition> table = question_options();
  for (const auto& group : {input_options(), limits_of_check(), output_options()}) {
    table.insert(table.end(), group.begin(), group.end());
  }
  return table;
}

constexpr std::array kFollowCombinations = {
    Combination{.option = "--follow",
                .other = "--generate",
                .what = "--follow and --generate do not go together"},
    Combination{.option = "--follow",
                .other = "--convert",
                .what = "--follow and --convert do not go together"},
    Combination{.option = "--follow",
                .other = "--witness",
                .what = "--follow and --witness do not go together"},
};

Result<void> check_follow(const Arguments& arguments) {
  if (Result<void> checked = check_combinations(arguments, kFollowCombinations); !checked) {
    return checked;
  }
  if (arguments.inputs().size() != 1) {
    return Diagnostic{.what = "--follow follows one history, and several were given",
                      .what_to_do = "start heddle once for each"};
  }
  if (arguments.levels("--level").size() > 1) {
    return Diagnostic{.what = "--follow checks one level, and several were given",
                      .what_to_do = "name one of them"};
  }
  return {};
}

Result<void> check_check_options(const Arguments& arguments) {
  const std::size_t inputs = arguments.inputs().size();
  if (arguments.has("--generate") && inputs > 0) {
    return Diagnostic{.what = "--generate makes a history up, and files were given as well",
                      .what_to_do = "leave one of the two out"};
  }
  if (!arguments.has("--generate") && inputs == 0) {
    return Diagnostic{.what = "heddle check needs HISTORY...",
                      .what_to_do = "see \"heddle help check\""};
  }
  if (arguments.has("--follow")) return check_follow(arguments);
  if (arguments.has("--convert") && inputs > 1) {
    return Diagnostic{.what = "--convert writes one history, and several were given",
                      .what_to_do = "give one file at a time"};
  }
  return {};
}

Result<std::string> read_history_input() {
  try {
    return read_input("-");
  } catch (const std::bad_alloc&) {
    return Diagnostic{.what = "standard input does not fit into what --memory gives",
                      .what_to_do = "give more, or a smaller history",
                      .trouble = Trouble::bound};
  }
}

Result<CheckRequest> request_of(const Arguments& arguments) {
  CheckRequest request;
  request.levels = arguments.levels("--level");
  request.session = arguments.has("--session");
  request.realtime = arguments.has("--realtime");
  request.witness = arguments.has("--witness");
  request.json = arguments.text("--format") == "json";
  request.from = arguments.text("--from");
  request.model = arguments.text("--model");
  request.steps = arguments.number("--steps");
  if (arguments.has("--initial")) request.initial = arguments.text("--initial");
  if (arguments.has("--generate")) {
    request.generate = arguments.text("--generate");
    if (arguments.has("--seed")) {
      *request.generate += fmt::format(",seed={}", arguments.number("--seed"));
    }
  }
  if (arguments.has("--memory")) {
    const Result<std::size_t> bytes = parse_memory(arguments.text("--memory"));
    if (!bytes) return bytes.error();
    request.memory_bytes = *bytes;
    // What the checks take they ask for; this is for reading, which cannot know.
    limit_memory(*bytes + kSlackBytes);
  }
  if (arguments.has("--timeout")) {
    request.deadline = std::chrono::steady_clock::now() +
                       std::chrono::milliseconds(arguments.duration_ms("--timeout"));
    // Checks look at their deadline themselves and answer unknown; this ends reading. What is
    // followed is read as long as time lasts.
    if (!arguments.has("--follow")) {
      bound_time(arguments.duration_ms("--timeout"), "--timeout=" + arguments.text("--timeout"));
    }
  }
  if (!arguments.has("--follow") &&
      std::ranges::find(arguments.inputs(), "-") != arguments.inputs().end()) {
    Result<std::string> content = read_history_input();
    if (!content) return content.error();
    request.standard_input = std::move(*content);
  }
  return request;
}

// Checks histories side by side and hands the answers out in the order of the files.
class CheckPool {
 public:
  CheckPool(const CheckRequest& request, const std::vector<std::string>& paths,
            const TextOptions& options, std::size_t jobs)
      : request_(request), paths_(paths), options_(options), answers_(paths.size()) {
    for (std::size_t i = 0; i < std::min(jobs, paths.size()); ++i) {
      threads_.emplace_back([this] { work(); });
    }
  }
  CheckPool(const CheckPool&) = delete;
  CheckPool& operator=(const CheckPool&) = delete;
  // What has not begun is left.
  ~CheckPool() {
    next_ = paths_.size();
    for (std::thread& thread : threads_) thread.join();
  }

  // Waits for the answer of that file. REQUIRES: asked for once.
  Result<CheckedHistory> wait_for(std::size_t index) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return answers_[index].has_value(); });
    return std::move(*answers_[index]);
  }

 private:
  void work() {
    for (std::size_t index = next_++; index < paths_.size(); index = next_++) {
      Result<CheckedHistory> answer = check_one(request_, paths_[index], options_);
      const std::lock_guard lock(mutex_);
      answers_[index] = std::move(answer);
      changed_.notify_all();
    }
  }

  const CheckRequest& request_;
  const std::vector<std::string>& paths_;
  const TextOptions& options_;
  std::vector<std::optional<Result<CheckedHistory>>> answers_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
};

// A history that cannot be read does not keep the others from being checked, but it decides the
// exit code.
Result<ExitCode> check_all(const CheckRequest& request, const std::vector<std::string>& paths,
                           const Arguments& arguments, Output& output) {
  const TextOptions options = text_options(arguments, output);
  CheckPool pool(request, paths, options, jobs_of(arguments));
  ExitCode code = ExitCode::nothing_found;
  bool first = true;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const Result<CheckedHistory> answer = pool.wait_for(i);
    if (!answer) {
      if (paths.size() == 1) return answer.error();
      print_diagnostic(answer.error());
      code = graver(code, exit_code_of(answer.error()));
      continue;
    }
    for (const std::string& report : answer->reports) {
      const bool several = paths.size() > 1 || answer->reports.size() > 1;
      std::string text = request.json && several ? one_line_json(report) : report;
      if (!request.json && !first) text = "\n" + text;
      if (Result<void> written = output.write(text); !written) return written.error();
      first = false;
    }
    code = graver(code, exit_code_of(answer->verdict));
  }
  if (Result<void> finished = output.finish(); !finished) return finished.error();
  return code;
}

Result<ExitCode> follow(const CheckRequest& request, const Arguments& arguments, Output& output) {
  const TextOptions options = text_options(arguments, output);
  const Result<FollowedHistory> followed = follow_one(request, arguments.inputs().front(), options);
  if (!followed) return followed.error();
  for (const std::string& report : followed->reports) {
    Result<void> written = output.write(request.json ? one_line_json(report) : report);
    if (!written) return written.error();
  }
  if (Result<void> finished = output.finish(); !finished) return finished.error();
  const bool is_cut = followed->is_interrupted && followed->verdict != Verdict::violated;
  return is_cut ? ExitCode::interrupted : exit_code_of(followed->verdict);
}

Result<ExitCode> run_check(const Arguments& arguments) {
  if (Result<void> checked = check_check_options(arguments); !checked) return checked.error();
  const Result<CheckRequest> request = request_of(arguments);
  if (!request) return request.error();
  Result<Output> output = Output::open(arguments.text("--output"));
  if (!output) return output.error();
  if (arguments.has("--follow")) return follow(*request, arguments, *output);
  std::vector<std::string> paths = arguments.inputs();
  if (request->generate) paths = {*request->generate};
  if (!arguments.has("--convert")) return check_all(*request, paths, arguments, *output);
  const Result<std::string> converted =
      convert_one(*request, paths.front(), arguments.text("--convert"));
  if (!converted) return converted.error();
  if (Result<void> written = output->write_whole(*converted); !written) return written.error();
  return ExitCode::nothing_found;
}

}  // namespace

const CommandDefinition& check_command() {
  static const CommandDefinition definition = {
      .word = "check",
      .summary = "say at which levels a recorded history is legal, and why not",
      .arguments = "HISTORY...",
      .fewest_arguments = 0,
      .most_arguments = 100'000,
      .description =
          {"A history is what clients saw of a store: transactions over keys with the values they "
           "wrote and read, or calls on objects such as registers and queues. heddle says at which "
           "levels it is legal; for the weakest levels at which it is not, it prints a smallest "
           "part that fails by itself, the argument in sentences, and draws it.",
           "Files are those of Jepsen (EDN, JSON, logs), porcupine, Plume, PolySI, AWDIT, dbcop, "
           "textbook notation and heddle's own JSON Lines; of Cobra a folder of logs. - reads a "
           "file from standard input. Several histories are reported in the order given."},
      .examples = {{"heddle check history.edn",
                    "all levels: the strongest that hold, and why not "
                    "the others"},
                   {"heddle check --level=snapshot --memory=500M --timeout=1m history.edn",
                    "one level, within bounds"},
                   {"heddle check --follow history.edn",
                    "while the test still runs: ends as soon as something is wrong"},
                   {"heddle check --convert=textbook history.json",
                    "the history as people write it"},
                   {"heddle check --generate=small,plant=write-skew",
                    "a made-up history in which something is wrong"}},
      .options = options_of_check(),
      .exit_codes = {{ExitCode::nothing_found,
                      "satisfied: at all levels asked for; without --level, at serializable, or "
                      "linearizable for "
                      "calls"},
                     {ExitCode::found, "violated"},
                     {ExitCode::trouble, "a file or an option is at fault"},
                     {ExitCode::unknown, "not violated as far as is known; a bound was hit"}},
      .run = run_check};
  return definition;
}

}  // namespace heddle
