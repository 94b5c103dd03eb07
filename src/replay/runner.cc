// A run of a scenario has four parts: back to the initial rows, session setups, steps, session
// teardowns and the final rows. Going back is cheap where only rows can have changed (copies of the
// initial rows), and otherwise drops everything and runs the setup blocks again.
#include "replay/runner.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "gate/open_gated_session.h"
#include "heddle/schedule.h"
#include "replay/block_trouble.h"
#include "replay/called_statements.h"
#include "replay/calls/mariadb_words.h"
#include "replay/client_variables.h"
#include "replay/feeding.h"
#include "replay/observe/statement_effects.h"
#include "replay/observe/store_statements.h"
#include "replay/own_levels.h"
#include "replay/session_connections.h"
#include "store/trouble.h"

namespace heddle {

namespace {

// What an interrupted exploration leaves its last teardown.
constexpr std::uint32_t kTeardownGraceMs = 2'000;

bool all_are(const std::vector<Statement>& statements, bool StatementEffects::* effect) {
  return std::all_of(statements.begin(), statements.end(), [&](const Statement& statement) {
    return effects_of(statement.kind).*effect && !statement.calls_unknown_function;
  });
}

// Sessions know the last values of sequences, and keep the values that a sequence with a cache gave
// them in advance. Judged by words: a false yes only costs time.
bool remembers_sequences(const std::string& texts) {
  constexpr std::array<std::string_view, 3> kWords = {"currval", "lastval", "cache"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return texts.find(word) != std::string::npos; });
}

// A setting that the server does not know, as set_config('app.user', ...), stays known to the
// session: DISCARD ALL makes it empty, not unknown. Judged by words, too.
bool makes_settings(const std::string& texts) {
  if (texts.find("set_config") != std::string::npos) return true;
  constexpr std::string_view kSpace = " \t\r\n";
  for (std::size_t at = texts.find("set"); at != std::string::npos; at = texts.find("set", at)) {
    at = texts.find_first_not_of(kSpace, at + 3);
    if (at == std::string::npos) return false;
    const std::string_view rest = std::string_view(texts).substr(at);
    const std::size_t scope = rest.starts_with("local ") ? 6 : rest.starts_with("session ") ? 8 : 0;
    const std::size_t end = rest.find_first_of(" \t\r\n=;", scope);
    if (rest.substr(0, end).find('.') != std::string_view::npos) return true;
  }
  return false;
}

// A key of Redis that depends on a variable may be any.
void forget_unknown_keys(Statement& statement) {
  if (!has_placeholder(statement.predicate)) return;
  statement.predicate.clear();
  statement.single_table_predicate = false;
}

}  // namespace

SessionScripts scripts_of(const Scenario& scenario) {
  SessionScripts scripts;
  for (const Session& session : scenario.sessions) {
    std::vector<PlacedStep>& script = scripts.emplace_back();
    for (const StepId step : session.steps) script.push_back({step, {}});
  }
  return scripts;
}

SessionScripts scripts_of(const Scenario& scenario, const Permutation& permutation) {
  SessionScripts scripts(scenario.sessions.size());
  for (const PlacedStep& placed : permutation.steps) {
    scripts[scenario.steps[placed.step.index()].session.index()].push_back(placed);
  }
  return scripts;
}

Result<void> check_end(const Scenario& scenario, const Run& run) {
  switch (run.end) {
    case RunEnd::complete:
    case RunEnd::timed_out:
      return {};
    case RunEnd::interrupted:
      return Diagnostic{.what = "interrupted",
                        .what_to_do = "",
                        .file = "",
                        .position = {},
                        .trouble = Trouble::interrupted};
    case RunEnd::setup_failed:  // the text names the place itself
      return Diagnostic{.what = run.trouble,
                        .what_to_do = "",
                        .file = "",
                        .position = {},
                        .trouble = Trouble::bad_input};
    case RunEnd::connection_lost:
      break;
  }
  Diagnostic trouble = store_trouble(run.trouble);
  trouble.file = scenario.file;
  return trouble;
}

