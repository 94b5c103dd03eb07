#include "replay/step_machine.h"

#include <algorithm>
#include <functional>
#include <poll.h>
#include <time.h>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/interrupt.h"
#include "replay/client_variables.h"
#include "replay/session_connections.h"
#include "replay/wait_graph.h"
#include "store/trouble.h"

namespace heddle {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// isolationtester asks every 10 ms; what it would have seen by then is not reported earlier.
constexpr milliseconds kIsolationtesterPatience{10};

// A plain statement on a few rows returns well within this.
constexpr microseconds kFirstLook{400};
constexpr microseconds kLongestPause{10'000};

constexpr std::chrono::seconds kPatienceAfterCancel{10};

// True when `socket` became readable. An interrupt ends the wait unless it is known already.
bool poll_for(int socket, microseconds pause, bool interrupt_known = false) {
  pollfd waits[] = {{socket, POLLIN, 0}, {interrupt_known ? -1 : interrupt_fd(), POLLIN, 0}};
  const timespec time{pause.count() / 1'000'000, (pause.count() % 1'000'000) * 1'000};
  return ppoll(waits, 2, &time, nullptr) > 0 && waits[0].revents != 0;
}

// What a functionality handles its user never sees.
bool ends_the_session(const StepRecord& record, bool is_call) {
  if (is_call) {
    const auto& end = record.call_end;
    return end && end->error && ends_session(end->error->error_class);
  }
  return std::any_of(record.replies.begin(), record.replies.end(), [](const Reply& reply) {
    return reply.error && ends_session(reply.error->error_class);
  });
}

}  // namespace

StepMachine::StepMachine(const Scenario& scenario, StoreDatabase& database,
                         std::vector<std::unique_ptr<StoreSession>>& sessions,
                         const StepMachineOptions& options, Run& run)
    : scenario_(scenario),
      database_(database),
      sessions_(sessions),
      options_(options),
      run_(run),
      active_(sessions.size()),
      ended_(sessions.size(), false),
      notices_(sessions.size(), 0),
      variables_(sessions.size()) {
  for (const auto& session : sessions_) backends_.push_back(session->backend_id());
  calls_.resize(sessions.size());
  call_ended_.resize(sessions.size(), false);
  answered_.resize(sessions.size());
  for (std::size_t i = 0; i < sessions_.size(); ++i) begin_call(SessionId(i));
}

const Step& StepMachine::step_of(const Active& step) const {
  return scenario_.steps[step.placed.step.index()];
}

Dialect StepMachine::dialect_of(const Active& step) const {
  return database_.part(step_of(step).sql.store).dialect();
}

StepMachine::Wait StepMachine::fail(RunEnd end, std::string trouble) {
  run_.end = end;
  run_.trouble = std::move(trouble);
  return Wait::failed;
}

StepMachine::Wait StepMachine::fail(const Active& step, Diagnostic diagnostic) {
  if (diagnostic.trouble == Trouble::interrupted) return fail(RunEnd::interrupted, diagnostic.what);
  diagnostic.what += fmt::format(" while step {} ran", step_of(step).name);
  return fail(RunEnd::connection_lost, to_string(diagnostic));
}

bool StepMachine::launch(const PlacedStep& placed) {
  const SessionId session = scenario_.steps[placed.step.index()].session;
  HEDDLE_ASSERT(!is_active(session));
  StepRecord record;
  record.step = placed.step;
  record.launched = ++clock_;
  run_.records.push_back(std::move(record));

  Active step;
  step.record = run_.records.size() - 1;
  step.placed = placed;
  step.launched = Clock::now();
  for (const Blocker& blocker : placed.blockers) {
    const SessionId other = scenario_.steps[blocker.step.index()].session;
    step.target_notices.push_back(notices_[other.index()] + blocker.notices);
  }
  active_[session.index()] = std::move(step);
  if (!send_next(active(session))) return false;

  const StepProgress progress = try_complete(session, true, true);
  if (progress == StepProgress::failed || !look_at_waiting()) return false;
  if (progress == StepProgress::waiting) waiting_.push_back(session);
  return true;
}

void StepMachine::revive(SessionId session) {
  ended_[session.index()] = false;
  variables_[session.index()].clear();
  begin_call(session);
}

void StepMachine::skip(const PlacedStep& placed) {
  StepRecord record;
  record.step = placed.step;
  record.launched = ++clock_;
  record.skipped = true;
  const std::string& text = scenario_.steps[placed.step.index()].sql.text;
  if (!scenario_.services.empty()) {
    if (const auto turn = service_turn(text, database_)) note_service(*turn, record);
  }
  run_.records.push_back(std::move(record));
}

bool StepMachine::forces_wait(const Active& step) const {
  const std::vector<Blocker>& blockers = step.placed.blockers;
  return std::any_of(blockers.begin(), blockers.end(),
                     [](const Blocker& b) { return b.kind == Blocker::Kind::once; });
}

bool StepMachine::has_blocker(const Active& step) const {
  for (std::size_t i = 0; i < step.placed.blockers.size(); ++i) {
    const Blocker& blocker = step.placed.blockers[i];
    const SessionId other = scenario_.steps[blocker.step.index()].session;
    const std::optional<Active>& other_step = active_[other.index()];
    if (blocker.kind == Blocker::Kind::other_step && other_step &&
        other_step->placed.step == blocker.step) {
      return true;
    }
    if (blocker.kind == Blocker::Kind::notices &&
        notices_[other.index()] < step.target_notices[i]) {
      return true;
    }
  }
  return false;
}

StepProgress StepMachine::try_complete(SessionId session, bool may_block, bool first_look) {
  if (first_look && forces_wait(active(session))) {
    report_waiting(session);
    return StepProgress::waiting;
  }
  const Wait wait = wait_for_reply(session, may_block, first_look);
  if (wait == Wait::failed) return StepProgress::failed;
  if (wait == Wait::blocked || has_blocker(active(session))) {
    if (first_look) report_waiting(session);
    return StepProgress::waiting;
  }
  return complete(session, first_look) ? StepProgress::completed : StepProgress::failed;
}

// Goes through the queries of the step until the last has answered or one is blocked.
StepMachine::Wait StepMachine::wait_for_reply(SessionId session, bool may_block, bool first_look) {
  Active& step = active(session);
  while (step.under_way) {
    const Wait wait = wait_for_query(session, may_block, first_look);
    if (wait != Wait::done) return wait;
    if (!take_answer(step)) return Wait::failed;
    if (!step.goes_on) break;
    if (!send_next(step)) return Wait::failed;
    first_look = true;
  }
  return Wait::done;
}

StepMachine::Wait StepMachine::wait_for_query(SessionId session, bool may_block, bool first_look) {
  StoreSession& connection = *sessions_[session.index()];
  const Clock::time_point since = Clock::now();
  microseconds pause = first_look ? kFirstLook : microseconds{0};
  while (true) {
    auto busy = connection.busy();
    take_messages();
    if (!busy && calls_[session.index()]) {
      fail_called(active(session), busy.error());
      return Wait::failed;
    }
    if (!busy) return fail(active(session), busy.error());
    if (!*busy) return Wait::done;
    if (interrupted()) return fail(RunEnd::interrupted, "interrupted");
    const bool arrived = poll_for(connection.socket(), pause);
    if (may_block && !arrived) {
      if (std::optional<Wait> wait = judge_block(session, since)) return *wait;
    }
    if (!check_step_timeout(active(session))) return Wait::failed;
    if (arrived) continue;
    pause = std::clamp(pause * 2, kFirstLook, kLongestPause);
  }
}

// None: neither done nor lastingly blocked, look again.
std::optional<StepMachine::Wait> StepMachine::judge_block(SessionId session,
                                                          Clock::time_point since) {
  auto blocked = database_.is_blocked(backends_[session.index()], backends_);
  if (!blocked) return fail(active(session), blocked.error());
  if (!*blocked) return std::nullopt;
  if (!is_checked_for_deadlock(session)) return std::nullopt;

  std::vector<int> backends;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    if (active_[i]) backends.push_back(backends_[i]);
  }
  auto states = database_.wait_states(backends, backends_);
  if (!states) return fail(active(session), states.error());
  // What arrived while we asked counts.
  auto busy = sessions_[session.index()]->busy();
  take_messages();
  if (!busy) return fail(active(session), busy.error());
  if (!*busy) return Wait::done;

  std::vector<WaitState> of_session(active_.size());
  std::size_t slot = 0;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    if (active_[i]) of_session[i] = (*states)[slot++];
  }
  WaitState& own = of_session[session.index()];
  if (!own.blocked) return std::nullopt;
  for (const int backend : own.blockers) {
    const auto found = std::find(backends_.begin(), backends_.end(), backend);
    if (found == backends_.end()) continue;
    const SessionId other(static_cast<std::size_t>(found - backends_.begin()));
    std::vector<SessionId>& known = run_.records[active(session).record].blocked_by;
    if (std::find(known.begin(), known.end(), other) == known.end()) known.push_back(other);
  }
  const bool deadlock = waits_for_itself(session, of_session, backends_);
  if (deadlock && !closes_circle_in_store(of_session, backends_)) {
    end_endless_wait(session, own);
    return std::nullopt;
  }
  if (deadlock && options_.await_deadlocks) return std::nullopt;
  const bool impatient =
      !options_.await_deadlocks && Clock::now() - since >= kIsolationtesterPatience;
  if ((deadlock || !is_at_rest(own.blockers, of_session)) && !impatient) return std::nullopt;
  return Wait::blocked;
}

