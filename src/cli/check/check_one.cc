#include "cli/check/check_one.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "check/generate/shapes.h"
#include "check/levels/outside.h"
#include "frontend/history/cobra.h"
#include "frontend/history/formats/read_history.h"
#include "frontend/history/formats/write_history.h"
#include "heddle/check.h"
#include "heddle/linearizability.h"
#include "report/check/text.h"

namespace heddle {

namespace {

constexpr std::size_t kLargestFile = std::size_t{16} << 30U;

Result<RecordedHistory> read_folder(const std::string& path) {
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".log") paths.push_back(entry->path());
  }
  if (error) return file_trouble(path, "read the folder", error.value());
  if (paths.empty()) {
    return Diagnostic{.what = "the folder has no *.log files",
                      .what_to_do = "give a history, or a folder of Cobra's session logs",
                      .file = path};
  }
  std::ranges::sort(paths);
  std::vector<std::string> contents;
  std::vector<CobraLog> logs;
  contents.reserve(paths.size());
  for (const std::filesystem::path& each : paths) {
    Result<std::string> content = read_file(each.string(), kLargestFile);
    if (!content) return content.error();
    contents.push_back(std::move(*content));
    logs.push_back({each.filename().string(), contents.back()});
  }
  Result<TransactionHistory> history = read_cobra(logs);
  if (interrupted()) return reading_stopped(path);
  if (!history) return history.error();
  return RecordedHistory(std::move(*history));
}

Result<RecordedHistory> read_recorded(const CheckRequest& request, const std::string& path) {
  if (request.generate) {
    const Result<GenerateRequest> wanted = parse_generate_request(*request.generate);
    if (!wanted) return wanted.error();
    return generate(*wanted);
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return read_folder(path);
  const ReadHistoryOptions options{find_history_format(request.from),
                                   find_object_model(request.model), request.initial};
  if (path == "-") return read_history(request.standard_input, "<stdin>", options);
  const Result<std::string> content = read_file(path, kLargestFile);
  if (!content) return content.error();
  return read_history(*content, path, options);
}

Result<RecordedHistory> take_history(const CheckRequest& request, const std::string& path) {
  Result<RecordedHistory> history = read_recorded(request, path);
  if (history && request.initial) set_initial(*history, *request.initial);
  return history;
}

// At least a millisecond, so that a file whose turn came too late says which bound it hit.
std::uint64_t left_ms(const CheckRequest& request) {
  if (!request.deadline) return 0;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      *request.deadline - std::chrono::steady_clock::now());
  return static_cast<std::uint64_t>(std::max<std::int64_t>(left.count(), 1));
}

// A violated level outweighs one that a bound left open.
Verdict worse(Verdict a, Verdict b) {
  if (a == Verdict::violated || b == Verdict::violated) return Verdict::violated;
  return a == Verdict::unknown || b == Verdict::unknown ? Verdict::unknown : Verdict::satisfied;
}

// Without --level the question is whether a serial order exists.
Verdict verdict_of(const CheckReport& report, bool asked) {
  Verdict verdict = Verdict::satisfied;
  for (const LevelAnswer& answer : report.answers) {
    if (!asked && answer.level != IsolationLevel::serializable) continue;
    verdict = worse(verdict, answer.verdict);
  }
  return verdict;
}

Result<CheckedHistory> check(const TransactionHistory& history, const CheckRequest& request,
                             const std::string& name, const TextOptions& options) {
  if (request.realtime && !history.has_times) {
    return Diagnostic{.what = "the history has no times, so that --realtime means nothing",
                      .what_to_do = "leave --realtime out",
                      .file = name};
  }
  const CheckOptions wanted{request.levels,
                            request.session,
                            request.realtime,
                            {request.memory_bytes, left_ms(request), request.steps}};
  const Result<CheckReport> report = check_history(history, wanted);
  if (!report) return report.error();
  const CheckSubject subject{name, request.witness};
  return CheckedHistory{{request.json ? render_json(*report, history, subject)
                                      : render_text(*report, history, subject, options)},
                        verdict_of(*report, !request.levels.empty())};
}

std::optional<CallOrder> order_of(IsolationLevel level) {
  switch (level) {
    case IsolationLevel::linearizable:
    case IsolationLevel::strict_serializable:
      return CallOrder::linearizable;
    case IsolationLevel::sequential:
      return CallOrder::sequential;
    case IsolationLevel::quiescent:
      return CallOrder::quiescent;
    default:
      return std::nullopt;
  }
}

Result<CheckedHistory> check(const ObjectHistory& history, CallOrder order,
                             const CheckRequest& request, const std::string& name,
                             const TextOptions& options) {
  LinearizabilityOptions wanted;
  wanted.order = order;
  if (request.memory_bytes != 0) wanted.memory_bytes = request.memory_bytes;
  if (request.steps != 0) wanted.steps = request.steps;
  wanted.deadline = request.deadline;
  const LinearizabilityAnswer answer = check_linearizable(history, wanted);
  const CheckSubject subject{name, request.witness, order};
  return CheckedHistory{{request.json ? render_json(answer, history, subject)
                                      : render_text(answer, history, subject, options)},
                        answer.verdict};
}

