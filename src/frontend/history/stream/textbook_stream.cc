// Textbook notation. The steps of a transaction are kept as they are written until it ends, and are
// then read as a text of their own.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "frontend/history/stream/line_stream.h"
#include "frontend/history/stream/line_streams.h"
#include "frontend/history/stream/stream_sessions.h"
#include "frontend/history/textbook.h"
#include "frontend/history/textbook_token.h"

namespace heddle {

namespace {

struct StreamedSteps {
  std::string text;
  std::uint32_t line = 0;
  Moment began = 0;
  Moment ended = kNever;
  std::uint64_t number = 0;
};

// Numbers of transactions that have ended, as ranges that do not touch.
class EndedNumbers {
 public:
  bool contains(std::uint64_t number) const {
    const auto after = ranges_.upper_bound(number);
    return after != ranges_.begin() && number <= std::prev(after)->second;
  }
  // REQUIRES: !contains(number).
  void add(std::uint64_t number) {
    auto after = ranges_.upper_bound(number);
    std::uint64_t last = number;
    if (after != ranges_.end() && after->first == number + 1) {
      last = after->second;
      after = ranges_.erase(after);
    }
    if (after != ranges_.begin() && std::prev(after)->second + 1 == number) {
      std::prev(after)->second = last;
    } else {
      ranges_.emplace(number, last);
    }
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;
};

class TextbookLineStream : public LineStream {
 public:
  TextbookLineStream(std::string name, const ReadHistoryOptions& options)
      : name_(std::move(name)), is_initial_known_(options.initial.has_value()) {}

  Result<void> take_line(std::string_view line, std::uint32_t number) override {
    ValueTexts texts;
    TextbookScanner scanner(line, name_, texts);
    while (!scanner.at_end()) {
      const std::size_t begin = scanner.position().column - 1;
      const std::string_view directive = scanner.take_directive();
      if (!directive.empty()) {
        return directive == "session" ? take_session(scanner, number)
                                      : take_setting(line, directive, number);
      }
      TextbookStep step;
      if (!scanner.step(step)) return moved_to_line(*scanner.trouble(), number);
      const std::size_t end = scanner.position().column - 1;
      Result<void> taken = take_step(step, line.substr(begin, end - begin), number);
      if (!taken) return taken;
    }
    if (scanner.trouble()) return moved_to_line(*scanner.trouble(), number);
    return {};
  }

  Result<std::optional<StreamedPart>> take_part(bool is_end) override {
    if (is_end) {
      for (auto& [number, steps] : open_) done_.push_back(std::move(steps));
      open_.clear();
    }
    if (done_.empty()) return std::optional<StreamedPart>();
    std::string text = settings_ + "\n";
    for (const StreamedSteps& each : done_) text += each.text + "\n";
    Result<TransactionHistory> read = read_textbook(text, name_);
    if (!read) {
      return moved_to_line(read.error(), done_.front().line);
    }
    put_right(*read);
    done_.clear();
    return std::optional(StreamedPart{std::move(*read), is_end ? kNever : watermark()});
  }

 private:
  Result<void> trouble(std::uint32_t line, std::uint32_t column, std::string what,
                       std::string what_to_do = "") const {
    return Diagnostic{std::move(what), std::move(what_to_do), name_, {line, column}};
  }

  // "initial: 0" and "times: none", which stand in front.
  Result<void> take_setting(std::string_view line, std::string_view directive,
                            std::uint32_t number) {
    if (now_ > 0) {
      return trouble(number, 1, fmt::format("a line \"{}:\" after the first step", directive),
                     "with --follow it stands in front of all steps");
    }
    const std::string settings = settings_ + std::string(line) + "\n";
    const Result<TransactionHistory> read = read_textbook(settings, name_);
    if (!read) {
      Diagnostic diagnostic = read.error();
      return moved_to_line(std::move(diagnostic), number);
    }
    settings_ = settings;
    is_initial_known_ = is_initial_known_ || directive == "initial";
    return {};
  }

