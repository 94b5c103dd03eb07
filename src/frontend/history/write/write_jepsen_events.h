// Events of Jepsen histories: their order, and how they are written in EDN and in JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/history/history_format.h"
#include "heddle/recorded_history.h"

namespace heddle {

// What a process did from its invocation to its completion.
struct JepsenSpan {
  std::uint32_t process = 0;
  Moment began = 0;
  Moment ended = kNever;
  bool is_known = true;  // else nobody was told how it ended, and `ended` means nothing
};

struct JepsenEvent {
  std::uint32_t span = 0;
  bool is_completion = false;
};

// Invocations and completions by moment, at one moment invocations first. A process does one thing
// at a time: none when spans of one process overlap, or are not in the order in which they begin.
// What nobody was told about is completed when its process goes on, or at the end.
std::optional<std::vector<JepsenEvent>> order_jepsen_events(std::span<const JepsenSpan> spans);

// Writes values as EDN or as JSON.
class JepsenSyntax {
 public:
  JepsenSyntax(HistoryFormat format, const ValueTexts& texts)
      : is_edn_(format == HistoryFormat::jepsen_edn), texts_(texts) {}

  bool is_edn() const { return is_edn_; }
  // The first part of an event, up to its value.
  void begin_event(std::string& out, std::size_t index, std::string_view process,
                   std::string_view type, std::string_view function) const;
  void member(std::string& out, std::string_view name) const;
  void end_event(std::string& out) const { out += "}\n"; }

  // :invoke or "invoke".
  void word(std::string& out, std::string_view word) const;
  void value(std::string& out, Value value) const;
  void list(std::string& out, std::span<const Value> elements) const;
  std::string_view separator() const { return is_edn_ ? " " : ", "; }

  // Whether a value can be written: kUnseen cannot, nor texts that are no UTF-8.
  bool is_expressible(Value value) const;

 private:
  void text(std::string& out, std::string_view text) const;

  bool is_edn_;
  const ValueTexts& texts_;
};

}  // namespace heddle
