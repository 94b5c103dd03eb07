#include "sched/report/finding.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sched/report/objects.h"
#include "sched/report/places.h"
#include "sched/runtime/program_image.h"

namespace heddle::sched::runtime {

namespace {

using Places = std::map<std::uintptr_t, std::vector<SourcePlace>>;

// Whether the event tells a reader something: what each thread does once and in the same order does
// not.
bool is_telling(const Event& event) {
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
    case OperationKind::descriptor_wait:
    case OperationKind::descriptor_use:
      return verb(event.kind) + (" " + std::to_string(event.result));
    case OperationKind::cancel:
      return event.object == event.place.task ? "may be cancelled"
                                              : "cancels thread " + std::to_string(event.object);
    default:
      return verb(event.kind);
  }
}

// What a thread would do next, if it could.
std::string waiting_text(const Event& event) {
  return event.kind == OperationKind::wake_up ? "waits on" : "waits: " + value_text(event);
}

bool is_of_call(const Event& event) {
  return event.kind == OperationKind::call || event.kind == OperationKind::returned;
}

SchedPlace place_of(const SourcePlace& place) {
  if (place.line == 0) return {};
  return {.file = place.file, .line = place.line, .source = place.source()};
}

// What a thread waits for at the end is behind what was done.
bool is_pending(const Explanation& why, std::size_t event) { return event >= why.done; }

class FindingBuilder {
 public:
  FindingBuilder(const Test& test, const ToldExecution& told)
      : test_(test), told_(told), names_(told.execution.names) {
    choose_events();
    std::vector<std::uintptr_t> addresses = told.execution.failure.stack;
    for (const std::size_t i : shown_) {
      const std::vector<std::uintptr_t>& stack = told.why.events[i].stack;
      addresses.insert(addresses.end(), stack.begin(), stack.end());
    }
    places_ = find_places(addresses);
  }

  SchedFinding build() {
    const Failure& failure = told_.execution.failure;
    finding_.test = test_.name();
    finding_.oracle = name(failure.kind);
    finding_.message = failure.what;
    finding_.place = place_of(own_place(failure.stack, places_));
    finding_.token = told_.token;
    finding_.departures = told_.execution.schedule.choices.size();
    finding_.executions = told_.found_in;
    finding_.threads = told_.execution.tasks;
    for (const std::size_t i : shown_) add_step(i);
    for (const Waiting& waiting : failure.waiting) add_waiting(waiting);
    if (test_.judge() != nullptr) finding_.commands = test_.judge()->describe();
    add_why();
    add_cycle();
    add_output();
    return std::move(finding_);
  }

 private:
  static constexpr std::size_t kFirst = 1000;
  static constexpr std::size_t kLast = 1000;

  bool is_shown(std::size_t i) const {
    const Explanation& why = told_.why;
    if (why.deciding && (i == why.deciding->first || i == why.deciding->second)) return true;
    return why.events[i].step && is_telling(why.events[i]);
  }

  void choose_events() {
    std::size_t number = 0;
    for (std::size_t i = 0; i < told_.why.events.size(); ++i) {
      if (!is_shown(i)) continue;
      shown_.push_back(i);
      numbers_[i] = ++number;
    }
    if (shown_.size() <= kFirst + kLast) return;
    shown_.erase(shown_.begin() + kFirst, shown_.end() - kLast);
  }

  void add_step(std::size_t i) {
    const Event& event = told_.why.events[i];
    const bool about_task =
        event.kind == OperationKind::create || event.kind == OperationKind::join ||
        event.kind == OperationKind::cancel || event.kind == OperationKind::descriptor_wait ||
        event.kind == OperationKind::descriptor_use;
    SchedStep step;
    step.number = numbers_[i];
    step.thread = event.place.task;
    step.operation = verb(event.kind);
    step.is_call = is_of_call(event);
    step.waits = is_pending(told_.why, i);
    steps_[i] = finding_.steps.size();
    if (step.is_call) {
      step.text = test_.judge()->describe_event(told_.execution, event);
      finding_.steps.push_back(std::move(step));
      return;
    }
    step.before = event.before;
    step.after = event.after;
    step.text = step.waits ? waiting_text(event) : value_text(event);
    if (!about_task && event.object != 0) {
      step.object = names_.name(event.object);
      step.text += " (" + step.object + ")";
    }
    if (event.timed_out) step.text += ": its time has come";
    step.is_write = event.kind == OperationKind::write ||
                    event.kind == OperationKind::atomic_store ||
                    event.kind == OperationKind::atomic_change;
    step.place = place_of(own_place(event.stack, places_));
    finding_.steps.push_back(std::move(step));
  }

