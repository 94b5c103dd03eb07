// Jepsen's operations, one per line. Invocations are kept as they are written until they are
// completed; then both lines are put behind each other and read together, so that every part is a
// history in which one operation follows the other. Their moments are put right afterwards.
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "frontend/history/jepsen.h"
#include "frontend/history/jepsen_source.h"
#include "frontend/history/jepsen_transactions.h"
#include "frontend/history/stream/line_stream.h"
#include "frontend/history/stream/line_streams.h"
#include "frontend/history/stream/stream_sessions.h"

namespace heddle {

namespace {

// Calls show what kind of object they are on; so many are looked at first.
constexpr std::size_t kFirstCalls = 1000;

struct StreamedLine {
  std::string text;
  std::uint32_t line = 0;
  Moment moment = 0;
};

struct StreamedOperation {
  std::string process;
  StreamedLine begin;
  std::optional<StreamedLine> end = {};
};

class JepsenLineStream : public LineStream {
 public:
  JepsenLineStream(std::string name, ReadHistoryOptions options)
      : name_(std::move(name)), options_(std::move(options)) {
    options_.memory = &memory_;
  }

  Result<void> take_line(std::string_view given, std::uint32_t number) override {
    const std::string line = without_list(given);
    const auto source = make_operation_source(HistoryFormat::jepsen_edn, line, name_);
    JepsenOperation operation;
    if (!source->next(operation)) {
      if (!source->reader().trouble()) return {};
      return moved(*source->reader().trouble(), number);
    }
    if (Result<void> noted = note(operation, line, number); !noted) return noted;
    if (source->next(operation)) {
      return trouble(number, "a second operation in the same line",
                     "write every operation into a line of its own");
    }
    if (source->reader().trouble()) return moved(*source->reader().trouble(), number);
    return {};
  }

  Result<std::optional<StreamedPart>> take_part(bool is_end) override {
    if (is_end) {
      for (auto& [process, begin] : open_) done_.push_back({process.second, std::move(begin)});
      open_.clear();
    }
    if (done_.empty()) return std::optional<StreamedPart>();
    const bool is_whole = is_end || count_ >= kFirstCalls || is_clear_ || options_.model;
    if (!is_whole) return std::optional<StreamedPart>();
    Result<RecordedHistory> read = read_done();
    if (!read) return read.error();
    StreamedPart part{std::move(*read), is_end ? kNever : watermark()};
    std::visit([&](auto& history) { put_right(history); }, part.history);
    done_.clear();
    return std::optional(std::move(part));
  }

 private:
  using Process = std::pair<FormKind, std::string>;  // 0 and :0 are two

  // Blanks in place of the brackets of one list around all operations.
  std::string without_list(std::string_view given) {
    constexpr std::string_view kBlanks = " \t\r,";
    std::string line(given);
    const std::size_t first = line.find_first_not_of(kBlanks);
    if (first == std::string::npos) return line;
    if (moment_ == 0 && !is_in_list_ && (line[first] == '[' || line[first] == '(')) {
      is_in_list_ = true;
      line[first] = ' ';
    }
    const std::size_t last = line.find_last_not_of(kBlanks);
    if (!is_in_list_ || last == std::string::npos || (line[last] != ']' && line[last] != ')')) {
      return line;
    }
    const std::size_t before =
        last == 0 ? std::string::npos : line.find_last_not_of(kBlanks, last - 1);
    if (before == std::string::npos || line[before] == '}') line[last] = ' ';
    return line;
  }

  Result<void> trouble(std::uint32_t line, std::string what, std::string what_to_do) const {
    return Diagnostic{std::move(what), std::move(what_to_do), name_, {line, 1}};
  }

  static Result<void> moved(Diagnostic diagnostic, std::uint32_t line) {
    if (diagnostic.what_to_do.empty()) diagnostic.what_to_do = "write one operation per line";
    return moved_to_line(std::move(diagnostic), line);
  }

  Result<void> note(const JepsenOperation& operation, std::string_view text, std::uint32_t number) {
    ++moment_;
    if (operation.process.is_nil()) {
      return trouble(number, "an operation without :process cannot be followed",
                     "give every operation its :process, or check the whole file");
    }
    const FormNode& process = operation.process.nodes[0];
    std::string name(process.kind == FormKind::number ? process.text : process.name());
    if (process.is_name() && name == "nemesis") return {};
    const std::string_view type = operation.type.is_empty() ? "" : operation.type.nodes[0].name();
    const bool is_known = type == "invoke" || type == "ok" || type == "fail" || type == "info";
    if (!is_known) {
      return trouble(number,
                     operation.type.is_empty() ? "an operation without :type" : "an unknown :type",
                     "give every operation the type :invoke, :ok, :fail or :info");
    }
    StreamedLine line{std::string(text), number, moment_};
    look_at(operation, type == "invoke");
    const Process key{process.kind, name};
    const auto open = open_.find(key);
    if (type == "invoke") {
      if (open != open_.end()) {
        return trouble(number,
                       fmt::format("process {} invokes an operation before that of line {} is "
                                   "completed",
                                   name, open->second.line),
                       "complete the first as :ok, :fail or :info, or give the second another "
                       "process");
      }
      open_.emplace(key, std::move(line));
      return {};
    }
    if (open == open_.end()) {
      return trouble(number,
                     fmt::format("process {} completes an operation that it did not invoke", name),
                     "give every completion one :invoke of the same process in front of it");
    }
    done_.push_back({name, std::move(open->second), std::move(line)});
    open_.erase(open);
    ++count_;
    return {};
  }