SessionChooser follow(const Scenario& scenario, const Schedule& schedule) {
  std::vector<SessionId> order;
  for (const PlacedStep& placed : schedule.steps) {
    order.push_back(scenario.steps[placed.step.index()].session);
  }
  return follow(std::move(order));
}

SessionChooser follow(std::vector<SessionId> order) {
  return [order = std::move(order)](const std::vector<SessionId>& enabled) mutable {
    const auto next = std::find_if(order.begin(), order.end(), [&](SessionId session) {
      return std::find(enabled.begin(), enabled.end(), session) != enabled.end();
    });
    if (next == order.end()) return enabled.front();
    const SessionId session = *next;
    order.erase(next);
    return session;
  };
}

std::string all_texts(const Scenario& scenario) {
  std::string text;
  for (const SqlBlock& setup : scenario.setups) text += setup.text + "\n";
  for (const Session& session : scenario.sessions) {
    if (session.setup) text += session.setup->text + "\n";
    if (session.teardown) text += session.teardown->text + "\n";
  }
  for (const Step& step : scenario.steps) text += step.sql.text + "\n";
  if (scenario.program) text += scenario.program->text.text;
  return to_lower(text);
}

Runner::Runner(const Scenario& scenario, RunnerOptions options,
               std::unique_ptr<StoreDatabase> database)
    : scenario_(scenario), options_(std::move(options)), database_(std::move(database)) {}

// Cluster-wide objects (roles) that the setup made go with the scenario's own teardown, once no
// session owns anything for them; the database goes with the server. Nobody is left to hear of an
// error.
Runner::~Runner() {
  if (!scenario_.teardown) return;
  const InterruptGrace grace(kTeardownGraceMs);
  if (!sessions_broken_) (void)clean_sessions();
  sessions_.clear();
  (void)execute(*scenario_.teardown);
}

Result<std::unique_ptr<Runner>> Runner::create(const Scenario& scenario, StoreServer& server,
                                               const RunnerOptions& options) {
  if (options.level) {
    if (auto offered = server.offers(*options.level); !offered) return offered.error();
  }
  if (auto offered = offers_own_levels(scenario, server); !offered) return offered.error();
  auto database = server.create_database("");
  if (!database) return database.error();
  database = with_connections(std::move(*database), scenario);
  if (!database) return database.error();
  std::unique_ptr<Runner> runner(new Runner(scenario, options, std::move(*database)));
  runner->read_statements();
  if (auto opened = runner->open_sessions(); !opened) return opened.error();
  if (auto set_up = runner->run_setups(); !set_up) return set_up.error();
  if (auto known = runner->remember_initial_state(); !known) return known.error();
  return runner;
}

// One for each statement of the functionality; what is not known until it runs may be anything.
std::vector<Statement> Runner::read_called(
    const Functionality& functionality,
    const std::function<std::vector<Statement>(const std::string&, std::size_t)>& read) {
  std::vector<Statement> all;
  for (const std::string& text : statement_templates(functionality)) {
    std::vector<Statement> statements = read(text, 0);
    const bool is_known = statements.size() == 1;
    only_rows_change_ = only_rows_change_ && is_known;
    sessions_keep_state_ = sessions_keep_state_ || !is_known;
    all.push_back(is_known ? std::move(statements.front()) : Statement());
  }
  return all;
}