  void add_waiting(const Waiting& waiting) {
    const bool sleeps = waiting.kind == OperationKind::wake_up;
    std::string text =
        "thread " + std::to_string(waiting.task) + " " + (sleeps ? "waits on" : verb(waiting.kind));
    if (waiting.kind == OperationKind::join) {
      text += " thread " + std::to_string(waiting.object);
    } else if (waiting.object != 0) {
      text += " " + names_.name(waiting.object);
      if (waiting.owner >= 0) text += ", which thread " + std::to_string(waiting.owner) + " has";
    }
    finding_.waiting.push_back(std::move(text));
  }

  void add_why() {
    const Explanation& why = told_.why;
    finding_.pattern = why.pattern;
    if (why.deciding && steps_.contains(why.deciding->first) &&
        steps_.contains(why.deciding->second)) {
      finding_.pair = {.first = steps_[why.deciding->first],
                       .second = steps_[why.deciding->second],
                       .is_race = why.is_race,
                       .reversed = why.reversed,
                       .mutex = why.mutex == 0 ? "" : names_.name(why.mutex)};
    }
    if (!why.no_return) return;
    SchedNoReturn point{.step = std::nullopt,
                        .continuations = why.no_return->continuations,
                        .are_all = why.no_return->are_all};
    if (why.no_return->event) {
      // The event itself may be one that nobody is told of.
      const auto shown = steps_.upper_bound(*why.no_return->event);
      if (shown == steps_.begin()) return;
      point.step = std::prev(shown)->second;
    }
    finding_.no_return = point;
  }

  void add_cycle() {
    const std::optional<Cycle>& cycle = told_.why.cycle;
    if (!cycle) return;
    SchedCycle shown{.rounds = cycle->rounds, .left_out = {}};
    TaskSet busy = 0;
    for (const std::size_t i : cycle->events) {
      busy |= only(told_.why.events[i].place.task);
      const auto step = steps_.find(i);
      if (step == steps_.end()) continue;
      if (shown.length++ == 0) shown.first = step->second;
    }
    for (const Event& event : told_.why.events) {
      if (event.kind == OperationKind::end) busy |= only(event.place.task);
    }
    for (std::size_t task = 0; task < finding_.threads; ++task) {
      if ((busy & only(static_cast<TaskId>(task))) == 0) shown.left_out.push_back(task);
    }
    if (shown.length > 0) finding_.cycle = std::move(shown);
  }

  // Each line with the thread that wrote it; a line that several threads wrote is told in parts.
  void add_output() {
    const std::string& text = told_.written;
    std::size_t begin = 0;
    const auto add = [&](std::optional<std::size_t> thread, std::size_t end) {
      while (begin < end) {
        const std::size_t line = std::min(text.find('\n', begin), end);
        finding_.output.push_back({thread, text.substr(begin, line - begin)});
        begin = line < end ? line + 1 : end;
      }
    };
    for (const WrittenPart& part : told_.execution.written) {
      add(part.task, std::min<std::size_t>(part.end, text.size()));
    }
    add(std::nullopt, text.size());
  }

  const Test& test_;
  const ToldExecution& told_;
  ObjectNames names_;
  Places places_;
  std::vector<std::size_t> shown_;              // into the events
  std::map<std::size_t, std::size_t> numbers_;  // of events that are shown, from 1
  std::map<std::size_t, std::size_t> steps_;    // from events to steps
  SchedFinding finding_;
};

}  // namespace

std::optional<ShownStop> shown_stop(const Explanation& why) {
  if (!why.deciding) return std::nullopt;
  // Of two the second: by then it is known what the first has done.
  for (const std::size_t i : {why.deciding->second, why.deciding->first}) {
    const Event& event = why.events[i];
    if (is_pending(why, i)) continue;
    const OwnFrame own = own_frame(event.stack, find_places(event.stack));
    return ShownStop{{event.place, own.above}, own.below};
  }
  return std::nullopt;
}

SchedFinding finding_of(const Test& test, const ToldExecution& told) {
  return FindingBuilder(test, told).build();
}

}  // namespace heddle::sched::runtime
