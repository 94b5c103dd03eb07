// A level at which a search is made: some of its axioms may be set aside, to see what they do.
#pragma once

#include <cstdint>
#include <vector>

#include "heddle/isolation.h"

namespace heddle::find {

struct AppliedLevel {
  IsolationLevel level = IsolationLevel::eventual;
  std::uint64_t without = 0;  // a bit for each Axiom

  AppliedLevel() = default;
  // A level as it is.
  AppliedLevel(IsolationLevel whole) : level(whole) {}  // NOLINT(google-explicit-constructor)

  friend bool operator==(const AppliedLevel&, const AppliedLevel&) = default;

  AppliedLevel dropping(Axiom axiom) const {
    AppliedLevel weaker = *this;
    weaker.without |= std::uint64_t{1} << static_cast<unsigned>(axiom);
    return weaker;
  }
};

bool has_axiom(const AppliedLevel& level, Axiom axiom);
// Those that are not set aside, in the order of the level's definition.
std::vector<Axiom> axioms_of(const AppliedLevel& level);

}  // namespace heddle::find