// What the texts of steps and blocks can change decides how the runner goes back between runs.
void Runner::read_statements() {
  const std::string texts = all_texts(scenario_);
  const std::vector<Dialect> dialects = database_->dialects();
  only_rows_change_ = true;
  sessions_keep_state_ = remembers_sequences(texts);
  settings_linger_ = makes_settings(texts);
  const auto read_in = [&](Dialect dialect, const std::string& text, std::size_t store) {
    auto statements = statements_for(text, store, scenario_, dialect);
    if (!statements) {
      only_rows_change_ = false;
      sessions_keep_state_ = true;
      return std::vector<Statement>();
    }
    if (database_->part(store).is_about_copies(text)) return std::move(*statements);
    only_rows_change_ = only_rows_change_ && all_are(*statements, &StatementEffects::only_rows);
    sessions_keep_state_ =
        sessions_keep_state_ || !all_are(*statements, &StatementEffects::clean_session);
    return std::move(*statements);
  };
  const auto read = [&](const std::string& text, std::size_t store) {
    return read_in(dialects[store], text, store);
  };
  // Functionalities are said to MariaDB in its own words (step_machine_send.cc).
  const auto read_call = [&](const std::string& text, std::size_t store) {
    const bool is_said = dialects[store] == Dialect::mysql;
    return read_in(is_said ? Dialect::postgres : dialects[store], text, store);
  };
  for (const Session& session : scenario_.sessions) {
    if (session.setup) read(session.setup->text, session.setup->store);
    if (session.teardown) read(session.teardown->text, session.teardown->store);
  }
  for (std::size_t i = 0; i < scenario_.steps.size(); ++i) {
    const Step& step = scenario_.steps[i];
    std::vector<Statement>& statements = statements_.emplace_back();
    const Session& session = scenario_.sessions[step.session.index()];
    if (session.call && session.steps.front().index() == i) {
      statements = read_called(*called_functionality(scenario_, step.session), read_call);
    }
    for (const Instruction& instruction : step.instructions) {
      if (instruction.kind != Instruction::Kind::query) continue;
      for (Statement& statement :
           read(template_of(scenario_, step, instruction, dialects), step.sql.store)) {
        if (dialects[step.sql.store] == Dialect::redis) forget_unknown_keys(statement);
        statements.push_back(std::move(statement));
      }
    }
  }
}

Result<void> Runner::open_sessions() {
  sessions_.clear();
  std::vector<SessionOptions> options;
  for (const Session& session : scenario_.sessions) {
    SessionOptions session_options;
    session_options.application_name = "heddle/" + session.name;
    session_options.level = session.isolation ? session.isolation : options_.level;
    session_options.early_deadlock_check = true;
    options.push_back(std::move(session_options));
  }
  auto sessions = database_->open_sessions(options);
  if (!sessions) return sessions.error();
  sessions_ = std::move(*sessions);
  sessions_broken_ = false;
  return options_.program ? gate_sessions() : Result<void>();
}

// Sessions that call a method of the program run the method itself.
Result<void> Runner::gate_sessions() {
  const bool is_mysql = database_->part(0).dialect() == Dialect::mysql;
  const MariadbWords words = is_mysql ? mariadb_words(scenario_, catalogue_) : MariadbWords();
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    const Session& session = scenario_.sessions[i];
    if (!session.call) continue;
    ProgramCall call{.method = session.call->method, .arguments = session.call->arguments};
    std::string why = uses_of_several_connections(scenario_);
    if (why.empty()) why = options_.program->why_not_callable(call);
    if (!why.empty()) {
      return Diagnostic{.what = "the program itself cannot be run: " + why,
                        .what_to_do = "",
                        .file = scenario_.file,
                        .position = session.position,
                        .trouble = Trouble::bad_input};
    }
    auto gated = open_gated_session(std::move(sessions_[i]), options_.program, std::move(call),
                                    {.words = words, .timeout_ms = options_.step_timeout_ms});
    if (!gated) return gated.error();
    sessions_[i] = std::move(*gated);
  }
  return {};
}

Result<std::vector<Reply>> Runner::execute(const SqlBlock& block) {
  return database_->part(block.store).execute(block.text, options_.step_timeout_ms);
}

Result<void> Runner::run_setups() {
  for (const SqlBlock& block : scenario_.setups) {
    auto replies = execute(block);
    if (!replies) return replies.error();
    if (const StepError* error = first_error(*replies)) {
      return block_trouble(scenario_, block, "setup", *error);
    }
  }
  return {};
}

