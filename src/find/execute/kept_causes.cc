#include "find/execute/kept_causes.h"

#include <algorithm>

namespace heddle::find {

namespace {

bool is_same(const FoundCycle& a, const FoundCycle& b) {
  return a.kind == b.kind && a.is_decided == b.is_decided && a.nodes == b.nodes &&
         a.edges == b.edges;
}

}  // namespace

KeptCauses::Key KeptCauses::key_of(const FoundCause& cause) {
  Key key{cause.kind, {}};
  for (const FoundNode& node : cause.cores.front().nodes) {
    key.second.emplace(node.functionality, node.statement);
  }
  return key;
}

void KeptCauses::keep(std::unique_ptr<FoundCause> cause, ExecutedCause executed) {
  Key key = key_of(*cause);
  kept_[std::move(key)] = {.cause = std::move(cause), .executed = std::move(executed)};
}

std::optional<ExecutedCause> KeptCauses::take(const FoundCause& cause, bool in_haste) {
  const auto found = kept_.find(key_of(cause));
  if (found == kept_.end()) return std::nullopt;
  ExecutedCause& executed = found->second.executed;
  const FoundCause& before = *found->second.cause;
  const FindingStatus status = executed.execution.status;
  // A proof is about all cycles of a cause, a run about its cores.
  const bool has_proof_of_all = status != FindingStatus::refuted ||
                                std::ranges::equal(before.extensions, cause.extensions, is_same);
  const bool stands =
      (std::ranges::equal(before.cores, cause.cores, is_same) && has_proof_of_all) ||
      (in_haste && status == FindingStatus::confirmed);
  // The cause stays where it is: the damage points into it.
  return stands ? std::optional(std::move(executed)) : std::nullopt;
}

}  // namespace heddle::find
