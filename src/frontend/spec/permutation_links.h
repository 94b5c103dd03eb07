// Permutations as written, with names, and their link to the steps of the scenario.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/scenario.h"

namespace heddle {

struct BlockerText {
  Blocker::Kind kind = Blocker::Kind::once;
  std::string name;
  std::uint32_t notices = 0;
  SourcePosition position;
};

struct PlacedStepText {
  std::string name;
  std::vector<BlockerText> blockers;
  SourcePosition position;
};

struct PermutationText {
  std::vector<PlacedStepText> steps;
  SourcePosition position;
};

using StepNames = std::map<std::string, StepId, std::less<>>;

// Finds the steps that `text` names. As PostgreSQL's isolationtester does, a marker may name only a
// step of the same permutation and of another session.
Result<Permutation> link_permutation(const PermutationText& text, const Scenario& scenario,
                                     const StepNames& step_names);

// One warning for each step that no permutation uses, by name, if there are permutations at all.
// `what` is the text that isolationtester prints.
std::vector<Diagnostic> unused_steps(const Scenario& scenario);

// Reads decimal digits; false if the number is too large.
bool parse_count(std::string_view digits, std::uint32_t& count);

}  // namespace heddle
