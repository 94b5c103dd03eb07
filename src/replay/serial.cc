#include "replay/serial.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace heddle {

namespace {

bool was_aborted(const StepRecord& record) {
  return std::any_of(record.replies.begin(), record.replies.end(), [](const Reply& reply) {
    return reply.error && ends_session(reply.error->error_class);
  });
}

// The records of each session, in order, cut where no transaction is open.
std::vector<std::vector<std::vector<std::size_t>>> transactions_of(const Run& run,
                                                                   const Scenario& scenario) {
  std::vector<std::vector<std::vector<std::size_t>>> transactions(scenario.sessions.size());
  std::vector<bool> open(scenario.sessions.size(), false);
  for (std::size_t i = 0; i < run.records.size(); ++i) {
    const std::size_t session = scenario.steps[run.records[i].step.index()].session.index();
    if (!open[session]) transactions[session].emplace_back();
    transactions[session].back().push_back(i);
    open[session] = run.records[i].state_after != TransactionState::idle;
  }
  return transactions;
}

bool is_removed(const Run& run, SessionId session) {
  return std::find(run.aborted.begin(), run.aborted.end(), session) != run.aborted.end();
}

// Whether the store undid the transaction these records belong to.
bool is_undone(const Run& run, const std::vector<std::size_t>& records) {
  return std::any_of(records.begin(), records.end(), [&](std::size_t record) {
    return run.records[record].skipped || was_aborted(run.records[record]);
  });
}

// All merges of the sessions' blocks that keep each session's own order.
void merge(const std::vector<std::vector<SerialBlock>>& units, std::vector<std::size_t>& next,
           std::vector<SerialBlock>& order, std::vector<std::vector<SerialBlock>>& orders) {
  bool complete = true;
  for (std::size_t i = 0; i < units.size() && orders.size() <= kMostSerialOrders; ++i) {
    if (next[i] == units[i].size()) continue;
    complete = false;
    order.push_back(units[i][next[i]++]);
    merge(units, next, order, orders);
    --next[i];
    order.pop_back();
  }
  if (complete) orders.push_back(order);
}

std::string key_of(const std::vector<std::vector<SerialBlock>>& units) {
  std::string key;
  for (const std::vector<SerialBlock>& blocks : units) {
    for (const SerialBlock& block : blocks) {
      for (const StepId step : block.steps) key += fmt::format("{},", step.value);
      key += '|';
    }
    key += '/';
  }
  return key;
}

std::vector<std::string> names_of(const std::vector<SerialBlock>& order, const Scenario& scenario) {
  std::vector<std::string> names;
  std::vector<std::size_t> seen(scenario.sessions.size(), 0);
  for (const SerialBlock& block : order) {
    const std::size_t number = ++seen[block.session.index()];
    const std::string& name = scenario.sessions[block.session.index()].name;
    names.push_back(number == 1 ? name : fmt::format("{}#{}", name, number));
  }
  return names;
}

}  // namespace

std::vector<std::vector<SerialBlock>> units_of(const Run& run, const Scenario& scenario,
                                               Unit unit) {
  std::vector<std::vector<SerialBlock>> units(scenario.sessions.size());
  const auto transactions = transactions_of(run, scenario);
  for (std::size_t i = 0; i < transactions.size(); ++i) {
    const SessionId session(i);
    if (unit == Unit::session && is_removed(run, session)) continue;
    for (const std::vector<std::size_t>& records : transactions[i]) {
      if (is_undone(run, records)) continue;
      if (units[i].empty() || unit == Unit::transaction) units[i].push_back({session, {}});
      for (const std::size_t record : records) {
        units[i].back().steps.push_back(run.records[record].step);
      }
    }
  }
  return units;
}

Outcome judged_outcome(const Run& run, const Scenario& scenario, Unit unit) {
  if (unit == Unit::session) return outcome_of(run, scenario, run.aborted);
  std::set<std::size_t> undone;
  for (const auto& session : transactions_of(run, scenario)) {
    for (const std::vector<std::size_t>& records : session) {
      if (is_undone(run, records)) undone.insert(records.begin(), records.end());
    }
  }
  Run kept = run;
  kept.records.clear();
  for (std::size_t i = 0; i < run.records.size(); ++i) {
    if (!undone.contains(i)) kept.records.push_back(run.records[i]);
  }
  return outcome_of(kept, scenario, {});
}

Result<const SerialRuns*> SerialOrders::orders_for(const Run& run, Unit unit) {
  const auto units = units_of(run, scenario_, unit);
  const std::string key = key_of(units);
  auto known = known_.find(key);
  if (known == known_.end()) {
    auto executed = execute(units);
    if (!executed) return executed.error();
    known = known_.emplace(key, std::move(*executed)).first;
  }
  return &known->second;
}

Result<SerialRuns> SerialOrders::execute(const std::vector<std::vector<SerialBlock>>& units) {
  std::vector<std::vector<SerialBlock>> orders;
  std::vector<std::size_t> next(units.size(), 0);
  std::vector<SerialBlock> order;
  merge(units, next, order, orders);
  SerialRuns serial;
  if (orders.size() > kMostSerialOrders) {
    serial.complete = false;
    return serial;
  }
  for (const std::vector<SerialBlock>& blocks : orders) {
    auto run = runner_.run_serial(blocks);
    if (!run) return run.error();
    if (auto ended = check_end(scenario_, *run); !ended) return ended.error();
    ++executed_;
    if (run->end != RunEnd::complete || !run->aborted.empty()) {
      serial.complete = false;
      continue;
    }
    serial.runs.push_back({names_of(blocks, scenario_), outcome_of(*run, scenario_, {})});
  }
  return serial;
}

}  // namespace heddle
