// Calls on objects of Jepsen histories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "frontend/history/history_reading.h"
#include "frontend/history/jepsen_source.h"
#include "frontend/history/jepsen_values.h"
#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

// A call before it is known what kind of object it is on.
struct JepsenCall {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::uint32_t session = 0;
  std::uint32_t line = 0;
  std::uint32_t function = 0;  // into JepsenCalls::functions
  CallOutcome outcome = CallOutcome::unknown;
  bool is_invoked = true;  // its invocation is in the file
  bool has_key = false;
  Value key = kNil;              // of the field :key
  std::size_t argument = kNone;  // into JepsenCalls::terms
  std::size_t result = kNone;
  Moment called = 0;
  Moment returned = kNever;
};

struct JepsenCalls {
  std::vector<JepsenCall> calls;
  std::vector<HistoryTerm> terms;
  std::vector<std::string> functions;
  std::vector<std::uint32_t> processes;  // by session
  ValueTexts texts;

  // Null for kNone.
  const HistoryTerm* term(std::size_t place) const {
    return place == JepsenCall::kNone ? nullptr : &terms[place];
  }
};

Result<ObjectHistory> read_jepsen_calls(OperationSource& source, const ReadHistoryOptions& options);

// The second half: chooses the model and gives every value its place. `name` is the file's.
Result<ObjectHistory> to_object_history(JepsenCalls calls, std::string_view bytes,
                                        const std::string& name, const ReadHistoryOptions& options);

}  // namespace heddle
