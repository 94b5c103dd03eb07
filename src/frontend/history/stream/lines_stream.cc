// heddle's own lines. Every part is read behind the first line of the file. What is still running
// shows in lines {"watermark": moment}, and where all sessions are named in the first line in that
// each of them does one thing after the other.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "frontend/history/lines.h"
#include "frontend/history/lines_json.h"
#include "frontend/history/stream/line_stream.h"
#include "frontend/history/stream/line_streams.h"
#include "frontend/history/stream/stream_sessions.h"

namespace heddle {

namespace {

class HeddleLineStream : public LineStream {
 public:
  explicit HeddleLineStream(std::string name) : name_(std::move(name)) {}

  Result<void> take_line(std::string_view line, std::uint32_t number) override {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return {};
    if (header_.empty()) {
      const Result<RecordedHistory> checked = read_heddle_lines(line, name_);
      if (!checked) return moved_to_line(checked.error(), number);
      header_ = std::string(line) + "\n";
      header_line_ = number;
      if (const auto* const named = std::get_if<TransactionHistory>(&*checked)) {
        for (std::size_t i = 0; i < named->sessions.size(); ++i) ended_.emplace_back(kFirst);
      }
      return {};
    }
    text_ += line;
    text_ += '\n';
    numbers_.push_back(number);
    return {};
  }

  Result<std::optional<StreamedPart>> take_part(bool is_end) override {
    if (!numbers_.empty() || (is_end && !part_ && !has_parts_ && !header_.empty())) {
      if (Result<void> done = read(); !done) return done.error();
    }
    if (!part_) return std::optional<StreamedPart>();
    has_parts_ = true;
    part_->watermark = is_end ? kNever : watermark();
    return std::exchange(part_, std::nullopt);
  }

 private:
  static constexpr Moment kFirst = std::numeric_limits<Moment>::min();

  Moment watermark() const {
    Moment watermark = watermark_;
    if (!ended_.empty()) watermark = std::max(watermark, std::ranges::min(ended_));
    return watermark;
  }

  std::uint32_t line_of(std::uint32_t line) const {
    if (line == 0 || line == 1) return line == 0 ? 0 : header_line_;
    return line - 2 < numbers_.size() ? numbers_[line - 2] : numbers_.back() + 1;
  }

  Result<void> read() {
    std::vector<HistoryWatermark> watermarks;
    Result<RecordedHistory> read = read_heddle_lines(header_ + text_, name_, &watermarks);
    if (!read) return moved_to_line(read.error(), line_of(read.error().position.line));
    Result<void> taken =
        std::visit([&](auto& history) { return take(history, watermarks); }, *read);
    if (!taken) return taken;
    numbers_.clear();
    text_.clear();
    part_ = StreamedPart{std::move(*read), 0};
    return {};
  }

  Result<void> check_began(Moment began, std::uint32_t line) const {
    if (began >= watermark()) return {};
    return Diagnostic{
        .what = fmt::format("this began at {}, and the lines above say that whatever follows "
                            "begins at {} or later",
                            began, watermark()),
        .what_to_do =
            "let the transactions of a session follow each other, and watermarks be true; "
            "or check the whole file without --follow",
        .file = name_,
        .position = {line, 1}};
  }

  void pass_watermarks(const std::vector<HistoryWatermark>& watermarks, std::size_t& next,
                       std::uint32_t line) {
    for (; next < watermarks.size() && watermarks[next].line < line; ++next) {
      watermark_ = std::max(watermark_, watermarks[next].moment);
    }
  }

  Result<void> take(TransactionHistory& history, const std::vector<HistoryWatermark>& watermarks) {
    const std::size_t named = ended_.size();
    std::size_t next = 0;
    for (RecordedTransaction& txn : history.transactions) {
      pass_watermarks(watermarks, next, txn.line);
      txn.line = line_of(txn.line);
      if (history.has_times) {
        if (Result<void> good = check_began(txn.began, txn.line); !good) return good;
      }
      if (named > txn.session) {
        const bool is_known = txn.outcome != TransactionOutcome::unknown && txn.ended != kNever;
        ended_[txn.session] = std::max(ended_[txn.session], is_known ? txn.ended : txn.began);
      } else if (txn.session < history.sessions.size()) {
        const std::string name = history.sessions[txn.session];
        txn.session = sessions_.of(name);
      }
    }
    pass_watermarks(watermarks, next, std::numeric_limits<std::uint32_t>::max());
    if (named == 0) rename_sessions(history);
    return {};
  }

  // Sessions that are known by their names got numbers of their own.
  void rename_sessions(TransactionHistory& history) {
    if (history.sessions.empty()) return;
    const std::vector<std::string> names = std::exchange(history.sessions, {});
    for (const std::string& name : names) StreamSessions::name(history, sessions_.of(name), name);
  }

  Result<void> take(ObjectHistory& history, const std::vector<HistoryWatermark>& watermarks) {
    // Calls are sorted, so that watermarks between them are looked at afterwards.
    for (ObjectCall& call : history.calls) {
      call.line = line_of(call.line);
      if (Result<void> good = check_began(call.called, call.line); !good) return good;
    }
    std::size_t next = 0;
    pass_watermarks(watermarks, next, std::numeric_limits<std::uint32_t>::max());
    return {};
  }

  std::string name_;
  std::string header_;
  std::uint32_t header_line_ = 1;
  std::string text_;                    // lines that were not read yet
  std::vector<std::uint32_t> numbers_;  // of these lines
  std::optional<StreamedPart> part_;
  bool has_parts_ = false;
  Moment watermark_ = kFirst;
  std::vector<Moment> ended_;  // by session, where the first line names them
  StreamSessions sessions_;
};

}  // namespace

std::unique_ptr<LineStream> make_heddle_line_stream(const std::string& name) {
  return std::make_unique<HeddleLineStream>(name);
}

}  // namespace heddle
