#include "find/terms/applied_level.h"

#include <algorithm>

namespace heddle::find {

bool has_axiom(const AppliedLevel& level, Axiom axiom) {
  if ((level.without >> static_cast<unsigned>(axiom) & 1U) != 0) return false;
  return std::ranges::find(definition(level.level).axioms, axiom) !=
         definition(level.level).axioms.end();
}

std::vector<Axiom> axioms_of(const AppliedLevel& level) {
  std::vector<Axiom> axioms;
  for (const Axiom axiom : definition(level.level).axioms) {
    if (has_axiom(level, axiom)) axioms.push_back(axiom);
  }
  return axioms;
}

}  // namespace heddle::find