  Result<void> take_session(TextbookScanner& scanner, std::uint32_t line) {
    std::string name;
    if (!scanner.name(name) || !scanner.take_colon())
      return moved_to_line(*scanner.trouble(), line);
    if (numbers_.try_emplace(name, next_session_).second) ++next_session_;
    std::uint64_t before = 0;
    bool is_first = true;
    while (!scanner.at_end_of_line()) {
      const std::uint32_t column = scanner.position().column;
      std::uint64_t number = 0;
      if (!scanner.number(number)) return moved_to_line(*scanner.trouble(), line);
      if (open_.contains(number) || ended_.contains(number)) {
        return trouble(line, column, fmt::format("transaction {} has begun before", number),
                       "with --follow the line of a session stands in front of its steps");
      }
      if (!session_of_.emplace(number, name).second) {
        return trouble(line, column, fmt::format("transaction {} has a session already", number));
      }
      if (!is_first) predecessor_.emplace(number, before);
      before = number;
      is_first = false;
    }
    return {};
  }

  Result<void> take_step(const TextbookStep& step, std::string_view text, std::uint32_t line) {
    ++now_;
    const std::uint32_t column = step.position.column;
    if (ended_.contains(step.transaction)) {
      return trouble(line, column,
                     fmt::format("transaction {} has ended before", step.transaction));
    }
    if (!is_initial_known_ && step.kind == TextbookStep::Kind::read && !step.list_is_unseen &&
        !step.elements) {
      return trouble(line, column, "it is not said what registers hold at first",
                     "with --follow give --initial, or begin with a line such as initial: 0");
    }
    const auto [entry, is_new] = open_.try_emplace(step.transaction);
    StreamedSteps& steps = entry->second;
    if (is_new) steps = {"", line, now_, kNever, step.transaction};
    if (!is_new && step.kind == TextbookStep::Kind::begin) {
      return trouble(line, column,
                     fmt::format("transaction {} has begun before", step.transaction));
    }
    steps.text += text;
    steps.text += ' ';
    if (step.kind != TextbookStep::Kind::commit && step.kind != TextbookStep::Kind::abort)
      return {};
    if (const auto before = predecessor_.find(step.transaction); before != predecessor_.end()) {
      if (!ended_.contains(before->second)) {
        return trouble(
            line, column,
            fmt::format("transaction {} ends before transaction {}, which comes first in "
                        "its session",
                        step.transaction, before->second),
            "with --follow the transactions of a session end in its order");
      }
      predecessor_.erase(before);
    }
    steps.ended = now_;
    done_.push_back(std::move(steps));
    open_.erase(entry);
    ended_.add(step.transaction);
    return {};
  }

  Moment watermark() const {
    Moment watermark = now_ + 1;
    for (const auto& [number, steps] : open_) watermark = std::min(watermark, steps.began);
    return watermark;
  }

  void put_right(TransactionHistory& history) {
    history.sessions.clear();
    for (std::size_t i = 0; i < done_.size(); ++i) {
      RecordedTransaction& txn = history.transactions[i];
      const auto named = session_of_.find(done_[i].number);
      if (named == session_of_.end()) {
        txn.session = next_session_++;
      } else {
        txn.session = numbers_.at(named->second);
        StreamSessions::name(history, txn.session, named->second);
      }
      txn.line = done_[i].line;
      if (!history.has_times) continue;
      txn.began = done_[i].began;
      txn.ended = txn.ended == kNever ? kNever : done_[i].ended;
    }
  }

  std::string name_;
  std::string settings_;
  bool is_initial_known_;
  Moment now_ = 0;  // the number of the step
  std::map<std::uint64_t, StreamedSteps> open_;
  std::vector<StreamedSteps> done_;
  EndedNumbers ended_;
  std::map<std::uint64_t, std::string> session_of_;
  std::map<std::uint64_t, std::uint64_t> predecessor_;  // in its session, of those not ended
  std::map<std::string, std::uint32_t> numbers_;        // of sessions that have names
  std::uint32_t next_session_ = 0;
};

}  // namespace

std::unique_ptr<LineStream> make_textbook_line_stream(const std::string& name,
                                                      const ReadHistoryOptions& options) {
  return std::make_unique<TextbookLineStream>(name, options);
}

}  // namespace heddle
