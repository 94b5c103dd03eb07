#include "replay/isolationtester_runner.h"

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace heddle {

namespace {

// PQexec hands out the last result only, and isolationtester prints it when it has rows.
void add_block_event(Run& run, Event::Kind kind, SessionId session, bool global,
                     std::vector<Reply>& replies) {
  if (replies.empty() || !replies.back().result || !replies.back().result->has_rows) return;
  Event event;
  event.kind = kind;
  event.session = session;
  event.global = global;
  event.replies.push_back(std::move(replies.back()));
  run.events.push_back(std::move(event));
}

// The text of the error that ends the block, or none.
const StepError* error_of(const std::vector<Reply>& replies) {
  return replies.empty() || !replies.back().error ? nullptr : &*replies.back().error;
}

bool has_failed(const Result<std::vector<Reply>>& replies) {
  return !replies || error_of(*replies) != nullptr;
}

// REQUIRES: has_failed(replies). An interrupt is no failure of the block: nothing is to be said.
void add_failure(Run& run, Event::Kind kind, SessionId session, bool global,
                 const Result<std::vector<Reply>>& replies) {
  const bool setup = kind == Event::Kind::setup_failed;
  if (!replies && replies.error().trouble == Trouble::interrupted) {
    if (setup) run.end = RunEnd::interrupted;
    return;
  }
  Event event;
  event.kind = kind;
  event.session = session;
  event.global = global;
  event.text = replies ? error_of(*replies)->text : to_string(replies.error()) + "\n";
  if (setup) {
    run.end = RunEnd::setup_failed;
    run.trouble = event.text;
  }
  run.events.push_back(std::move(event));
}

// One position in the enumeration of all orders: how many steps each session has taken.
struct Piles {
  std::vector<std::size_t> taken;
  std::vector<std::size_t> choices;  // session chosen at each place
};

}  // namespace

Result<std::unique_ptr<IsolationtesterRunner>> IsolationtesterRunner::create(
    const Scenario& scenario, StoreDatabase& database, const std::string& application,
    std::uint32_t step_timeout_ms) {
  std::vector<SessionOptions> options;
  for (const Session& session : scenario.sessions) {
    SessionOptions session_options;
    session_options.application_name = application + "/" + session.name;
    session_options.level = scenario.isolation;
    options.push_back(std::move(session_options));
  }
  auto sessions = database.open_sessions(options);
  if (!sessions) return sessions.error();
  return std::unique_ptr<IsolationtesterRunner>(
      new IsolationtesterRunner(scenario, database, std::move(*sessions), step_timeout_ms));
}

IsolationtesterRunner::IsolationtesterRunner(const Scenario& scenario, StoreDatabase& database,
                                             std::vector<std::unique_ptr<StoreSession>> sessions,
                                             std::uint32_t step_timeout_ms)
    : scenario_(scenario), database_(database), sessions_(std::move(sessions)) {
  options_.step_timeout_ms = step_timeout_ms;
  options_.await_deadlocks = false;
  options_.end_sessions = false;
  options_.end_run_at_timeout = false;
  options_.end_run_at_store_trouble = false;
}

Run IsolationtesterRunner::set_up(const Schedule& schedule) {
  Run run;
  run.planned = schedule;
  for (const SqlBlock& block : scenario_.setups) {
    auto replies = database_.execute(block.text, options_.step_timeout_ms);
    if (has_failed(replies)) {
      add_failure(run, Event::Kind::setup_failed, SessionId(), true, replies);
      return run;
    }
    add_block_event(run, Event::Kind::setup_result, SessionId(), true, *replies);
  }
  return run;
}

bool IsolationtesterRunner::run_session_setups(StepMachine& machine, Run& run) {
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    const Session& session = scenario_.sessions[i];
    if (!session.setup) continue;
    auto replies = machine.run_block(SessionId(i), session.setup->store, session.setup->text);
    if (has_failed(replies)) {
      add_failure(run, Event::Kind::setup_failed, SessionId(i), false, replies);
      return false;
    }
    add_block_event(run, Event::Kind::setup_result, SessionId(i), false, *replies);
  }
  return true;
}

