#include "check/generate/anomalies.h"

#include <algorithm>
#include <string_view>

#include "base/assert.h"

namespace heddle {

namespace {

// "w1x2" writes 2 to x in transaction 1, "r1x2" reads it, "a1" aborts transaction 1.
struct PatternText {
  AnomalyKind kind;
  std::string_view sessions;  // of each transaction
  std::string_view steps;
  bool lists_only = false;
  bool in_turn = false;
};

constexpr PatternText kPatterns[] = {
    {AnomalyKind::dirty_write, "123", "w1x1 w1y1 w2x2 w2y2 r3x12 r3y21", true},
    {AnomalyKind::aborted_read, "12", "w1x1 a1 r2x1"},
    {AnomalyKind::intermediate_read, "12", "w1x1 w1x2 r2x1"},
    {AnomalyKind::unwritten_read, "1", "r1x9"},
    {AnomalyKind::future_read, "1", "r1x1 w1x1"},
    {AnomalyKind::internal_inconsistency, "1", "w1x1 r1x0"},
    {AnomalyKind::inconsistent_order, "1234", "w1x1 w2x2 r3x12 r4x21", true},
    {AnomalyKind::circular_flow, "12", "w1x1 r1y1 w2y1 r2x1"},
    {AnomalyKind::lost_update, "12", "r1x0 w1x1 r2x0 w2x2"},
    {AnomalyKind::non_repeatable_read, "12", "r1x0 r1x1 w2x1"},
    {AnomalyKind::fractured_read, "12", "w1x1 w1y1 r2x1 r2y0"},
    {AnomalyKind::read_skew, "123", "w1x1 r2x1 w2y1 r3y1 r3x0"},
    {AnomalyKind::long_fork, "1234", "w1x1 w2y1 r3x1 r3y0 r4y1 r4x0"},
    {AnomalyKind::write_skew, "12", "r1x0 r1y0 w1x1 r2x0 r2y0 w2y1"},
    {AnomalyKind::causality_violation, "112", "w1x1 w2y1 r3y1 r3x0"},
    {AnomalyKind::session_cycle, "112", "w1x1 r2y0 w3y1 r3x0"},
    {AnomalyKind::real_time_cycle, "12", "w1x1 r2x0", false, true},
};

AnomalyPattern parse(const PatternText& text) {
  AnomalyPattern pattern{text.kind, text.lists_only, text.in_turn, 0, {}};
  for (const char session : text.sessions) {
    const auto number = static_cast<std::uint32_t>(session - '1');
    pattern.transactions.push_back({number, false, {}});
    pattern.sessions = std::max(pattern.sessions, number + 1);
  }
  for (std::string_view rest = text.steps; !rest.empty();) {
    const std::string_view step = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), step.size() + 1));
    PatternTransaction& txn = pattern.transactions[static_cast<std::size_t>(step[1] - '1')];
    if (step[0] == 'a') {
      txn.aborted = true;
      continue;
    }
    PatternOperation operation{step[0] == 'w', step[2], 0};
    for (const char digit : step.substr(3)) {
      operation.digits = 10 * operation.digits + static_cast<std::uint32_t>(digit - '0');
    }
    txn.operations.push_back(operation);
  }
  return pattern;
}

}  // namespace

std::optional<AnomalyPattern> anomaly_pattern(AnomalyKind kind) {
  for (const PatternText& text : kPatterns) {
    if (text.kind == kind) return parse(text);
  }
  return std::nullopt;
}

}  // namespace heddle
