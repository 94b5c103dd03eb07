#include "replay/serial.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace heddle {

namespace {

bool was_aborted(const StepRecord& record) {
  return std::any_of(record.replies.begin(), record.replies.end(), [](const Reply& reply) {
    return reply.error && ends_session(reply.error->error_class);
  });
}

bool was_refused(const StepRecord& record) {
  const auto is_such = [](const Reply& reply) {
    return reply.error && reply.error->error_class == ErrorClass::refused;
  };
  return (record.call_end && is_such(*record.call_end)) ||
         std::ranges::any_of(record.replies, is_such);
}

// Alone, a program refuses what it always does: an outcome like any other.
bool was_ended_by_store(const Run& run, const Scenario& scenario) {
  std::set<SessionId> refused;
  for (const StepRecord& record : run.records) {
    if (was_refused(record)) refused.insert(scenario.steps[record.step.index()].session);
  }
  return std::ranges::any_of(run.aborted,
                             [&](SessionId session) { return !refused.contains(session); });
}

// What is said about the copies of rows (docs/stores.md, "Replicated") takes no part in a serial
// order, in which there is one copy.
bool is_about_copies(const StepRecord& record) {
  static constexpr std::array<std::string_view, 5> kTags = {"MOVE", "DELIVER", "DELIVERY",
                                                            "PARTITION", "HEAL"};
  return !record.replies.empty() && std::ranges::all_of(record.replies, [](const Reply& reply) {
    return reply.result && std::ranges::find(kTags, reply.result->command_tag) != kTags.end();
  });
}

Run without_copies(const Run& run) {
  Run kept = run;
  std::erase_if(kept.records, is_about_copies);
  return kept;
}

// The records of each session, in order, cut where no transaction is open.
std::vector<std::vector<std::vector<std::size_t>>> transactions_of(const Run& run,
                                                                   const Scenario& scenario) {
  std::vector<std::vector<std::vector<std::size_t>>> transactions(scenario.sessions.size());
  std::vector<bool> open(scenario.sessions.size(), false);
  for (std::size_t i = 0; i < run.records.size(); ++i) {
    const std::size_t session = scenario.steps[run.records[i].step.index()].session.index();
    // A functionality that has nothing to send has no transaction.
    const bool is_call = scenario.sessions[session].call.has_value();
    if (is_call && run.records[i].sent.empty() && !run.records[i].skipped) continue;
    if (is_about_copies(run.records[i])) continue;
    if (!open[session]) transactions[session].emplace_back();
    transactions[session].back().push_back(i);
    open[session] = run.records[i].state_after != TransactionState::idle;
  }
  return transactions;
}

bool is_removed(const Run& run, SessionId session) {
  return std::find(run.aborted.begin(), run.aborted.end(), session) != run.aborted.end();
}

// A functionality may handle what the store refuses, and go on in the same transaction.
bool was_given_up(const StepRecord& last) {
  return last.skipped || (!last.replies.empty() && last.replies.back().error) ||
         (!last.sent.empty() && last.sent.back() == "ROLLBACK");
}

// An attempt at which nothing was done, and which was made again.
bool was_left_out(const StepRecord& record) {
  return !record.replies.empty() && record.left_out.size() == record.replies.size();
}

// Whether the store undid the transaction these records belong to, or nothing has come of it.
bool is_undone(const Run& run, const Scenario& scenario, const std::vector<std::size_t>& records) {
  const SessionId session = scenario.steps[run.records[records.front()].step.index()].session;
  const bool is_call = scenario.sessions[session.index()].call.has_value();
  if (was_refused(run.records[records.back()])) return true;
  if (std::ranges::all_of(records, [&](std::size_t i) { return was_left_out(run.records[i]); })) {
    return true;
  }
  if (is_call && !was_given_up(run.records[records.back()])) return false;
  return std::any_of(records.begin(), records.end(), [&](std::size_t record) {
    return run.records[record].skipped || was_aborted(run.records[record]);
  });
}

bool has_finished(const Run& run, const Scenario& scenario, SessionId session) {
  return std::ranges::any_of(run.records, [&](const StepRecord& record) {
    return record.call_end && scenario.steps[record.step.index()].session == session;
  });
}

// Of a functionality: its transactions, one by one or as a whole, whatever statements that takes.
std::vector<SerialBlock> blocks_of_call(const Run& run, const Scenario& scenario,
                                        std::vector<SerialBlock> listed, SessionId session,
                                        Unit unit) {
  using Extent = SerialBlock::Extent;
  const bool is_complete = !is_removed(run, session) && has_finished(run, scenario, session);
  if (unit == Unit::session && !is_complete) return listed;
  if (listed.empty() && is_complete) listed.push_back({session, {}, Extent::rest});
  for (SerialBlock& block : listed) {
    block.steps.clear();
    block.extent = Extent::transaction;
  }
  if (is_complete) listed.back().extent = Extent::rest;
  return listed;
}

// All merges of the sessions' blocks that keep each session's own order, and in which those that
// are first are first.
void merge(const Scenario& scenario, const std::vector<std::vector<SerialBlock>>& units,
           std::vector<std::size_t>& next, std::vector<SerialBlock>& order,
           std::vector<std::vector<SerialBlock>>& orders) {
  std::vector<SessionId> left;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (next[i] < units[i].size()) left.emplace_back(i);
  }
  if (left.empty()) orders.push_back(order);
  for (const SessionId session : runnable_sessions(scenario, std::move(left))) {
    if (orders.size() > kMostSerialOrders) return;
    const std::size_t i = session.index();
    order.push_back(units[i][next[i]++]);
    merge(scenario, units, next, order, orders);
    --next[i];
    order.pop_back();
  }
}

