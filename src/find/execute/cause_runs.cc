#include "find/execute/cause_runs.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "find/search/placed_cycle.h"

namespace heddle::find {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::string> without(const std::vector<std::string>& names,
                                 const std::vector<std::string>& known) {
  std::vector<std::string> rest;
  for (const std::string& name : names) {
    if (!contains(known, name)) rest.push_back(name);
  }
  return rest;
}

// A run that shows something, then one that shows nothing, then what could not be run.
int rank(const FoundExecution& execution) {
  if (execution.finding && execution.finding->error_only) return 2;
  if (execution.finding) return execution.finding->effect == Effect::internal ? 0 : 1;
  return execution.was_run ? 3 : 4;
}

bool is_better(const FoundExecution& a, const FoundExecution& b) {
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  return a.broken_invariants.size() > b.broken_invariants.size();
}

}  // namespace

ExecutionOrder execution_order(const std::vector<FoundCause>& causes) {
  std::map<std::vector<std::size_t>, std::size_t> counts;
  std::vector<std::pair<std::size_t, std::size_t>> order;  // how many came before it
  for (std::size_t i = 0; i < causes.size(); ++i) {
    std::vector<std::size_t> members;
    if (!causes[i].cores.empty()) members = members_of(causes[i].cores.front());
    std::ranges::sort(members);
    order.emplace_back(counts[members]++, i);
  }
  std::ranges::sort(order);
  ExecutionOrder whole{.causes = {}, .first_of_each = counts.size()};
  for (const auto& [before, cause] : order) whole.causes.push_back(cause);
  return whole;
}

std::vector<std::string> broken_by(const Finding& finding) {
  std::vector<std::string> broken;
  for (const std::string& name : finding.broken_invariants) {
    const std::string where = fmt::format("invariant \"{}\"", name);
    const bool holds_serially =
        std::ranges::all_of(finding.serial, [&](const SerialComparison& serial) {
          return std::ranges::find(serial.differences, where, &Difference::where) !=
                 serial.differences.end();
        });
    if (holds_serially) broken.push_back(name);
  }
  return broken;
}

void CauseRuns::add(FoundExecution tried, const FoundCycle& cycle, const Realization* run) {
  runs_ += tried.runs;
  is_cut_short_ = is_cut_short_ || tried.is_cut_short;
  if (run != nullptr && rank(tried) == 0) damaging_.push_back({.cycle = &cycle, .run = *run});
  if (!best_) {
    best_ = std::move(tried);
    return;
  }
  if (is_better(tried, *best_)) std::swap(tried, *best_);
  const bool breaks_more = !without(tried.broken_invariants, best_->broken_invariants).empty();
  if (breaks_more) others_.push_back(std::move(tried));
}

void CauseRuns::add_unjudged(const FoundCycle& cycle, const Realization& run) {
  damaging_.push_back({.cycle = &cycle, .run = run});
}

bool CauseRuns::is_gain(const std::vector<std::string>& broken) const {
  return std::ranges::any_of(broken, [&](const std::string& name) {
    if (best_ && contains(best_->broken_invariants, name)) return false;
    return std::ranges::none_of(others_, [&](const FoundExecution& other) {
      return contains(other.broken_invariants, name);
    });
  });
}

FoundExecution CauseRuns::take() {
  FoundExecution kept = *std::move(best_);
  best_.reset();
  kept.runs = runs_;
  kept.is_cut_short = is_cut_short_ && !kept.finding;
  const auto gain = [&](const FoundExecution& other) {
    return without(other.broken_invariants, kept.broken_invariants);
  };
  while (!others_.empty()) {
    const auto next = std::ranges::max_element(
        others_, {}, [&](const FoundExecution& other) { return gain(other).size(); });
    std::vector<std::string> gained = gain(*next);
    if (gained.empty()) break;
    kept.broken_invariants.insert(kept.broken_invariants.end(), gained.begin(), gained.end());
    kept.further.push_back({.finding = *std::move(next->finding), .invariants = std::move(gained)});
    others_.erase(next);
  }
  others_.clear();
  return kept;
}

}  // namespace heddle::find