Result<void> Runner::learn_catalogue() {
  auto catalogue = database_->read_catalogue();
  if (!catalogue) return catalogue.error();
  catalogue_ = std::move(*catalogue);
  const auto caller = std::ranges::find_if(
      scenario_.sessions, [](const Session& session) { return session.call.has_value(); });
  if (caller == scenario_.sessions.end()) return {};
  auto learnt = database_->part(0).learn_types();
  if (learnt) return {};
  Diagnostic trouble = learnt.error();
  if (trouble.trouble != Trouble::bad_input) return trouble;
  trouble.file = scenario_.file;
  trouble.position = caller->call->text.position;
  return trouble;
}

Result<void> Runner::remember_initial_state() {
  if (auto learnt = learn_catalogue(); !learnt) return learnt.error();
  auto tables = read_tables();
  if (!tables) return tables.error();
  initial_tables_ = std::move(*tables);
  initial_catalogue_ = catalogue_;
  generated_ = find_generated_columns(catalogue_, scenario_, statements_, database_->dialects());
  mark_generated(initial_tables_, generated_);
  only_rows_change_ = only_rows_change_ && database_->can_restore();
  if (!only_rows_change_) return {};
  return database_->take_snapshot();
}

// What stays behind in a session is undone. REQUIRES: no open transaction.
Result<void> Runner::clean_sessions() {
  if (!sessions_keep_state_ && !settings_linger_) return {};
  const std::string cleaning = database_->cleaning_text();
  if (cleaning.empty()) return open_sessions();
  Run ignored;
  StepMachine machine(scenario_, *database_, sessions_, machine_options(), ignored);
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    if (auto cleaned = machine.run_block(SessionId(i), 0, cleaning); !cleaned) {
      return cleaned.error();
    }
  }
  return settings_linger_ ? open_sessions() : Result<void>();
}

Result<void> Runner::return_to_start() {
  if (sessions_broken_) {
    if (auto opened = open_sessions(); !opened) return opened.error();
  }
  if (!used_) {
    used_ = true;
    return {};
  }
  if (auto cleaned = clean_sessions(); !cleaned) return cleaned.error();
  if (only_rows_change_) return database_->restore_snapshot(changed_);
  if (scenario_.teardown) {
    auto replies = execute(*scenario_.teardown);
    if (!replies) return replies.error();
  }
  if (auto wiped = database_->wipe(); !wiped) return wiped.error();
  if (auto set_up = run_setups(); !set_up) return set_up.error();
  return learn_catalogue();
}

StepMachineOptions Runner::machine_options() const {
  StepMachineOptions options;
  options.step_timeout_ms = options_.step_timeout_ms;
  options.deadlock_check_ms = 50;
  return options;
}

Result<void> Runner::run_session_setup(StepMachine& machine, SessionId session) {
  const Session& described = scenario_.sessions[session.index()];
  if (!described.setup) return {};
  auto replies = machine.run_block(session, described.setup->store, described.setup->text);
  if (!replies) return replies.error();
  if (const StepError* error = first_error(*replies)) {
    return block_trouble(scenario_, *described.setup, "setup of session " + described.name, *error);
  }
  return {};
}

// Errors of a teardown are the scenario's business; what it leaves open is rolled back.
Result<void> Runner::run_session_teardown(StepMachine& machine, SessionId session) {
  const Session& described = scenario_.sessions[session.index()];
  if (described.teardown) {
    auto replies = machine.run_block(session, described.teardown->store, described.teardown->text);
    if (!replies) return replies.error();
    const StepError* error = first_error(*replies);
    if (error != nullptr && is_store_trouble(*error)) {
      return block_trouble(scenario_, *described.teardown, "teardown of session " + described.name,
                           *error);
    }
  }
  return machine.roll_back(session);
}

