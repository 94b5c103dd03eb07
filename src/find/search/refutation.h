// Proofs that a cause is none: each of its cycles cannot happen, or is the reason for nothing where
// it does. No run is a proof.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "find/search/whole_check.h"
#include "find/terms/search_input.h"
#include "heddle/find.h"

namespace heddle::find {

class Refuter {
 public:
  // `asked`: the levels at which the causes were found. Where the input has a stronger one, for a
  // store that lacks it, nothing is proved. Both outlive it.
  Refuter(const SearchInput& input, const std::vector<FunctionalityLevel>& asked);

  // Why nothing comes of any of these cycles, for people; none: that is not proved, also because
  // time is up. REQUIRES: they are all cycles that their cause has.
  std::optional<std::string> refute(const std::vector<const FoundCycle*>& cycles) const;
  // The same of one cycle that may happen and does no harm, and of one that cannot happen.
  std::optional<std::string> why_harmless(const FoundCycle& cycle) const;
  std::optional<std::string> why_impossible(const FoundCycle& cycle) const;
  // What keeps the second of these proofs from being tried, for people; empty: nothing does.
  std::string left_open(const FoundCycle& cycle) const { return check_.left_open(cycle); }

 private:
  bool is_at_asked_level(std::size_t functionality) const;

  const SearchInput& input_;
  const std::vector<FunctionalityLevel>& asked_;
  bool all_at_asked_levels_ = true;
  WholeCheck check_;
};

// All cycles of a cause, the shortest first.
std::vector<const FoundCycle*> all_cycles(const FoundCause& cause);

}  // namespace heddle::find
