#include "race/outcome/verdict.h"

namespace heddle {

std::string_view to_string(RaceVerdictKind kind) {
  switch (kind) {
    case RaceVerdictKind::nothing:
      return "nothing";
    case RaceVerdictKind::order_dependent:
      return "order-dependent";
    case RaceVerdictKind::refused:
      return "refused";
    case RaceVerdictKind::error_under_overlap:
      return "error-under-overlap";
    case RaceVerdictKind::confirmed:
      return "confirmed";
    case RaceVerdictKind::inconclusive:
      return "inconclusive";
  }
  return "";
}

}  // namespace heddle
