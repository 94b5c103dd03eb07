#include "split/cycles/cycle_parts.h"

#include <algorithm>
#include <utility>

#include "find/search/cycles.h"

namespace heddle::chopping {

namespace {

Parts sorted(std::map<std::size_t, std::vector<SplitPart>> by_instance) {
  Parts parts;
  for (auto& [instance, of] : by_instance) {
    std::ranges::sort(of);
    of.erase(std::unique(of.begin(), of.end()), of.end());
    parts.push_back(std::move(of));
  }
  std::ranges::sort(parts);
  return parts;
}

}  // namespace

CycleParts::CycleParts(const ChoppedProgram& chopped) {
  for (const std::vector<SubTransaction>& subs : chopped.sub_transactions) {
    std::map<std::size_t, std::size_t>& of = sub_of_.emplace_back();
    for (std::size_t i = 0; i < subs.size(); ++i) {
      for (const std::size_t statement : subs[i].statements) of[statement] = i;
    }
  }
}

void CycleParts::add(std::size_t instance, std::size_t functionality, std::size_t statement,
                     ByInstance& parts) const {
  const auto sub = sub_of_[functionality].find(statement);
  if (sub != sub_of_[functionality].end()) {
    parts[instance].push_back({functionality, sub->second});
  }
}

Parts CycleParts::of(const FoundCycle& cycle) const {
  ByInstance parts;
  for (const FoundNode& node : cycle.nodes) {
    add(node.instance, node.functionality, node.statement, parts);
  }
  return sorted(std::move(parts));
}

Parts CycleParts::of(const find::Skeleton& skeleton,
                     const std::vector<std::size_t>& members) const {
  ByInstance parts;
  for (const find::SkeletonEdge& edge : skeleton.edges) {
    add(edge.from, members[edge.from], edge.conflict->from, parts);
    add(edge.to, members[edge.to], edge.conflict->to, parts);
  }
  return sorted(std::move(parts));
}

}  // namespace heddle::chopping
