// Serial orders and second tries: sessions one after the other, nothing concurrent.
#include <algorithm>

#include "replay/runner.h"

namespace heddle {

namespace {

// A call that is tried again may need steps that the first try did not reach.
std::vector<StepId> retried_steps(const Scenario& scenario, const SessionScripts& scripts,
                                  SessionId session) {
  const Session& described = scenario.sessions[session.index()];
  if (described.call) return described.steps;
  std::vector<StepId> steps;
  for (const PlacedStep& placed : scripts[session.index()]) steps.push_back(placed.step);
  return steps;
}

}  // namespace

Result<void> Runner::retry(StepMachine& machine, const SessionScripts& scripts, Run& run) {
  for (const SessionId session : std::vector<SessionId>(run.aborted)) {
    machine.revive(session);
    if (auto done = run_session_setup(machine, session); !done) return done.error();
    for (const StepId step : retried_steps(scenario_, scripts, session)) {
      if (machine.has_finished(session)) break;
      if (!machine.launch({step, {}}) || machine.has_waiting()) {
        machine.abandon();
        sessions_broken_ = true;
        sessions_.clear();
        if (run.end == RunEnd::complete) run.end = RunEnd::timed_out;
        return {};
      }
    }
    if (auto done = run_session_teardown(machine, session); !done) return done.error();
  }
  return finish(run);
}

// `next`: of a call, the step that it has come to.
void Runner::run_serial_block(StepMachine& machine, const SerialBlock& block, std::size_t& next,
                              Run& run) {
  using Extent = SerialBlock::Extent;
  const bool is_listed = block.extent == Extent::steps;
  const std::vector<StepId>& steps =
      is_listed ? block.steps : scenario_.sessions[block.session.index()].steps;
  if (is_listed) next = 0;
  while (next < steps.size() && !machine.has_finished(block.session)) {
    const PlacedStep placed{steps[next++], {}};
    run.planned.steps.push_back(placed);
    if (!machine.launch(placed) || machine.has_waiting()) return;
    const StepRecord& done = run.records.back();
    const bool has_ended = !done.sent.empty() && done.state_after == TransactionState::idle;
    if (block.extent == Extent::transaction && has_ended) return;
  }
}

Result<Run> Runner::run_serial(const std::vector<SerialBlock>& blocks) {
  database_->keep_one_copy(true);
  auto run = run_blocks(blocks);
  database_->keep_one_copy(false);
  return run;
}

Result<Run> Runner::run_blocks(const std::vector<SerialBlock>& blocks) {
  if (auto ready = return_to_start(); !ready) return ready.error();
  Run run;
  StepMachine machine(scenario_, *database_, sessions_, machine_options(), run);
  std::vector<std::size_t> next(sessions_.size(), 0);
  for (std::size_t i = 0; i < blocks.size() && run.end == RunEnd::complete; ++i) {
    const SessionId session = blocks[i].session;
    const auto is_same = [&](const SerialBlock& block) { return block.session == session; };
    const auto here = blocks.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::none_of(blocks.begin(), here, is_same)) {
      if (auto done = run_session_setup(machine, session); !done) return done.error();
    }
    run_serial_block(machine, blocks[i], next[session.index()], run);
    if (machine.has_waiting() && run.end == RunEnd::complete) {
      run.end = RunEnd::timed_out;
      run.trouble = "a transaction that another unit left open blocks this serial order";
    }
    if (run.end == RunEnd::complete && std::none_of(here + 1, blocks.end(), is_same)) {
      if (auto done = run_session_teardown(machine, session); !done) return done.error();
    }
  }
  if (run.end == RunEnd::complete) {
    if (auto done = finish(run); !done) return done.error();
    return run;
  }
  machine.abandon();
  sessions_broken_ = true;
  sessions_.clear();
  return run;
}

}  // namespace heddle
