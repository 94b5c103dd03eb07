// What of an outcome is compared literally, what up to renaming, and what not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "race/outcome/outcome_tuple.h"

namespace heddle {

enum class Treatment : std::uint8_t {
  literal,
  named,    // equal up to one renaming of the whole outcome
  masked,   // any value is as good, but a value is no NULL
  ignored,  // NULL, too
};

struct PlaceRule {
  Treatment treatment = Treatment::literal;
  std::string domain = {};  // of names: within one the renaming is a bijection
};

// A token of the values at a place.
using TokenPlace = std::pair<std::string, std::size_t>;

// The domain of points in time that were there before a run which began at rows of its own.
inline constexpr std::string_view kTimeDomain = "time before";

// The domain of identities of 128 bits, wherever they stand: no two are equal by chance.
inline constexpr std::string_view kUuidDomain = "uuid";

struct OutcomeRules {
  std::map<std::string, PlaceRule> places = {};  // of whole values
  std::map<TokenPlace, PlaceRule> tokens = {};   // where there is none of the whole value
  // Names that were there before the runs stand for themselves.
  std::map<std::string, std::set<std::string>> fixed = {};  // by domain
  TimesUs times_before = {};                                // they stand for themselves, too
  std::set<std::string> chance_errors = {};                 // words of errors that come and go
};

// What a token is treated as at its place, by rule or by its look.
PlaceRule rule_of(const OutcomeRules& rules, const OutcomeTuple& tuple, const TupleCell& cell,
                  std::size_t token);

bool is_fixed(const OutcomeRules& rules, const std::string& domain, const std::string& value);

}  // namespace heddle
