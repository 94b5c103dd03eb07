// Which invocation each completion of a Jepsen history belongs to, and whose they are.
//
// A process does one thing at a time, so that its completion ends what it began last. Events
// without a process are paired by function and value, and each such operation is a session of its
// own. What :process :nemesis does is not part of the history.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/history/jepsen_source.h"
#include "heddle/recorded_history.h"

namespace heddle {

enum class EventType : std::uint8_t { invoke, ok, fail, info };

struct Invocation {
  std::uint32_t session = 0;
  std::uint32_t line = 0;
  Moment moment = 0;
  Value function = kNil;  // of function_names()
  std::size_t at = 0;
  std::size_t value_at = kNoValue;  // for OperationSource::read_again

  static constexpr std::size_t kNoValue = std::numeric_limits<std::size_t>::max();
};

struct PairedEvent {
  EventType type = EventType::invoke;
  Invocation event = {};                      // the event itself
  std::optional<Invocation> invocation = {};  // of a completion, where the file has it
};

class EventPairing {
 public:
  explicit EventPairing(OperationSource& source) : source_(source) {}

  // The next event, which `operation` then holds; none: at the end, or trouble().
  std::optional<PairedEvent> next(JepsenOperation& operation);
  // Invocations that were not completed, by session.
  std::vector<Invocation> still_open() const;

  std::size_t session_count() const { return slots_.size(); }
  // The process of a session, kNil where it has none.
  Value process(std::uint32_t session) const { return slots_[session].process; }
  const ValueTexts& process_names() const { return processes_; }
  std::string function_name(Value function) const;

  const std::optional<Diagnostic>& trouble() const {
    return trouble_ ? trouble_ : source_.reader().trouble();
  }

 private:
  struct Slot {
    Value process = kNil;
    bool was_invoked = false;
    std::optional<Invocation> open = {};
  };

  static constexpr std::size_t kMostNameless = 100;

  bool fail(std::size_t at, std::string what, std::string what_to_do);
  std::optional<EventType> event_type(const JepsenOperation& operation);
  bool is_client(const JepsenOperation& operation);
  std::uint32_t slot_of(const FormNode& process);
  Value function_of(const FormNode& name);
  std::uint32_t new_slot(Value process);
  bool pair_with_process(PairedEvent& paired, std::uint32_t session);
  bool pair_without_process(PairedEvent& paired, const JepsenOperation& operation);
  std::vector<Invocation>::iterator find_nameless(Value function, const JepsenOperation& operation);
  bool check_functions(const PairedEvent& paired);

  OperationSource& source_;
  std::vector<Slot> slots_;
  std::unordered_map<std::int64_t, std::uint32_t> slot_of_process_;
  std::vector<Invocation> nameless_;  // open, without a process
  ValueTexts processes_;
  ValueTexts functions_;
  std::string last_function_name_;  // most are the same
  Value last_function_ = kNil;
  Moment moment_ = 0;
  Form scratch_;
  Form completed_;
  std::optional<Diagnostic> trouble_;
};

}  // namespace heddle