Result<CheckedHistory> check(const ObjectHistory& history, const CheckRequest& request,
                             const std::string& name, const TextOptions& options) {
  if (const std::optional<std::string> misfit = find_misfit(history)) {
    return Diagnostic{
        .what = *misfit, .what_to_do = "name the kind of object with --model", .file = name};
  }
  std::vector<IsolationLevel> levels = request.levels;
  if (levels.empty()) levels = {IsolationLevel::linearizable};
  CheckedHistory all{{}, Verdict::satisfied};
  for (const IsolationLevel level : levels) {
    const std::optional<CallOrder> order = order_of(level);
    if (!order) {
      return Diagnostic{
          .what = fmt::format("{} is a level of transactions, and these are calls on objects",
                              definition(level).name),
          .what_to_do = "use one of: linearizable, sequential, quiescent",
          .file = name};
    }
    Result<CheckedHistory> one = check(history, *order, request, name, options);
    if (!one) return one;
    all.reports.push_back(std::move(one->reports.front()));
    all.verdict = worse(all.verdict, one->verdict);
  }
  return all;
}

}  // namespace

namespace {

// There was not even room to read the history.
Result<CheckedHistory> unread(const CheckRequest& request, const std::string& name,
                              const TextOptions& options) {
  const TransactionHistory nothing;
  std::vector<IsolationLevel> levels = request.levels;
  std::erase_if(levels, [](IsolationLevel level) { return order_of(level).has_value(); });
  Result<CheckReport> report = check_history(nothing, {levels, request.session, false, {}});
  if (!report) return report.error();
  report->strongest_held.clear();
  for (LevelAnswer& answer : report->answers) {
    answer = {.level = answer.level, .bound = "there was no memory to read the history"};
  }
  const CheckSubject subject{name, false, {}};
  return CheckedHistory{{request.json ? render_json(*report, nothing, subject)
                                      : render_text(*report, nothing, subject, options)},
                        Verdict::unknown};
}

Result<CheckedHistory> read_and_check(const CheckRequest& request, const std::string& path,
                                      const TextOptions& options) {
  Result<RecordedHistory> history = take_history(request, path);
  if (!history) return history.error();
  if (auto* const shown = std::get_if<TransactionHistory>(&*history)) add_outside_writers(*shown);
  const std::string name = path == "-" ? "<stdin>" : path;
  return std::visit([&](const auto& either) { return check(either, request, name, options); },
                    *history);
}

}  // namespace

Result<CheckedHistory> check_one(const CheckRequest& request, const std::string& path,
                                 const TextOptions& options) {
  try {
    return read_and_check(request, path, options);
  } catch (const std::bad_alloc&) {
    return unread(request, path == "-" ? "<stdin>" : path, options);
  }
}

Result<std::string> convert_one(const CheckRequest& request, const std::string& path,
                                std::string_view format) {
  const Result<RecordedHistory> history = take_history(request, path);
  if (!history) return history.error();
  return write_history(*history, *find_history_format(format));
}

Result<std::size_t> parse_memory(std::string_view text) {
  struct SizeUnit {
    std::string_view suffix;
    std::size_t bytes;
  };
  constexpr SizeUnit kUnits[] = {{"K", 1'000}, {"M", 1'000'000}, {"G", 1'000'000'000}, {"", 1}};
  const auto refused = [&](std::string_view why) {
    return Diagnostic{.what = fmt::format("--memory={} {}", text, why),
                      .what_to_do = "write it as 500M, 2G or in bytes"};
  };
  for (const SizeUnit& unit : kUnits) {
    if (!text.ends_with(unit.suffix)) continue;
    const std::string_view digits = text.substr(0, text.size() - unit.suffix.size());
    std::size_t number = 0;
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || stop != digits.data() + digits.size()) break;
    if (number == 0) return refused("is no memory at all");
    if (number > (std::size_t{1} << 50U) / unit.bytes) return refused("is too much");
    return number * unit.bytes;
  }
  return refused("is not a size");
}

std::vector<std::string_view> readable_formats() {
  std::vector<std::string_view> names;
  for (const HistoryFormatName& format : history_formats()) names.push_back(format.name);
  return names;
}

std::vector<std::string_view> writable_formats() {
  std::vector<std::string_view> names;
  for (const HistoryFormatName& format : history_formats()) {
    if (can_write(format.format)) names.push_back(format.name);
  }
  return names;
}

std::vector<std::string_view> object_models() {
  std::vector<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(ObjectModel::bank); ++i) {
    names.push_back(to_string(static_cast<ObjectModel>(i)));
  }
  return names;
}

std::string shapes_text() {
  std::vector<std::string> shapes;
  for (const GenerateShape& shape : generate_shapes()) {
    shapes.push_back(fmt::format("{}: {}", shape.name, shape.meaning));
  }
  return join(shapes, "; ");
}

}  // namespace heddle
