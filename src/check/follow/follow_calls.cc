// Calls become events, a call and a return each, which are worked through in the order of time as
// far as no earlier event can come any more; every object has its Configurations. To explain a
// violation the calls since the last moment with a single configuration are kept, as far as they
// are few: from there on they are a history of their own.
#include <algorithm>
#include <map>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "check/calls/model_objects.h"
#include "check/follow/configurations.h"
#include "heddle/follow.h"

namespace heddle {

namespace {

// Calls kept for an explanation, per object.
constexpr std::size_t kMostLogged = 2000;
// So many more make it worth to look for a new beginning of the log.
constexpr std::size_t kLogStep = 64;
constexpr std::size_t kMostUnusedLists = 1024;

// What another model does, from another state on.
class ContinuedModel : public CallModel {
 public:
  ContinuedModel(const CallModel& model, std::string state)
      : model_(model), state_(std::move(state)) {}
  std::string initial() const override { return state_; }
  bool step(std::string& state, const ObjectCall& call) const override {
    return model_.step(state, call);
  }
  bool only_reads(const ObjectCall& call) const override { return model_.only_reads(call); }

 private:
  const CallModel& model_;
  std::string state_;
};

Value translated(Value value, const ValueTexts& from, ValueTexts& to) {
  if (value == kNil || value == kUnseen || value.is_number()) return value;
  return to.text(from.to_string(value));
}

}  // namespace

class CallFollower::Work {
  struct FollowedObject {
    FollowedObject(const CallModel& model, BoundMeter& meter)
        : configurations(model, meter), log_begin(model.initial()) {}

    Configurations configurations;
    std::string log_begin;  // the state before the log
    std::vector<ObjectCall> log;
    bool log_is_whole = true;
    std::size_t next_cut = kLogStep;
  };

  struct CallEvent {
    Moment moment = 0;
    bool is_return = false;
    std::uint64_t number = 0;  // of the call

    // The latest first; calls come before returns of the same moment.
    friend bool operator<(const CallEvent& a, const CallEvent& b) {
      return std::tie(a.moment, a.is_return, a.number) > std::tie(b.moment, b.is_return, b.number);
    }
  };

  struct PendingCall {
    ObjectCall call;
    std::uint32_t slot = 0;
  };

 public:
  Work(const ObjectHistory& frame, const LinearizabilityOptions& options)
      : options_(options), meter_(options) {
    history_.model = frame.model;
    history_.permits = frame.permits;
    history_.initial = translated(frame.initial, frame.texts, history_.texts);
    model_ = make_model(history_);
  }

  void add(const ObjectHistory& from, std::size_t index) {
    ObjectCall call = from.calls[index];
    ++progress_.added;
    if (call.outcome == CallOutcome::failed || answer_.verdict != Verdict::satisfied) return;
    call.object =
        history_.objects.of(translated(from.objects.name(call.object), from.texts, history_.texts));
    call.argument = translated(call.argument, from.texts, history_.texts);
    call.second = translated(call.second, from.texts, history_.texts);
    take_result(from, call);
    const std::uint64_t number = next_number_++;
    events_.push({call.called, false, number});
    if (call.outcome == CallOutcome::ok) events_.push({call.returned, true, number});
    calls_.emplace(number, PendingCall{call});
    progress_.kept = calls_.size();
    progress_.most_kept = std::max(progress_.most_kept, progress_.kept);
  }

  void advance(Moment watermark, bool is_end) {
    while (!events_.empty() && answer_.verdict == Verdict::satisfied) {
      const CallEvent event = events_.top();
      if (!is_end && event.moment >= watermark) break;
      events_.pop();
      event.is_return ? take_return(event.number) : take_call(event.number);
    }
    progress_.kept = calls_.size();
  }

  const FollowedCalls& answer() const { return answer_; }
  FollowProgress progress() const { return progress_; }

 private:
  void take_result(const ObjectHistory& from, ObjectCall& call) {
    if (!call.result_is_list) {
      call.result = translated(call.result, from.texts, history_.texts);
      return;
    }
    if (history_.lists.size() > 2 * used_lists_ + kMostUnusedLists) drop_unused_lists();
    elements_.clear();
    for (const Value element : from.lists[ListId(static_cast<std::size_t>(call.result.code))]) {
      elements_.push_back(translated(element, from.texts, history_.texts));
    }
    call.result.code = static_cast<std::int64_t>(history_.lists.add(elements_).index());
  }

  void drop_unused_lists() {
    Lists lists;
    // Logged calls share their lists with the running ones; what runs is where it always was.
    std::unordered_map<std::int64_t, std::int64_t> moved;
    const auto move = [&](ObjectCall& call) {
      if (!call.result_is_list) return;
      const auto [entry, is_new] = moved.try_emplace(call.result.code, 0);
      if (is_new) {
        const auto list = history_.lists[ListId(static_cast<std::size_t>(call.result.code))];
        entry->second = static_cast<std::int64_t>(lists.add(list).index());
      }
      call.result.code = entry->second;
    };
    for (auto& [number, pending] : calls_) move(pending.call);
    for (auto& [number, object] : objects_) {
      for (ObjectCall& call : object.log) move(call);
      object.configurations.for_each_call(move);
    }
    used_lists_ = lists.size();
    history_.lists = std::move(lists);
  }