// No store knows that these wait for each other, and so nothing ends that: the statement is given
// up.
void StepMachine::end_endless_wait(SessionId session, const WaitState& state) {
  Active& step = active(session);
  if (!step.endless_wait.empty()) return;
  const bool is_own =
      std::ranges::find(state.aside, backends_[session.index()]) != state.aside.end();
  step.endless_wait = is_own ? "the call waits for itself: another of its connections has the lock"
                             : "calls wait for each other for ever, which the store does not see: "
                               "they have the locks on other connections than those that wait";
  sessions_[session.index()]->cancel();
}

// Not every wait is checked (one for a safe snapshot is not), so that patience has an end.
bool StepMachine::is_checked_for_deadlock(SessionId session) {
  Active& step = active(session);
  if (!sessions_[session.index()]->awaits_deadlock_check()) {
    step.unchecked_since.reset();
    return true;
  }
  if (!step.unchecked_since) step.unchecked_since = Clock::now();
  return Clock::now() - *step.unchecked_since >= milliseconds(options_.deadlock_check_ms);
}

// One that has its answer does nothing before the machine has looked at it.
bool StepMachine::is_at_rest(const std::vector<int>& blockers,
                             const std::vector<WaitState>& states) const {
  return std::all_of(blockers.begin(), blockers.end(), [&](int backend) {
    const auto found = std::find(backends_.begin(), backends_.end(), backend);
    if (found == backends_.end()) return true;
    const auto index = static_cast<std::size_t>(found - backends_.begin());
    if (!active_[index] || !active_[index]->under_way || states[index].blocked) return true;
    const auto busy = sessions_[index]->busy();
    return !busy || !*busy;
  });
}

