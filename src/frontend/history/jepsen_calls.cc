// Collects the calls of a history: what they were given and what they returned, each paired with
// its completion. What the values mean is decided by the model, which is known only at the end
// (jepsen_objects.cc).
#include "frontend/history/jepsen_calls.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "frontend/history/jepsen_pairing.h"

namespace heddle {

namespace {

class CallReader {
 public:
  explicit CallReader(OperationSource& source)
      : pairing_(source), values_(source.reader().bytes(), read_.texts) {}

  Result<JepsenCalls> read() {
    JepsenOperation operation;
    while (const std::optional<PairedEvent> paired = pairing_.next(operation)) {
      if (paired->type == EventType::invoke) {
        begin_call(*paired, operation, true);
      } else {
        end_call(*paired, operation);
      }
    }
    if (pairing_.trouble()) return *pairing_.trouble();
    if (std::ranges::any_of(read_.calls, [](const JepsenCall& call) { return !call.is_invoked; })) {
      date_invocations();
    }
    number_processes();
    return std::move(read_);
  }

 private:
  static constexpr std::int64_t kProcessLimit = 1'000'000;

  void begin_call(const PairedEvent& paired, const JepsenOperation& operation, bool is_invoked) {
    JepsenCall call{.session = paired.event.session,
                    .line = paired.event.line,
                    .function = function_index(paired.event.function),
                    .is_invoked = is_invoked,
                    .called = is_invoked ? paired.event.moment : 0};
    if (!operation.key.is_empty()) {
      call.has_key = true;
      call.key = values_.of(operation.key.nodes[0]);
    }
    call.argument = add_terms(operation.value);
    open_.resize(pairing_.session_count());
    open_[call.session] = read_.calls.size();
    read_.calls.push_back(call);
  }

  void end_call(const PairedEvent& paired, const JepsenOperation& operation) {
    if (!paired.invocation) begin_call(paired, operation, false);
    JepsenCall& call = read_.calls[open_[paired.event.session]];
    if (paired.type == EventType::ok) {
      call.outcome = CallOutcome::ok;
      call.result = paired.invocation ? add_terms(operation.value) : call.argument;
    } else if (paired.type == EventType::fail) {
      call.outcome = CallOutcome::failed;
    }
    if (call.outcome != CallOutcome::unknown) call.returned = paired.event.moment;
    if (!call.has_key && !operation.key.is_empty()) {
      call.has_key = true;
      call.key = values_.of(operation.key.nodes[0]);
    }
    if (paired.invocation && paired.invocation->function == kNil) {
      call.function = function_index(paired.event.function);
    }
  }

  std::size_t add_terms(const Form& value) {
    if (value.is_empty()) return JepsenCall::kNone;
    const std::size_t place = read_.terms.size();
    values_.add_terms(value.nodes[0], read_.terms);
    return place;
  }

  std::uint32_t function_index(Value function) {
    const auto next = static_cast<std::uint32_t>(read_.functions.size());
    const auto [place, is_new] = functions_.emplace(function.code, next);
    if (is_new) read_.functions.push_back(pairing_.function_name(function));
    return place->second;
  }

  // What was not invoked in the file was invoked after the process completed what it did before.
  // Moments are spread to make room for that; without anything before, the call may have begun at
  // any time.
  void date_invocations() {
    std::vector<Moment> free_since(pairing_.session_count(), 0);
    for (JepsenCall& call : read_.calls) {
      call.called = call.is_invoked ? call.called * 2 : free_since[call.session];
      if (call.returned == kNever) continue;
      call.returned *= 2;
      free_since[call.session] = call.returned + 1;
    }
    std::ranges::stable_sort(read_.calls, {}, &JepsenCall::called);
  }

  // As the file numbers its processes, where it does; else in the order in which they appear.
  void number_processes() {
    bool are_numbers = true;
    for (std::uint32_t i = 0; i < pairing_.session_count(); ++i) {
      const Value process = pairing_.process(i);
      are_numbers =
          are_numbers && process.is_number() && process.code >= 0 && process.code < kProcessLimit;
    }
    for (std::uint32_t i = 0; i < pairing_.session_count(); ++i) {
      read_.processes.push_back(are_numbers ? static_cast<std::uint32_t>(pairing_.process(i).code)
                                            : i);
    }
  }

  EventPairing pairing_;
  JepsenCalls read_;
  FormValues values_;
  std::vector<std::size_t> open_;  // the call that each session has begun last
  std::unordered_map<std::int64_t, std::uint32_t> functions_;
};

}  // namespace

Result<ObjectHistory> read_jepsen_calls(OperationSource& source,
                                        const ReadHistoryOptions& options) {
  Result<JepsenCalls> calls = CallReader(source).read();
  if (!calls) return calls.error();
  return to_object_history(std::move(*calls), source.reader().bytes(), source.reader().name(),
                           options);
}

}  // namespace heddle