  // Whether it can be told by now what this is a history of: most functions belong to one kind of
  // object, and what is added to shows when it is read.
  void look_at(const JepsenOperation& operation, bool is_invocation) {
    if (is_transaction(operation)) is_clear_ = true;
    if (operation.function.is_nil() || is_clear_) return;
    const std::string_view function = operation.function.nodes[0].name();
    has_adds_ = has_adds_ || function == "add";
    const bool tells = !is_invocation && !operation.value.is_nil() && has_adds_;
    is_clear_ = function == "read" ? tells : function != "add";
  }

  Moment watermark() const {
    Moment watermark = moment_ + 1;
    for (const auto& [process, begin] : open_) watermark = std::min(watermark, begin.moment);
    return watermark;
  }

  Result<RecordedHistory> read_done() {
    std::string text;
    std::vector<std::uint32_t> lines;
    // What has not ended stands behind what has, as the reader puts it there in any case.
    std::ranges::stable_partition(done_, [](const auto& each) { return each.end.has_value(); });
    for (const StreamedOperation& each : done_) {
      text += each.begin.text + "\n";
      lines.push_back(each.begin.line);
      if (!each.end) continue;
      text += each.end->text + "\n";
      lines.push_back(each.end->line);
    }
    Result<RecordedHistory> read = read_jepsen(text, name_, HistoryFormat::jepsen_edn, options_);
    if (!read) {
      Diagnostic diagnostic = read.error();
      const std::uint32_t line = diagnostic.position.line;
      if (line > 0 && line <= lines.size()) diagnostic.position.line = lines[line - 1];
      return diagnostic;
    }
    if (const auto* const calls = std::get_if<ObjectHistory>(&*read)) options_.model = calls->model;
    return read;
  }

  // What has its first line at that line of the text, or before.
  static const StreamedOperation& at(const std::map<std::uint32_t, const StreamedOperation*>& begun,
                                     std::uint32_t line) {
    const auto after = begun.upper_bound(line);
    return *(after == begun.begin() ? after : std::prev(after))->second;
  }

  // By the line of the text at which each began.
  std::map<std::uint32_t, const StreamedOperation*> by_line() const {
    std::map<std::uint32_t, const StreamedOperation*> found;
    std::uint32_t line = 1;
    for (const StreamedOperation& each : done_) {
      found.emplace(line, &each);
      line += each.end ? 2 : 1;
    }
    return found;
  }

  void put_right(TransactionHistory& history) {
    const auto begun = by_line();
    history.sessions.clear();
    for (RecordedTransaction& txn : history.transactions) {
      const StreamedOperation& each = at(begun, txn.line);
      txn.session = sessions_.of(each.process);
      StreamSessions::name(history, txn.session, each.process);
      txn.line = each.begin.line;
      txn.began = each.begin.moment;
      if (txn.ended != kNever) txn.ended = each.end->moment;
    }
  }

  void put_right(ObjectHistory& history) {
    const auto begun = by_line();
    for (ObjectCall& call : history.calls) {
      const StreamedOperation& each = at(begun, call.line);
      const bool is_number = !each.process.empty() && each.process.size() < 9 &&
                             each.process.find_first_not_of("0123456789") == std::string::npos;
      call.process = is_number ? static_cast<std::uint32_t>(std::stoul(each.process))
                               : sessions_.of(each.process);
      call.line = each.begin.line;
      call.called = each.begin.moment;
      if (call.returned != kNever) call.returned = each.end->moment;
    }
    // They came in the order of their ends.
    std::ranges::stable_sort(history.calls, {}, &ObjectCall::called);
  }

  std::string name_;
  ReadHistoryOptions options_;
  JepsenMemory memory_;
  std::map<Process, StreamedLine> open_;
  std::vector<StreamedOperation> done_;
  std::size_t count_ = 0;  // of completed operations
  bool has_adds_ = false;
  bool is_clear_ = false;
  bool is_in_list_ = false;
  Moment moment_ = 0;
  StreamSessions sessions_;
};

}  // namespace

std::unique_ptr<LineStream> make_jepsen_line_stream(const std::string& name,
                                                    const ReadHistoryOptions& options) {
  return std::make_unique<JepsenLineStream>(name, options);
}

}  // namespace heddle
