#include "cli/check/follow_one.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "cli/check/growing_input.h"
#include "cli/output/progress.h"
#include "frontend/history/formats/history_stream.h"
#include "frontend/history/lines_json.h"
#include "heddle/follow.h"
#include "report/check/text.h"

namespace heddle {

namespace {

constexpr std::uint32_t kGraceMs = 10'000;

class FollowSession {
 public:
  FollowSession(const CheckRequest& request, const std::string& path, const TextOptions& options)
      : request_(request),
        path_(path),
        name_(path == "-" ? "<stdin>" : path),
        options_(options),
        stream_(name_, {find_history_format(request.from), find_object_model(request.model),
                        request.initial}),
        progress_(name_, progress_is_watched()) {}

  Result<void> run() {
    install_interrupt_handler();
    Result<GrowingInput> input = GrowingInput::open(path_);
    if (!input) return input.error();
    std::string bytes;
    while (verdict() == Verdict::satisfied) {
      const Result<GrowingInput::Event> event = input->next(bytes, request_.deadline);
      if (!event) return event.error();
      Result<void> taken;
      switch (*event) {
        case GrowingInput::Event::bytes: {
          // What was written is judged before an interrupt counts.
          const InterruptGrace grace(kGraceMs);
          taken = stream_.take(bytes);
          // What was read before the trouble counts.
          if (taken || verdict() == Verdict::satisfied) {
            if (Result<void> judged = take_part(); !judged) return judged;
          }
          break;
        }
        case GrowingInput::Event::idle:
          if (auto* const follower = std::get_if<TransactionFollower>(&follower_)) follower->look();
          break;
        case GrowingInput::Event::end: {
          const InterruptGrace grace(kGraceMs);
          return finish();
        }
        case GrowingInput::Event::interrupted:
          is_interrupted_ = true;
          return {};
        case GrowingInput::Event::timeout:
          bound_ = "the time limit";
          return {};
      }
      if (!taken && verdict() != Verdict::violated) return taken;
      const FollowProgress now = progress();
      progress_.show(fmt::format("{} {}, satisfied up to {}", now.added, what(), now.satisfied));
    }
    return {};
  }

  std::vector<std::string> reports() const {
    std::vector<std::string> reports;
    if (verdict() == Verdict::violated) reports.push_back(counterexample());
    if (request_.json) {
      reports.push_back(json_state());
    } else if (verdict() == Verdict::violated) {
      reports.back() += "\n" + text_state();
    } else {
      reports.push_back(text_state());
    }
    return reports;
  }

  bool is_interrupted() const { return is_interrupted_; }

  Verdict verdict() const {
    if (!bound_.empty()) return Verdict::unknown;
    if (const auto* const transactions = std::get_if<TransactionFollower>(&follower_)) {
      return transactions->answer().verdict;
    }
    const auto* const calls = std::get_if<CallFollower>(&follower_);
    return calls == nullptr ? Verdict::satisfied : calls->answer().verdict;
  }

 private:
  using Follower = std::variant<std::monostate, TransactionFollower, CallFollower>;

  FollowProgress progress() const {
    if (const auto* const transactions = std::get_if<TransactionFollower>(&follower_)) {
      return transactions->progress();
    }
    const auto* const calls = std::get_if<CallFollower>(&follower_);
    return calls == nullptr ? FollowProgress() : calls->progress();
  }

  std::string_view what() const {
    return std::holds_alternative<CallFollower>(follower_) ? "calls" : "transactions";
  }

  std::string bound() const {
    if (!bound_.empty()) return bound_;
    if (const auto* const transactions = std::get_if<TransactionFollower>(&follower_)) {
      return transactions->answer().level_answer.bound;
    }
    const auto* const calls = std::get_if<CallFollower>(&follower_);
    return calls == nullptr ? "" : calls->answer().bound;
  }

  Result<void> take_part() {
    Result<std::optional<StreamedPart>> part = stream_.take_part();
    if (!part) return part.error();
    if (!*part) return {};
    return std::visit([&](const auto& history) { return add(history, (*part)->watermark); },
                      (*part)->history);
  }

  Result<void> finish() {
    Result<void> ended = stream_.end();
    if (!ended) return ended;
    if (Result<void> taken = take_part(); !taken) return taken;
    if (auto* const transactions = std::get_if<TransactionFollower>(&follower_)) {
      transactions->finish();
    } else if (auto* const calls = std::get_if<CallFollower>(&follower_)) {
      calls->finish();
    }
    return {};
  }

  std::uint64_t left_ms() const {
    if (!request_.deadline) return 0;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        *request_.deadline - std::chrono::steady_clock::now());
    return static_cast<std::uint64_t>(std::max<std::int64_t>(left.count(), 1));
  }

  Result<void> add(const TransactionHistory& history, Moment watermark) {
    if (std::holds_alternative<std::monostate>(follower_)) {
      if (Result<void> begun = begin(history); !begun) return begun;
    }
    auto& follower = std::get<TransactionFollower>(follower_);
    for (std::size_t i = 0; i < history.transactions.size(); ++i) {
      follower.add(history, TransactionId(i));
    }
    follower.advance(watermark);
    return {};
  }

