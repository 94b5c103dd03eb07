#include "find/search/refutation.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "find/search/either_order.h"

namespace heddle::find {

Refuter::Refuter(const SearchInput& input, const std::vector<FunctionalityLevel>& asked)
    : input_(input), asked_(asked), check_(input) {
  for (std::size_t i = 0; i < input.prepared.size(); ++i) {
    all_at_asked_levels_ = all_at_asked_levels_ && is_at_asked_level(i);
  }
}

bool Refuter::is_at_asked_level(std::size_t functionality) const {
  return asked_[functionality].level == input_.levels[functionality].level;
}

std::optional<std::string> Refuter::why_harmless(const FoundCycle& cycle) const {
  const FoundEdge* idle = all_at_asked_levels_ ? idle_dependency(input_, cycle) : nullptr;
  if (idle == nullptr) return std::nullopt;
  return fmt::format("what its statements do to {}{} comes to the same in either order",
                     idle->table,
                     idle->columns.empty() ? "" : fmt::format(" ({})", join(idle->columns, ", ")));
}

std::optional<std::string> Refuter::why_impossible(const FoundCycle& cycle) const {
  const bool is_asked = std::ranges::all_of(
      cycle.nodes, [&](const FoundNode& node) { return is_at_asked_level(node.functionality); });
  if (!is_asked || input_.is_late() || !check_.is_impossible(cycle)) return std::nullopt;
  return "no rows and arguments let it happen, with all that its transactions read";
}

std::optional<std::string> Refuter::refute(const std::vector<const FoundCycle*>& cycles) const {
  std::optional<std::string> reason;
  for (const FoundCycle* cycle : cycles) {
    std::optional<std::string> proof = why_harmless(*cycle);
    // What cannot happen at all says less than what does no harm where it does.
    if (proof) {
      reason = std::move(proof);
      continue;
    }
    proof = why_impossible(*cycle);
    if (!proof) return std::nullopt;
    if (!reason) reason = std::move(proof);
  }
  return reason;
}

std::vector<const FoundCycle*> all_cycles(const FoundCause& cause) {
  std::vector<const FoundCycle*> cycles;
  for (const auto* some : {&cause.cores, &cause.extensions}) {
    for (const FoundCycle& cycle : *some) cycles.push_back(&cycle);
  }
  return cycles;
}

}  // namespace heddle::find
