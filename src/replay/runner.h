// Runs schedules of one scenario on one database, each from the same initial rows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "control/controlled_program.h"
#include "heddle/outcome.h"
#include "heddle/scenario.h"
#include "heddle/statement.h"
#include "replay/generated.h"
#include "replay/observe/observer.h"
#include "replay/step_machine.h"
#include "store/store.h"

namespace heddle {

struct RunnerOptions {
  std::optional<IsolationLevel> level;
  std::uint32_t step_timeout_ms = 30'000;
  // Runs the sessions that call a method; or none.
  std::shared_ptr<ControlledProgram> program = nullptr;
};

// Picks the session whose next step is launched, one of `enabled` (never empty, ascending).
using SessionChooser = std::function<SessionId(const std::vector<SessionId>& enabled)>;

// Steps of one session that nothing may come between in a serial order. A functionality that is
// called may take another way there than in the run that is judged, with more statements or fewer.
struct SerialBlock {
  enum class Extent : std::uint8_t {
    steps,        // these
    transaction,  // of a call: until its next transaction has ended
    rest,         // of a call: all that is left
  };

  SessionId session;
  std::vector<StepId> steps;
  Extent extent = Extent::steps;
};

// The steps each session runs, in order; indexed by session.
using SessionScripts = std::vector<std::vector<PlacedStep>>;

SessionScripts scripts_of(const Scenario& scenario);
SessionScripts scripts_of(const Scenario& scenario, const Permutation& permutation);

// All SQL of the scenario but its teardown and invariants, in lower case, for judging by words.
std::string all_texts(const Scenario& scenario);

// Ok where the run says something about the scenario: it is complete, or a step took too long. Else
// why it does not.
Result<void> check_end(const Scenario& scenario, const Run& run);

// A chooser that follows an order of sessions, putting off those that are not enabled.
SessionChooser follow(std::vector<SessionId> order);
SessionChooser follow(const Scenario& scenario, const Schedule& schedule);

class Runner {
 public:
  // Makes a database and runs the setup blocks. `scenario` and `server` must outlive the runner.
  static Result<std::unique_ptr<Runner>> create(const Scenario& scenario, StoreServer& server,
                                                const RunnerOptions& options);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // All session setups, then steps as `choose` says, then all session teardowns. A blocked session
  // is not enabled until its step has completed. Diagnostics: the store cannot go on.
  Result<Run> run_interleaved(const SessionScripts& scripts, const SessionChooser& choose);

  // Block after block, nothing concurrent; a session's setup runs before its first block, its
  // teardown after its last.
  Result<Run> run_serial(const std::vector<SerialBlock>& blocks);

  // Like run_interleaved; then sessions that the store ended run all their steps once more, one
  // after the other, as an application would that tries again.
  Result<Run> run_retried(const SessionScripts& scripts, const SessionChooser& choose);

  // Like run_interleaved, and also watches which versions each statement saw.
  Result<ObservedRun> run_observed(const SessionScripts& scripts, const SessionChooser& choose);

  const std::vector<CatalogueTable>& catalogue() const { return catalogue_; }
  const std::vector<TableState>& initial_tables() const { return initial_tables_; }
  const GeneratedColumns& generated_columns() const { return generated_; }
  // The statements of each step, for what its results are; empty for unreadable ones. The first
  // step of a call has those of the functionality, in the order of list_statements().
  const std::vector<std::vector<Statement>>& statements() const { return statements_; }

 private:
  Runner(const Scenario& scenario, RunnerOptions options, std::unique_ptr<StoreDatabase> database);

  Result<void> open_sessions();
  Result<void> gate_sessions();
  // On the control connection.
  Result<std::vector<Reply>> execute(const SqlBlock& block);
  Result<void> run_setups();
  Result<void> learn_catalogue();
  Result<void> remember_initial_state();
  Result<void> clean_sessions();
  Result<void> return_to_start();
  Result<void> run_session_setup(StepMachine& machine, SessionId session);
  Result<void> run_session_teardown(StepMachine& machine, SessionId session);
  Result<void> run_steps(StepMachine& machine, const SessionScripts& scripts,
                         const SessionChooser& choose, Run& run, Observer* observer);
  Result<void> interleave(const SessionScripts& scripts, const SessionChooser& choose, Run& run,
                          Observer* observer, bool again = false);
  Result<Run> run_once(const SessionScripts& scripts, const SessionChooser& choose, bool again);
  // runner_serial.cc
  Result<Run> run_blocks(const std::vector<SerialBlock>& blocks);
  void run_serial_block(StepMachine& machine, const SerialBlock& block, std::size_t& next,
                        Run& run);
  Result<void> retry(StepMachine& machine, const SessionScripts& scripts, Run& run);
  Result<void> finish(Run& run);
  // runner_end.cc
  Result<std::vector<TableState>> read_tables();
  Result<std::vector<Reply>> ask(const SqlBlock& block, const Run& run);
  Result<std::vector<InvariantOutcome>> check_invariants(const Run& run);
  StepMachineOptions machine_options() const;
  void read_statements();
  std::vector<Statement> read_called(
      const Functionality& functionality,
      const std::function<std::vector<Statement>(const std::string&, std::size_t)>& read);

  const Scenario& scenario_;
  RunnerOptions options_;
  std::unique_ptr<StoreDatabase> database_;
  std::vector<std::unique_ptr<StoreSession>> sessions_;
  std::vector<CatalogueTable> catalogue_;
  std::vector<std::vector<Statement>> statements_;
  std::vector<TableState> initial_tables_;
  std::vector<CatalogueTable> initial_catalogue_;
  GeneratedColumns generated_;
  bool only_rows_change_ = false;    // restore_snapshot suffices between runs
  bool sessions_keep_state_ = true;  // DISCARD ALL is needed between runs
  bool settings_linger_ = false;     // and does not suffice: new sessions are
  bool used_ = false;                // a run has happened since the last return to the start
  bool sessions_broken_ = false;     // a session was lost or abandoned
  std::set<std::string> changed_;    // tables changed by the last run
};

}  // namespace heddle
