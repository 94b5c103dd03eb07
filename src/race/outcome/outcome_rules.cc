#include "race/outcome/outcome_rules.h"

namespace heddle {

namespace {

// Clocks of two programs and of a store on one machine differ by less.
constexpr std::uint64_t kClockSlackUs = 2'000'000;

// Whether the token is a time at which the run went on: a clock's, not somebody's plan.
bool is_of_run(const OutcomeTuple& tuple, const TextToken& token) {
  if (tuple.begun_us == 0) return false;
  const auto time_us = time_us_of(token);
  return time_us && *time_us + kClockSlackUs >= tuple.begun_us &&
         *time_us <= tuple.ended_us + kClockSlackUs;
}

}  // namespace

PlaceRule rule_of(const OutcomeRules& rules, const OutcomeTuple& tuple, const TupleCell& cell,
                  std::size_t token) {
  const auto found = rules.tokens.find({*cell.place, token});
  if (found != rules.tokens.end()) return found->second;
  const TextToken& text = cell.tokens[token];
  if (text.kind == TokenKind::uuid) return {Treatment::named, std::string(kUuidDomain)};
  if (is_of_run(tuple, text)) return {.treatment = Treatment::masked};
  return {};
}

bool is_fixed(const OutcomeRules& rules, const std::string& domain, const std::string& value) {
  const auto found = rules.fixed.find(domain);
  return found != rules.fixed.end() && found->second.contains(value);
}

}  // namespace heddle