Result<void> Runner::run_steps(StepMachine& machine, const SessionScripts& scripts,
                               const SessionChooser& choose, Run& run, Observer* observer) {
  std::vector<std::size_t> next(scripts.size(), 0);
  while (true) {
    std::vector<SessionId> enabled;
    for (std::size_t i = 0; i < scripts.size(); ++i) {
      const SessionId session(i);
      if (machine.is_active(session)) continue;
      while (machine.has_ended(session) && next[i] < scripts[i].size()) {
        machine.skip(scripts[i][next[i]++]);
      }
      if (machine.has_finished(session)) next[i] = scripts[i].size();
      if (next[i] < scripts[i].size()) enabled.push_back(session);
    }
    bool goes_on = true;
    if (!enabled.empty()) {
      const SessionId session = choose(runnable_sessions(scenario_, std::move(enabled)));
      const PlacedStep& placed = scripts[session.index()][next[session.index()]++];
      run.planned.steps.push_back(placed);
      if (observer != nullptr) observer->before_launch(run.records.size());
      goes_on = machine.launch(placed);
    } else if (machine.has_waiting()) {
      goes_on = machine.await_any();
    } else {
      return {};
    }
    if (!goes_on) return {};
    if (observer != nullptr) {
      if (auto observed = observer->after_launch(run, sessions_); !observed)
        return observed.error();
    }
  }
}

Result<void> Runner::interleave(const SessionScripts& scripts, const SessionChooser& choose,
                                Run& run, Observer* observer, bool again) {
  StepMachine machine(scenario_, *database_, sessions_, machine_options(), run);
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    if (auto done = run_session_setup(machine, SessionId(i)); !done) return done.error();
  }
  if (observer != nullptr) {
    if (auto observed = observer->after_launch(run, sessions_); !observed) return observed.error();
  }
  if (auto done = run_steps(machine, scripts, choose, run, observer); !done) return done.error();
  if (run.end != RunEnd::complete) {
    machine.abandon();
    sessions_broken_ = true;
    sessions_.clear();
    return {};
  }
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    if (auto done = run_session_teardown(machine, SessionId(i)); !done) return done.error();
  }
  if (observer != nullptr) {
    if (auto observed = observer->after_launch(run, sessions_); !observed) return observed.error();
  }
  return again ? retry(machine, scripts, run) : finish(run);
}

Result<Run> Runner::run_interleaved(const SessionScripts& scripts, const SessionChooser& choose) {
  return run_once(scripts, choose, false);
}

Result<Run> Runner::run_retried(const SessionScripts& scripts, const SessionChooser& choose) {
  return run_once(scripts, choose, true);
}

Result<Run> Runner::run_once(const SessionScripts& scripts, const SessionChooser& choose,
                             bool again) {
  if (auto ready = return_to_start(); !ready) return ready.error();
  Run run;
  if (auto done = interleave(scripts, choose, run, nullptr, again); !done) {
    sessions_broken_ = true;
    return done.error();
  }
  return run;
}

Result<ObservedRun> Runner::run_observed(const SessionScripts& scripts,
                                         const SessionChooser& choose) {
  if (auto ready = return_to_start(); !ready) return ready.error();
  ObservedRun observed;
  Observer observer(scenario_, *database_, catalogue_);
  if (auto begun = observer.begin(sessions_); !begun) return begun.error();
  if (auto done = interleave(scripts, choose, observed.run, &observer); !done) {
    sessions_broken_ = true;
    return done.error();
  }
  auto history = observer.end(observed.run);
  if (!history) return history.error();
  observed.history = std::move(*history);
  return observed;
}

Result<void> Runner::finish(Run& run) {
  if (!only_rows_change_) {
    if (auto learnt = learn_catalogue(); !learnt) return learnt.error();
  }
  auto tables = read_tables();
  if (!tables) return tables.error();
  run.tables = std::move(*tables);
  changed_.clear();
  for (std::size_t i = 0; i < run.tables.size(); ++i) {
    const bool known = i < initial_tables_.size() && initial_tables_[i].name == run.tables[i].name;
    if (!known || initial_tables_[i].rows != run.tables[i].rows)
      changed_.insert(run.tables[i].name);
  }
  auto invariants = check_invariants(run);
  if (!invariants) return invariants.error();
  run.invariants = std::move(*invariants);
  mark_generated(run, generated_, statements_);
  mark_ordered(run, generated_, statements_);
  return {};
}

}  // namespace heddle