// False as in `launch`.
bool StepMachine::complete(SessionId session, bool first_look) {
  const std::size_t index = active(session).record;
  StepRecord& record = run_.records[index];
  record.completed = ++clock_;
  record.state_after = sessions_[session.index()]->transaction_state();
  Event event;
  event.kind = first_look ? Event::Kind::completed : Event::Kind::late_completed;
  event.session = session;
  event.record = index;
  run_.events.push_back(std::move(event));
  take_notifications(session);
  if (options_.end_sessions && ends_the_session(record, calls_[session.index()] != nullptr)) {
    ended_[session.index()] = true;
    run_.aborted.push_back(session);
    // Its user has nothing more to do than to give up what else is open; others wait for it.
    if (auto rolled_back = roll_back(session); !rolled_back) {
      fail(active(session), rolled_back.error());
      return false;
    }
  }
  active_[session.index()].reset();
  return true;
}

void StepMachine::report_waiting(SessionId session) {
  const std::size_t index = active(session).record;
  run_.records[index].waited = true;
  Event event;
  event.kind = Event::Kind::waiting;
  event.session = session;
  event.record = index;
  run_.events.push_back(std::move(event));
}

void StepMachine::take_messages() {
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    for (std::string& notice : sessions_[i]->take_notices()) {
      Event event;
      event.kind = Event::Kind::notice;
      event.session = SessionId(i);
      event.text = std::move(notice);
      run_.events.push_back(std::move(event));
      ++notices_[i];
      new_notice_ = true;
    }
  }
}