  Result<void> begin(const TransactionHistory& history) {
    FollowOptions wanted;
    wanted.session = request_.session;
    wanted.realtime = request_.realtime;
    wanted.bounds = {request_.memory_bytes, left_ms(), request_.steps};
    wanted.level =
        history.has_times ? IsolationLevel::strict_serializable : IsolationLevel::serializable;
    if (!request_.levels.empty()) wanted.level = request_.levels.front();
    if (request_.realtime && !history.has_times) {
      return Diagnostic{.what = "the history has no times, so that --realtime means nothing",
                        .what_to_do = "leave --realtime out",
                        .file = name_};
    }
    level_ = wanted.level;
    // Refuses levels that no history of transactions shows.
    const Result<CheckReport> checked = check_history({}, {{level_}, false, false, {}});
    if (!checked) return checked.error();
    follower_.emplace<TransactionFollower>(history, wanted);
    return {};
  }

  Result<void> add(const ObjectHistory& history, Moment watermark) {
    if (const std::optional<std::string> misfit = find_misfit(history)) {
      return Diagnostic{
          .what = *misfit, .what_to_do = "name the kind of object with --model", .file = name_};
    }
    if (std::holds_alternative<std::monostate>(follower_)) {
      if (Result<void> begun = begin(history); !begun) return begun;
    }
    auto& follower = std::get<CallFollower>(follower_);
    for (std::size_t i = 0; i < history.calls.size(); ++i) follower.add(history, i);
    follower.advance(watermark);
    return {};
  }

  Result<void> begin(const ObjectHistory& history) {
    level_ = IsolationLevel::linearizable;
    if (!request_.levels.empty() && request_.levels.front() != level_ &&
        request_.levels.front() != IsolationLevel::strict_serializable) {
      return Diagnostic{.what = fmt::format("calls cannot be followed at {}",
                                            definition(request_.levels.front()).name),
                        .what_to_do = "follow them at linearizable, or leave --follow out",
                        .file = name_};
    }
    LinearizabilityOptions wanted;
    if (request_.memory_bytes != 0) wanted.memory_bytes = request_.memory_bytes;
    if (request_.steps != 0) wanted.steps = request_.steps;
    wanted.deadline = request_.deadline;
    follower_.emplace<CallFollower>(history, wanted);
    return {};
  }

  std::string counterexample() const {
    const CheckSubject subject{name_, false, CallOrder::linearizable};
    if (const auto* const calls = std::get_if<CallFollower>(&follower_)) {
      const FollowedCalls& found = calls->answer();
      return request_.json ? render_json(found.linearizability, found.history, subject)
                           : render_text(found.linearizability, found.history, subject, options_);
    }
    const auto& follower = std::get<TransactionFollower>(follower_);
    CheckReport report;
    report.answers.push_back(follower.answer().level_answer);
    report.weakest_violated.push_back(level_);
    return request_.json ? render_json(report, follower.window(), subject)
                         : render_text(report, follower.window(), subject, options_);
  }

  std::string text_state() const {
    const FollowProgress now = progress();
    std::string counts = fmt::format("{} {} followed, satisfied up to number {}; at most {} kept\n",
                                     now.added, what(), now.satisfied, now.most_kept);
    switch (verdict()) {
      case Verdict::violated:
        return counts;
      case Verdict::unknown:
        return fmt::format("{}: {} is unknown: {}\n{}", name_, definition(level_).name, bound(),
                           counts);
      case Verdict::satisfied:
        break;
    }
    return fmt::format("{}: {} is satisfied{}\n{}", name_, definition(level_).name,
                       is_interrupted_ ? " so far" : "", counts);
  }

  std::string json_state() const {
    const FollowProgress now = progress();
    std::string text = R"({"heddle":"follow/1","file":)";
    append_json_text(text, name_);
    text += fmt::format(R"(,"level":"{}","verdict":"{}")", definition(level_).name,
                        to_string(verdict()));
    if (verdict() == Verdict::unknown) {
      text += R"(,"bound":)";
      append_json_text(text, bound());
    }
    text += fmt::format(
        R"(,"whole":{},"{}":{},"satisfied":{},"most_kept":{}}})",
        is_interrupted_ || !bound_.empty() || verdict() == Verdict::violated ? "false" : "true",
        what(), now.added, now.satisfied, now.most_kept);
    return text + "\n";
  }

  const CheckRequest& request_;
  const std::string& path_;
  std::string name_;
  const TextOptions& options_;
  HistoryStream stream_;
  Progress progress_;
  Follower follower_;
  IsolationLevel level_ = IsolationLevel::strict_serializable;
  std::string bound_;  // that ended it all
  bool is_interrupted_ = false;
};

}  // namespace

Result<FollowedHistory> follow_one(const CheckRequest& request, const std::string& path,
                                   const TextOptions& options) {
  FollowSession session(request, path, options);
  if (Result<void> done = session.run(); !done) return done.error();
  return FollowedHistory{session.reports(), session.verdict(), session.is_interrupted()};
}

}  // namespace heddle
