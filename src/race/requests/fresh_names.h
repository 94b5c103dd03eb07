// New names for what the requests of a plan create, so that they can run again where nothing goes
// back: users, accounts, keys of idempotency. What the store numbers by itself needs none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "race/requests/dependencies.h"
#include "race/requests/pair_plan.h"

namespace heddle {

// One name, and what stands in its place.
struct FreshName {
  std::string recorded;
  std::string fresh;

  friend bool operator==(const FreshName&, const FreshName&) = default;
};

// Those of one run. The outcome of a run is that of another one up to this renaming.
struct FreshNames {
  std::uint64_t run = 0;              // 0: everything is called as it was recorded
  std::vector<FreshName> names = {};  // the longest first
};

// The names that requests of the plan create, new ones for each `run` from 1 on.
FreshNames fresh_names(const RequestDependencies& dependencies, const PairPlan& plan,
                       std::uint64_t run);

// Another value of that form: ann-17 is ann-17-h2 in the second run; a UUID stays one, and a number
// a number with as many digits.
std::string fresh_value(std::string_view recorded, std::uint64_t run);

}  // namespace heddle