void StepMachine::take_notifications(SessionId session) {
  for (const Notification& notification : sessions_[session.index()]->take_notifications()) {
    const auto found = std::find(backends_.begin(), backends_.end(), notification.sender);
    const std::string sender =
        found == backends_.end()
            ? fmt::format("PID {}", notification.sender)
            : scenario_.sessions[static_cast<std::size_t>(found - backends_.begin())].name;
    Event event;
    event.kind = Event::Kind::notification;
    event.session = session;
    event.text = fmt::format("{}: NOTIFY \"{}\" with payload \"{}\" from {}\n",
                             scenario_.sessions[session.index()].name, notification.channel,
                             notification.payload, sender);
    run_.events.push_back(std::move(event));
  }
  take_messages();
}

bool StepMachine::check_step_timeout(Active& step) {
  const auto elapsed = Clock::now() - step.launched;
  const milliseconds limit(options_.step_timeout_ms);
  if (elapsed <= limit) return true;
  const std::string& name = step_of(step).name;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  if (options_.end_run_at_timeout) {
    const std::string delay = sessions_[session_of(step).index()]->delay();
    fail(RunEnd::timed_out, fmt::format("step {} did not return within {} ms{}{}", name,
                                        limit.count(), delay.empty() ? "" : ": ", delay));
    return false;
  }
  if (!step.cancelled && sessions_[session_of(step).index()]->cancel()) {
    step.cancelled = true;
    Event event;
    event.kind = Event::Kind::cancelled;
    event.session = session_of(step);
    event.text =
        fmt::format("isolationtester: canceling step {} after {} seconds\n", name, seconds);
    run_.events.push_back(std::move(event));
  }
  if (elapsed <= 2 * limit) return true;
  fail(RunEnd::timed_out, fmt::format("step {} timed out after {} seconds\n", name, seconds));
  return false;
}