std::string key_of(const std::vector<std::vector<SerialBlock>>& units) {
  std::string key;
  for (const std::vector<SerialBlock>& blocks : units) {
    for (const SerialBlock& block : blocks) {
      for (const StepId step : block.steps) key += fmt::format("{},", step.value);
      key += fmt::format("{}|", static_cast<int>(block.extent));
    }
    key += '/';
  }
  return key;
}

std::vector<std::string> numbered_names(const std::vector<SerialBlock>& order,
                                        const Scenario& scenario) {
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
      if (is_undone(run, scenario, records)) continue;
      if (units[i].empty() || unit == Unit::transaction) units[i].push_back({session, {}});
      for (const std::size_t record : records) {
        units[i].back().steps.push_back(run.records[record].step);
      }
    }
    if (scenario.sessions[i].call) {
      units[i] = blocks_of_call(run, scenario, std::move(units[i]), session, unit);
    }
  }
  return units;
}

Outcome judged_outcome(const Run& run, const Scenario& scenario, Unit unit) {
  if (std::ranges::any_of(run.records, is_about_copies)) {
    return judged_outcome(without_copies(run), scenario, unit);
  }
  const bool has_calls = std::ranges::any_of(
      scenario.sessions, [](const Session& session) { return session.call.has_value(); });
  if (unit == Unit::session && !has_calls) return outcome_of(run, scenario, run.aborted);
  std::set<std::size_t> undone;
  const auto transactions = transactions_of(run, scenario);
  for (std::size_t i = 0; i < transactions.size(); ++i) {
    // As a whole a session is removed or not, unless it goes on by itself.
    if (unit == Unit::session && !scenario.sessions[i].call) continue;
    for (const std::vector<std::size_t>& records : transactions[i]) {
      if (is_undone(run, scenario, records)) undone.insert(records.begin(), records.end());
    }
  }
  Run kept = run;
  kept.records.clear();
  for (std::size_t i = 0; i < run.records.size(); ++i) {
    const bool is_undone_one = undone.contains(i);
    const bool returns = run.records[i].call_end &&
                         !is_removed(run, scenario.steps[run.records[i].step.index()].session);
    if (is_undone_one && !returns) continue;
    kept.records.push_back(run.records[i]);
    if (is_undone_one) kept.records.back().replies.clear();
  }
  return outcome_of(kept, scenario, unit == Unit::session ? run.aborted : std::vector<SessionId>());
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
  merge(scenario_, units, next, order, orders);
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
    if (run->end != RunEnd::complete || was_ended_by_store(*run, scenario_)) {
      serial.complete = false;
      continue;
    }
    serial.runs.push_back({numbered_names(blocks, scenario_), outcome_of(*run, scenario_, {})});
  }
  return serial;
}

}  // namespace heddle
