#include "frontend/history/jepsen_pairing.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace heddle {

namespace {

constexpr std::array<std::string_view, 4> kTypes = {"invoke", "ok", "fail", "info"};

// Whether what was invoked may have been completed like this: as equal, where neither is nil.
bool may_belong(const FormNode& invoked, const FormNode& completed) {
  if (invoked.kind == FormKind::nil || completed.kind == FormKind::nil) return true;
  if (invoked.kind != completed.kind) return false;
  if (!invoked.is_container()) {
    return invoked.text == completed.text && invoked.number == completed.number;
  }
  const Inside<FormNode> left(invoked);
  const Inside<FormNode> right(completed);
  auto a = left.begin();
  auto b = right.begin();
  for (; a != left.end() && b != right.end(); ++a, ++b) {
    if (!may_belong(*a, *b)) return false;
  }
  return a == left.end() && b == right.end();
}

bool same_function(Value a, Value b) { return a == kNil || b == kNil || a == b; }

}  // namespace

bool EventPairing::fail(std::size_t at, std::string what, std::string what_to_do) {
  trouble_ = source_.reader().complaint(at, std::move(what), std::move(what_to_do));
  return false;
}

std::string EventPairing::function_name(Value function) const {
  return function == kNil ? "" : functions_.to_string(function);
}

std::optional<EventType> EventPairing::event_type(const JepsenOperation& operation) {
  if (!operation.type.is_empty()) {
    const auto* const found = std::ranges::find(kTypes, operation.type.nodes[0].name());
    if (found != kTypes.end()) return static_cast<EventType>(found - kTypes.begin());
  }
  const std::size_t at = operation.type.is_empty() ? operation.at : operation.type.nodes[0].at;
  fail(at, operation.type.is_empty() ? "an operation without :type" : "an unknown :type",
       "give every operation the type :invoke, :ok, :fail or :info");
  return std::nullopt;
}

bool EventPairing::is_client(const JepsenOperation& operation) {
  return operation.process.is_nil() || !operation.process.nodes[0].is_name() ||
         operation.process.nodes[0].name() != "nemesis";
}

std::uint32_t EventPairing::new_slot(Value process) {
  slots_.push_back({.process = process});
  return static_cast<std::uint32_t>(slots_.size() - 1);
}

std::uint32_t EventPairing::slot_of(const FormNode& process) {
  const Value name = process.kind == FormKind::number ? processes_.number(process.number)
                                                      : processes_.text(process.name());
  const auto known = slot_of_process_.find(name.code);
  if (known != slot_of_process_.end()) return known->second;
  const std::uint32_t slot = new_slot(name);
  slot_of_process_.emplace(name.code, slot);
  return slot;
}

Value EventPairing::function_of(const FormNode& name) {
  if (last_function_ == kNil || name.name() != last_function_name_) {
    last_function_name_ = name.name();
    last_function_ = functions_.text(last_function_name_);
  }
  return last_function_;
}

std::optional<PairedEvent> EventPairing::next(JepsenOperation& operation) {
  while (!trouble_ && source_.next(operation)) {
    ++moment_;
    const std::optional<EventType> type = event_type(operation);
    if (!type) return std::nullopt;
    if (!is_client(operation)) continue;
    PairedEvent paired{.type = *type, .event = {.moment = moment_, .at = operation.at}};
    paired.event.line = source_.line_of(operation.at);
    if (!operation.function.is_nil()) {
      paired.event.function = function_of(operation.function.nodes[0]);
    }
    paired.event.value_at = operation.value_at().value_or(Invocation::kNoValue);
    if (operation.process.is_nil()) {
      if (!pair_without_process(paired, operation)) return std::nullopt;
    } else {
      const FormNode& process = operation.process.nodes[0];
      if (process.is_container()) {
        fail(process.at, "a :process that is a collection", "give it a number or a name");
        return std::nullopt;
      }
      if (!pair_with_process(paired, slot_of(process))) return std::nullopt;
    }
    return paired;
  }
  return std::nullopt;
}

bool EventPairing::pair_with_process(PairedEvent& paired, std::uint32_t session) {
  Slot& slot = slots_[session];
  paired.event.session = session;
  if (paired.type == EventType::invoke) {
    if (slot.open) {
      return fail(paired.event.at,
                  fmt::format("process {} invokes an operation before that of line {} is completed",
                              processes_.to_string(slot.process), slot.open->line),
                  "complete the first as :ok, :fail or :info, or give the second another process");
    }
    slot.was_invoked = true;
    slot.open = paired.event;
    return true;
  }
  if (!slot.open && slot.was_invoked) {
    return fail(paired.event.at,
                fmt::format("process {} completes an operation that it has already completed, or "
                            "did not invoke",
                            processes_.to_string(slot.process)),
                "give every completion one :invoke of the same process in front of it");
  }
  paired.invocation = std::exchange(slot.open, std::nullopt);
  return check_functions(paired);
}

bool EventPairing::check_functions(const PairedEvent& paired) {
  if (!paired.invocation || same_function(paired.invocation->function, paired.event.function)) {
    return true;
  }
  return fail(
      paired.event.at,
      fmt::format("a :{} completes the :{} of line {}", function_name(paired.event.function),
                  function_name(paired.invocation->function), paired.invocation->line),
      "a process does one thing at a time; give each its own process");
}

bool EventPairing::pair_without_process(PairedEvent& paired, const JepsenOperation& operation) {
  if (paired.type == EventType::invoke) {
    if (nameless_.size() == kMostNameless) {
      return fail(
          paired.event.at,
          fmt::format("more than {} operations without :process at the same time", kMostNameless),
          "give every operation its :process");
    }
    paired.event.session = new_slot(kNil);
    nameless_.push_back(paired.event);
    return true;
  }
  const auto found = find_nameless(paired.event.function, operation);
  if (found == nameless_.end()) {
    paired.event.session = new_slot(kNil);
    return true;
  }
  paired.event.session = found->session;
  paired.invocation = *found;
  nameless_.erase(found);
  return true;
}

// The oldest of the same function; where there are several, the oldest whose value fits.
std::vector<Invocation>::iterator EventPairing::find_nameless(Value function,
                                                              const JepsenOperation& operation) {
  const auto is_candidate = [&](const Invocation& open) {
    return same_function(open.function, function);
  };
  const auto oldest = std::ranges::find_if(nameless_, is_candidate);
  if (std::ranges::count_if(nameless_, is_candidate) < 2 || !operation.has_value()) return oldest;
  // Whole, whatever was left of it as it stands.
  source_.read_again(*operation.value_at(), completed_);
  const auto fitting = std::ranges::find_if(nameless_, [&](const Invocation& open) {
    if (!is_candidate(open)) return false;
    if (open.value_at == Invocation::kNoValue) return true;
    source_.read_again(open.value_at, scratch_);
    return may_belong(scratch_.nodes[0], completed_.nodes[0]);
  });
  return fitting == nameless_.end() ? oldest : fitting;
}

std::vector<Invocation> EventPairing::still_open() const {
  std::vector<Invocation> open = nameless_;
  for (const Slot& slot : slots_) {
    if (slot.open) open.push_back(*slot.open);
  }
  std::ranges::sort(open, {}, &Invocation::session);
  return open;
}

}  // namespace heddle