bool IsolationtesterRunner::run_steps(StepMachine& machine, const Schedule& schedule) {
  for (const PlacedStep& placed : schedule.steps) {
    const SessionId session = scenario_.steps[placed.step.index()].session;
    if (machine.is_active(session) && !machine.await(session)) return false;
    if (!machine.launch(placed)) return false;
  }
  return machine.await_all();
}

void IsolationtesterRunner::run_session_teardowns(StepMachine& machine, Run& run) {
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    const Session& session = scenario_.sessions[i];
    if (!session.teardown) continue;
    auto replies = machine.run_block(SessionId(i), session.teardown->store, session.teardown->text);
    if (has_failed(replies)) {
      add_failure(run, Event::Kind::teardown_failed, SessionId(i), false, replies);
    } else {
      add_block_event(run, Event::Kind::teardown_result, SessionId(i), false, *replies);
    }
  }
}

void IsolationtesterRunner::tear_down(Run& run) {
  if (!scenario_.teardown) return;
  auto replies = database_.execute(scenario_.teardown->text, options_.step_timeout_ms);
  if (has_failed(replies)) {
    add_failure(run, Event::Kind::teardown_failed, SessionId(), true, replies);
  } else {
    add_block_event(run, Event::Kind::teardown_result, SessionId(), true, *replies);
  }
}

void IsolationtesterRunner::run_sessions(Run& run) {
  StepMachine machine(scenario_, database_, sessions_, options_, run);
  if (!run_session_setups(machine, run)) return;
  if (run_steps(machine, run.planned)) {
    run_session_teardowns(machine, run);
  } else {
    machine.abandon();
  }
}

// Depth first: at each place the first session with steps left, then the next one. The enumeration
// is iterative so that its depth is bounded by memory, not by the stack.
void for_each_permutation(const Scenario& scenario,
                          const std::function<bool(const Schedule&)>& visit) {
  const std::size_t sessions = scenario.sessions.size();
  const auto has_steps_left = [&](const Piles& piles, std::size_t session) {
    return piles.taken[session] < scenario.sessions[session].steps.size();
  };
  // Those that are first come before it.
  const auto is_too_early = [&](const Piles& piles, std::size_t candidate) {
    for (std::size_t i = 0; i < sessions; ++i) {
      const bool is_before = scenario.sessions[i].is_first &&
                             (i < candidate || !scenario.sessions[candidate].is_first);
      if (i != candidate && is_before && has_steps_left(piles, i)) return true;
    }
    return false;
  };
  Piles piles{std::vector<std::size_t>(sessions, 0), {}};
  Schedule schedule;
  std::size_t candidate = 0;
  while (true) {
    while (candidate < sessions &&
           (!has_steps_left(piles, candidate) || is_too_early(piles, candidate))) {
      ++candidate;
    }
    if (candidate < sessions) {
      schedule.steps.push_back({scenario.sessions[candidate].steps[piles.taken[candidate]++], {}});
      piles.choices.push_back(candidate);
      candidate = 0;
      continue;
    }
    if (schedule.steps.size() == scenario.steps.size() && !visit(schedule)) return;
    if (piles.choices.empty()) return;
    candidate = piles.choices.back();
    piles.choices.pop_back();
    --piles.taken[candidate++];
    schedule.steps.pop_back();
  }
}

std::uint64_t count_permutations(const Scenario& scenario) {
  // A product of binomial coefficients, in floating point once it no longer fits.
  long double count = 1;
  std::size_t placed = 0;
  for (const Session& session : scenario.sessions) {
    if (session.is_first) continue;
    for (std::size_t k = 1; k <= session.steps.size(); ++k) {
      count = count * static_cast<long double>(++placed) / static_cast<long double>(k);
    }
  }
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  return count >= static_cast<long double>(kMost) ? kMost
                                                  : static_cast<std::uint64_t>(std::round(count));
}

}  // namespace heddle