  FollowedObject& object_of(KeyId object) {
    return objects_.try_emplace(object.value, *model_, meter_).first->second;
  }

  void take_call(std::uint64_t number) {
    const auto entry = calls_.find(number);
    const ObjectCall call = entry->second.call;
    FollowedObject& object = object_of(call.object);
    log(object, call);
    if (call.outcome == CallOutcome::unknown) {
      object.configurations.crash(call);
      ++progress_.satisfied;
      calls_.erase(entry);
    } else {
      entry->second.slot = object.configurations.begin(call);
    }
  }

  void take_return(std::uint64_t number) {
    const auto entry = calls_.find(number);
    const ObjectCall call = entry->second.call;
    FollowedObject& object = object_of(call.object);
    if (!object.configurations.end(entry->second.slot)) {
      conclude(object, call);
      return;
    }
    calls_.erase(entry);
    ++progress_.satisfied;
    if (object.log.size() >= object.next_cut) begin_log(object);
  }

  static void log(FollowedObject& object, const ObjectCall& call) {
    if (!object.log_is_whole) return;
    object.log.push_back(call);
    if (object.log.size() < kMostLogged) return;
    object.log_is_whole = false;
    object.log.clear();
    object.log.shrink_to_fit();
    object.next_cut = 0;
  }

  static void begin_log(FollowedObject& object) {
    const auto single = object.configurations.single();
    if (!single) {
      if (object.log_is_whole) object.next_cut = object.log.size() + kLogStep;
      return;
    }
    object.log_begin = single->state;
    object.log = single->open;
    std::ranges::stable_sort(object.log, {}, &ObjectCall::called);
    object.log_is_whole = object.log.size() < kMostLogged;
    if (!object.log_is_whole) object.log.clear();
    object.next_cut = object.log.size() + kLogStep;
  }

  // The call could not return.
  void conclude(const FollowedObject& object, const ObjectCall& call) {
    if (!meter_.hit().empty()) {
      answer_.verdict = Verdict::unknown;
      answer_.bound = meter_.hit();
      return;
    }
    answer_.verdict = Verdict::violated;
    ObjectHistory& told = answer_.history;
    told.model = history_.model;
    told.permits = history_.permits;
    told.initial = history_.initial;
    told.texts = history_.texts;
    told.lists = history_.lists;
    const KeyId id = told.objects.of(history_.objects.name(call.object));
    told.calls = object.log_is_whole ? object.log : std::vector<ObjectCall>{call};
    for (ObjectCall& each : told.calls) each.object = id;
    if (object.log_is_whole) {
      const ContinuedModel model(*model_, object.log_begin);
      answer_.linearizability = check_linearizable(told, model, options_);
      if (answer_.linearizability.verdict == Verdict::violated) return;
    }
    told.calls = {call};
    told.calls.front().object = id;
    LinearizabilityPart part;
    part.object = id;
    part.verdict = Verdict::violated;
    part.stuck = 0;
    part.core_stuck = 0;
    part.core = {0};
    answer_.linearizability = {Verdict::violated, {part}, 0, "", 0};
  }

  LinearizabilityOptions options_;
  BoundMeter meter_;
  ObjectHistory history_;  // objects, texts and lists; no calls
  std::unique_ptr<CallModel> model_;
  std::map<std::uint32_t, FollowedObject> objects_;
  std::unordered_map<std::uint64_t, PendingCall> calls_;  // that have not returned yet
  std::priority_queue<CallEvent> events_;
  std::uint64_t next_number_ = 0;
  std::size_t used_lists_ = 0;  // after the last tidying up
  std::vector<Value> elements_;
  FollowedCalls answer_;
  FollowProgress progress_;
};

CallFollower::CallFollower(const ObjectHistory& frame, const LinearizabilityOptions& options)
    : work_(std::make_unique<Work>(frame, options)) {}
CallFollower::CallFollower(CallFollower&&) noexcept = default;
CallFollower& CallFollower::operator=(CallFollower&&) noexcept = default;
CallFollower::~CallFollower() = default;

void CallFollower::add(const ObjectHistory& from, std::size_t index) { work_->add(from, index); }
void CallFollower::advance(Moment watermark) { work_->advance(watermark, false); }
void CallFollower::finish() { work_->advance(kNever, true); }
const FollowedCalls& CallFollower::answer() const { return work_->answer(); }
FollowProgress CallFollower::progress() const { return work_->progress(); }

}  // namespace heddle
