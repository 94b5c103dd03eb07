// Steps in flight: sends a step's queries, sees that they complete or wait for another session, and
// keeps the list of those that wait.
//
// The order of events is isolationtester's: the step just launched is looked at first, then the
// waiting ones in the order in which they began to wait. What differs is the patience: instead of
// sleeping 10 ms before it asks the server, the machine asks after a fraction of a millisecond, and
// believes "blocked" only when every blocker is itself at rest (idle, or blocked in turn), so that
// a wait which another session is about to end is not taken for a lasting one.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/spec/variables.h"
#include "heddle/outcome.h"
#include "heddle/scenario.h"
#include "replay/branches.h"
#include "replay/calls/called_functionality.h"
#include "store/store.h"

namespace heddle {

struct StepMachineOptions {
  std::uint32_t step_timeout_ms = 30'000;
  // A deadlock resolves itself: wait for the store to do so instead of reporting the steps as
  // waiting.
  bool await_deadlocks = true;
  // The longest that a step which was seen blocked waits for the store to say that its deadlock
  // check of that wait is over. Before that no further step is launched, so that the victim is
  // always the session that closes the cycle.
  std::uint32_t deadlock_check_ms = 0;
  // A session whose transaction the store aborted runs no further steps.
  bool end_sessions = true;
  // A step over its time is cancelled and the run ends. Otherwise it is cancelled, reported, and
  // the run goes on, unless it does not return within twice its time.
  bool end_run_at_timeout = true;
  // An error of the store itself (store/trouble.h) ends the run. Otherwise it is a reply like any
  // other.
  bool end_run_at_store_trouble = true;
};

// What became of a look at a step.
enum class StepProgress : std::uint8_t { completed, waiting, failed };

class StepMachine {
 public:
  // All references must outlive the machine. `run` receives records and events.
  StepMachine(const Scenario& scenario, StoreDatabase& database,
              std::vector<std::unique_ptr<StoreSession>>& sessions,
              const StepMachineOptions& options, Run& run);

  // Sends a step, waits until it completes or is blocked, then looks at the waiting ones. REQUIRES:
  // !is_active(session of the step). False when the run cannot go on: run.end says why.
  bool launch(const PlacedStep& placed);

  // A step of the session is under way.
  bool is_active(SessionId session) const { return active_[session.index()].has_value(); }
  bool has_waiting() const { return !waiting_.empty(); }
  // The session was ended by a deadlock, serialization failure or lock timeout.
  bool has_ended(SessionId session) const { return ended_[session.index()]; }

  // The functionality that the session calls has ended; further steps of it do nothing.
  bool has_finished(SessionId session) const { return call_ended_[session.index()]; }

  // Lets a session that has ended begin anew.
  void revive(SessionId session);

  // Looks at the waiting steps once more, in order; blocked ones stay. False as in `launch`.
  bool look_at_waiting();
  // Waits for the session's step as isolationtester does. False as in `launch`.
  bool await(SessionId session);
  // Waits until at least one waiting step has completed. False as in `launch`.
  bool await_any();
  // Waits for all; false when some never complete (or as in `launch`).
  bool await_all();

  // Marks a step of an ended session as skipped.
  void skip(const PlacedStep& placed);

  // Runs a setup or teardown block of a session in one of the stores and waits for it.
  Result<std::vector<Reply>> run_block(SessionId session, std::size_t store,
                                       const std::string& sql);
  // Gives up the transactions that the session has left open.
  Result<void> roll_back(SessionId session);

  // Cancels what is under way and waits, for a bounded time, until every session is at rest.
  void abandon();

 private:
  using Clock = std::chrono::steady_clock;

  // A step under way: which record, what instruction comes next, what delays its report.
  void note_service(const ConnectionTurn& turn, StepRecord& record) const;

  struct Active {
    std::size_t record = 0;
    PlacedStep placed;
    std::size_t next_instruction = 0;
    Branches branches;
    std::vector<std::uint32_t> target_notices;  // parallel to placed.blockers
    std::optional<std::size_t> under_way;       // the instruction whose reply is awaited
    Clock::time_point launched;
    std::optional<Clock::time_point> unchecked_since;  // blocked, and no deadlock check seen
    bool cancelled = false;
    bool goes_on = true;         // no error keeps the rest of the step from running
    bool has_statement = false;  // of a call: the step has sent its statement
    // What it waits for never comes, though no store knows: why, as an error says it.
    std::string endless_wait = {};
  };

  enum class Wait : std::uint8_t { done, blocked, failed };

  Active& active(SessionId session) { return *active_[session.index()]; }
  const Step& step_of(const Active& step) const;
  Dialect dialect_of(const Active& step) const;
  SessionId session_of(const Active& step) const { return step_of(step).session; }

  // step_machine_send.cc
  bool send_next(Active& step);
  bool turn_session(const Active& step, const std::string& text);
  void turn_call(const Active& step, const CalledFunctionality::Request& request);
  Result<ConnectionTurn> turn_of_block(const std::string& sql) const;
  bool send(Active& step, std::string text);
  void begin_call(SessionId session);
  bool send_called(Active& step);
  bool send_command(Active& step, const std::string& text);
  void note_left_out(SessionId session);
  bool end_call(const Active& step);
  bool fail_called(const Active& step, const Diagnostic& trouble);
  bool take_answer(Active& step);
  bool follow_condition(Active& step, const Instruction& instruction);
  void take_variables(Active& step, const Instruction& instruction);
  bool append_replies(Active& step);
  void mark_refusal(StepError& error) const;

  bool forces_wait(const Active& step) const;
  bool has_blocker(const Active& step) const;

  StepProgress try_complete(SessionId session, bool may_block, bool first_look);
  Wait wait_for_reply(SessionId session, bool may_block, bool first_look);
  Wait wait_for_query(SessionId session, bool may_block, bool first_look);
  std::optional<Wait> judge_block(SessionId session, Clock::time_point since);
  bool is_checked_for_deadlock(SessionId session);
  void end_endless_wait(SessionId session, const WaitState& state);
  void mark_endless_wait(const Active& step, StepError& error) const;
  // Whether every blocker is idle or blocked itself; parallel vectors over the active sessions.
  bool is_at_rest(const std::vector<int>& blockers, const std::vector<WaitState>& states) const;
  bool complete(SessionId session, bool first_look);
  void report_waiting(SessionId session);
  void take_messages();
  void take_notifications(SessionId session);
  bool check_step_timeout(Active& step);
  Wait fail(RunEnd end, std::string trouble);
  Wait fail(const Active& step, Diagnostic diagnostic);

  const Scenario& scenario_;
  StoreDatabase& database_;
  std::vector<std::unique_ptr<StoreSession>>& sessions_;
  StepMachineOptions options_;
  Run& run_;
  std::vector<int> backends_;
  std::vector<std::optional<Active>> active_;
  std::vector<bool> ended_;
  std::vector<SessionId> waiting_;
  std::vector<std::uint32_t> notices_;  // received in all, per session
  std::vector<Variables> variables_;
  std::vector<std::unique_ptr<CalledFunctionality>> calls_;  // null: steps of the session's own
  std::vector<bool> call_ended_;                             // and its end has been recorded
  // Where the replies to a request of a call are.
  struct Answered {
    std::size_t record = 0;
    std::size_t first = 0;
    std::size_t end = 0;
  };
  std::vector<std::vector<Answered>> answered_;
  std::size_t clock_ = 0;  // counts launches and completions
  bool new_notice_ = false;
};

}  // namespace heddle