// Scans the waiting steps in order; scans again while a completion or a notice may have released a
// step that is delayed by a marker, so that the result does not depend on the order of the list.
bool StepMachine::look_at_waiting() {
  bool again = true;
  while (again) {
    new_notice_ = false;
    bool delayed = false;
    const std::size_t before = waiting_.size();
    for (std::size_t i = 0; i < waiting_.size();) {
      const SessionId session = waiting_[i];
      switch (try_complete(session, true, false)) {
        case StepProgress::failed:
          return false;
        case StepProgress::waiting:
          delayed = delayed || !active(session).placed.blockers.empty();
          ++i;
          break;
        case StepProgress::completed:
          waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    again = delayed && (waiting_.size() < before || new_notice_);
  }
  return true;
}

bool StepMachine::await(SessionId session) {
  const Clock::time_point since = Clock::now();
  while (is_active(session)) {
    switch (try_complete(session, false, false)) {
      case StepProgress::failed:
        return false;
      case StepProgress::completed:
        std::erase(waiting_, session);
        break;
      case StepProgress::waiting:  // delayed by a marker
        poll_for(sessions_[session.index()]->socket(), kFirstLook);
    }
    if (!look_at_waiting()) return false;
    if (is_active(session) && Clock::now() - since > milliseconds(2 * options_.step_timeout_ms)) {
      fail(RunEnd::timed_out, fmt::format("step {} timed out", step_of(active(session)).name));
      return false;
    }
  }
  return true;
}

bool StepMachine::await_any() {
  const std::size_t before = waiting_.size();
  microseconds pause = kFirstLook;
  while (true) {
    if (!look_at_waiting()) return false;
    if (waiting_.size() < before) return true;
    for (const SessionId session : waiting_) {
      if (!check_step_timeout(active(session))) return false;
    }
    if (interrupted()) {
      fail(RunEnd::interrupted, "interrupted");
      return false;
    }
    poll_for(sessions_[waiting_.front().index()]->socket(), pause);
    pause = std::min(pause * 2, kLongestPause);
  }
}

bool StepMachine::await_all() {
  bool again = true;
  while (again) {
    new_notice_ = false;
    bool delayed = false;
    const std::size_t before = waiting_.size();
    for (std::size_t i = 0; i < waiting_.size();) {
      const SessionId session = waiting_[i];
      switch (try_complete(session, false, false)) {
        case StepProgress::failed:
          return false;
        case StepProgress::waiting:
          delayed = true;
          ++i;
          break;
        case StepProgress::completed:
          waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    again = delayed && (waiting_.size() < before || new_notice_);
  }
  if (waiting_.empty()) return true;
  fail(RunEnd::timed_out, "failed to complete permutation due to mutually-blocking steps\n");
  return false;
}

Result<void> StepMachine::roll_back(SessionId session) {
  for (std::size_t store = 0; store < database_.part_count(); ++store) {
    const StoreSession& part = part_of(*sessions_[session.index()], store);
    if (part.transaction_state() == TransactionState::idle) continue;
    auto replies = run_block(session, store, database_.part(store).rollback_text());
    if (!replies) return replies.error();
  }
  return {};
}

Result<std::vector<Reply>> StepMachine::run_block(SessionId session, std::size_t store,
                                                  const std::string& sql) {
  StoreSession& connection = *sessions_[session.index()];
  turn_to_store(connection, store);
  if (SeveralConnections* const several = connection.several()) {
    auto turn = turn_of_block(sql);
    if (!turn) return turn.error();
    several->turn_to_connection(*turn);
  }
  if (auto sent = connection.send(sql); !sent) return sent.error();
  const milliseconds limit(options_.step_timeout_ms);
  Clock::time_point deadline = Clock::now() + limit;
  std::optional<Diagnostic> ended;
  while (true) {
    auto busy = connection.busy();
    take_messages();
    if (!busy) return busy.error();
    if (!*busy) break;
    const bool late = Clock::now() > deadline;
    if (ended && late) return *ended;
    if (!ended && (late || interrupted())) {
      const std::string& name = scenario_.sessions[session.index()].name;
      ended.emplace();
      ended->trouble = interrupted() ? Trouble::interrupted : Trouble::bound;
      ended->what = interrupted() ? std::string("interrupted")
                                  : fmt::format("a block of session {} did not return within {} ms",
                                                name, limit.count());
      connection.cancel();
      deadline = Clock::now() + kPatienceAfterCancel;
    }
    poll_for(connection.socket(), kLongestPause, ended.has_value());
  }
  if (ended) return *ended;
  return connection.take_replies();
}

void StepMachine::abandon() {
  const Clock::time_point deadline = Clock::now() + kPatienceAfterCancel;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    if (active_[i] && active_[i]->under_way) sessions_[i]->cancel();
  }
  for (std::size_t i = 0; i < active_.size(); ++i) {
    while (active_[i] && Clock::now() < deadline) {
      auto busy = sessions_[i]->busy();
      if (!busy || !*busy) break;
      poll_for(sessions_[i]->socket(), kLongestPause, true);
    }
    active_[i].reset();
  }
  waiting_.clear();
}

}  // namespace heddle
