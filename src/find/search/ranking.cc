#include "find/search/ranking.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace heddle::find {

int rank(const FoundExecution& execution) {
  constexpr int kEffects = 4;
  int effect = kEffects - 1;
  if (execution.finding && !execution.finding->error_only) {
    effect = execution.finding->effect == Effect::internal ? 1 : 2;
  }
  if (!execution.broken_invariants.empty()) effect = 0;
  return static_cast<int>(execution.status) * kEffects + effect;
}

int rank(const std::optional<FoundExecution>& execution) {
  return rank(execution ? *execution : FoundExecution{});
}

void rank_causes(std::vector<FoundCause>& causes) {
  std::ranges::stable_sort(causes, {}, [](const FoundCause& cause) {
    const bool is_made_up = cause.execution && !cause.execution->made_up_tables.empty();
    return std::tuple(rank(cause.execution), cause.needs_equal_arguments(), is_made_up);
  });
}

void say_untried(std::vector<FoundCause>& causes, std::string_view limit) {
  for (FoundCause& cause : causes) {
    if (cause.execution) continue;
    cause.execution = FoundExecution{.status = FindingStatus::possible,
                                     .reason = std::string(limit) + ": nobody has executed it",
                                     .is_cut_short = true,
                                     .finding = {}};
  }
}

void withdraw_proof(std::optional<FoundExecution>& execution, std::string_view why) {
  if (!execution || execution->status != FindingStatus::refuted) return;
  execution->status = execution->runs > 0 ? FindingStatus::not_shown : FindingStatus::possible;
  execution->reason += "; ";
  execution->reason += why;
}

}  // namespace heddle::find
