#include "race/outcome/outcome_rules.h"

namespace heddle {

namespace {

// Clocks of two programs and of a store on one machine differ by less.
constexpr std::uint64_t kClockSlackUs = 2'000'000;
constexpr std::uint64_t kSecondUs = 1'000'000;

// Whether the token is a time at which the run went on: a clock's, not somebody's plan.
bool is_of_run(const OutcomeTuple& tuple, const TextToken& token) {
  if (tuple.begun_us == 0) return false;
  const auto time_us = time_us_of(token);
  return time_us && *time_us + kClockSlackUs >= tuple.begun_us &&
         *time_us <= tuple.ended_us + kClockSlackUs;
}

// Whether it is one of these points in time, as far as it tells: to the second, or more.
bool is_one_of_times(const TimesUs& times, const TextToken& token) {
  if (times.empty()) return false;
  const auto time_us = time_us_of(token);
  if (!time_us) return false;
  std::uint64_t unit_us = 1;
  while (unit_us < kSecondUs && *time_us % (unit_us * 10) == 0) unit_us *= 10;
  const auto found = times.lower_bound(*time_us);
  return found != times.end() && *found < *time_us + unit_us;
}

}  // namespace

PlaceRule rule_of(const OutcomeRules& rules, const OutcomeTuple& tuple, const TupleCell& cell,
                  std::size_t token) {
  const auto found = rules.tokens.find({*cell.place, token});
  if (found != rules.tokens.end()) return found->second;
  const TextToken& text = cell.tokens[token];
  if (text.kind == TokenKind::uuid) return {Treatment::named, std::string(kUuidDomain)};
  if (is_one_of_times(tuple.times_before, text)) {
    return {Treatment::named, std::string(kTimeDomain)};
  }
  if (is_one_of_times(rules.times_before, text)) return {};
  if (is_of_run(tuple, text)) return {.treatment = Treatment::masked};
  return {};
}

bool is_fixed(const OutcomeRules& rules, const std::string& domain, const std::string& value) {
  const auto found = rules.fixed.find(domain);
  return found != rules.fixed.end() && found->second.contains(value);
}

}  // namespace heddle
