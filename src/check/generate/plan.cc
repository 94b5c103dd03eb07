#include "check/generate/plan.h"

#include <numeric>

#include "check/generate/workloads.h"

namespace heddle {

namespace {

constexpr std::uint32_t kRecentRows = 1000;
constexpr std::uint32_t kHotPart = 5;  // one row in five is hot
constexpr double kHotShare = 0.8;

}  // namespace

TransactionPlanner::TransactionPlanner(const GenerateOptions& options, Choices& choices)
    : options_(options), choices_(choices), chooser_(options), keys_(options.keys) {
  if (options.workload == Workload::random) {
    if (options.writes_per_key == 0) return;
    for (std::uint32_t key = 0; key < keys_; ++key) places_.push_back({key, 0});
    return;
  }
  keys_ = 0;
  for (const WorkloadTable& table : workload_definition(options.workload).tables) {
    first_rows_.push_back(keys_);
    keys_ += table.rows;
  }
  recent_.resize(first_rows_.size());
  inserted_.resize(first_rows_.size(), 0);
}

void TransactionPlanner::plan(std::vector<PlannedOperation>& plan) {
  plan.clear();
  options_.workload == Workload::random ? plan_random(plan) : plan_workload(plan);
}

void TransactionPlanner::plan_random(std::vector<PlannedOperation>& plan) {
  const std::uint32_t count =
      choices_.between(options_.fewest_operations, options_.most_operations);
  while (plan.size() < count) {
    const std::uint32_t place = chooser_.choose(choices_);
    const bool writes = !choices_.chance(options_.read_share);
    const bool updates = writes && options_.update_share > 0 && plan.size() + 1 < count &&
                         choices_.chance(options_.update_share);
    if (updates) plan.push_back({rotated(place, false), false});
    plan.push_back({rotated(place, writes), writes});
  }
}

// The key that has the place now.
std::uint32_t TransactionPlanner::rotated(std::uint32_t place, bool writes) {
  if (places_.empty()) return place;
  Place& current = places_[place];
  const std::uint32_t key = current.key;
  if (writes && ++current.writes == options_.writes_per_key) current = {fresh_key(), 0};
  return key;
}

std::uint32_t TransactionPlanner::row_of(std::size_t table) {
  const WorkloadTable& definition = workload_definition(options_.workload).tables[table];
  const std::uint32_t hot = definition.rows / kHotPart;
  const bool to_hot = definition.hot && choices_.chance(kHotShare);
  return first_rows_[table] + choices_.below(to_hot ? hot : definition.rows);
}

void TransactionPlanner::plan_workload(std::vector<PlannedOperation>& plan) {
  const auto transactions = workload_definition(options_.workload).transactions;
  std::uint32_t weights = 0;
  for (const WorkloadTransaction& transaction : transactions) weights += transaction.weight;
  std::uint32_t place = choices_.below(weights);
  std::size_t chosen = 0;
  while (place >= transactions[chosen].weight) place -= transactions[chosen++].weight;
  for (const WorkloadStep& step : transactions[chosen].steps) {
    for (std::uint32_t i = choices_.between(step.fewest, step.most); i > 0; --i) {
      if (step.action == RowAction::insert) {
        std::vector<std::uint32_t>& recent = recent_[step.table];
        const std::uint32_t key = fresh_key();
        if (recent.size() < kRecentRows) {
          recent.push_back(key);
        } else {
          recent[inserted_[step.table] % kRecentRows] = key;
        }
        ++inserted_[step.table];
        plan.push_back({key, true});
      } else if (step.action == RowAction::read_recent) {
        const std::vector<std::uint32_t>& recent = recent_[step.table];
        if (recent.empty()) continue;
        plan.push_back({recent[choices_.below(static_cast<std::uint32_t>(recent.size()))], false});
      } else {
        const std::uint32_t row = row_of(step.table);
        if (step.action != RowAction::write) plan.push_back({row, false});
        if (step.action != RowAction::read) plan.push_back({row, true});
      }
    }
  }
}

}  // namespace heddle
