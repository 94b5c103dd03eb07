// What a step sends: its own queries, one after the other, or what the functionality that its
// session calls asks for.
#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "heddle/scenario.h"
#include "heddle/statement.h"
#include "interpret/refusal.h"
#include "program/connections.h"
#include "replay/client_variables.h"
#include "replay/session_connections.h"
#include "replay/step_machine.h"
#include "store/trouble.h"

namespace heddle {

namespace {

// What functionalities say is PostgreSQL's SQL; the replicated store reads that itself.
Result<std::string> said_in(Dialect dialect, const std::string& text) {
  if (dialect != Dialect::mysql) return text;
  // The transaction under way has that level from its beginning, which MariaDB cannot say of one;
  // those that follow get it.
  constexpr std::string_view kOfTransaction = "SET TRANSACTION ISOLATION LEVEL ";
  if (text.starts_with(kOfTransaction)) {
    return "SET SESSION TRANSACTION ISOLATION LEVEL " + text.substr(kOfTransaction.size());
  }
  auto printed = print_statement(text, Dialect::postgres, dialect);
  if (printed) return std::move(printed->text);
  Diagnostic trouble = printed.error();
  trouble.what = "MariaDB cannot be asked \"" + text + "\": " + trouble.what;
  trouble.position = {};
  return trouble;
}

}  // namespace

// Sends the next query of the step, following \if; leaves under_way empty at the end of the step.
bool StepMachine::send_next(Active& step) {
  if (calls_[session_of(step).index()]) return send_called(step);
  const std::vector<Instruction>& instructions = step_of(step).instructions;
  step.under_way.reset();
  while (step.next_instruction < instructions.size()) {
    const std::size_t index = step.next_instruction++;
    const Instruction& instruction = instructions[index];
    if (instruction.kind != Instruction::Kind::query) {
      if (!follow_condition(step, instruction)) return false;
      continue;
    }
    if (!step.branches.is_running()) continue;
    step.under_way = index;
    return send(step, with_variables(instruction.text, variables_[session_of(step).index()],
                                     dialect_of(step)));
  }
  return true;
}

// Lets the session send the text to the store and service that it is for. False as in `launch`.
bool StepMachine::turn_session(const Active& step, const std::string& text) {
  StoreSession& session = *sessions_[session_of(step).index()];
  turn_to_store(session, step_of(step).sql.store);
  if (scenario_.services.empty()) {
    // Whoever calls no functionality has one connection.
    if (SeveralConnections* const several = session.several()) {
      several->turn_to_connection({.kind = ConnectionTurn::Kind::one});
    }
    return true;
  }
  const Result<ConnectionTurn> turn = service_turn(text, database_);
  if (turn) {
    if (SeveralConnections* const several = session.several()) several->turn_to_connection(*turn);
    note_service(*turn, run_.records[step.record]);
    return true;
  }
  Diagnostic trouble = turn.error();
  trouble.file = scenario_.file;
  trouble.position = step_of(step).sql.position;
  fail(RunEnd::setup_failed, to_string(trouble));
  return false;
}

void StepMachine::note_service(const ConnectionTurn& turn, StepRecord& record) const {
  const bool is_known = !record.service.empty() || turn.kind != ConnectionTurn::Kind::one;
  if (!is_known) record.service = scenario_.services[turn.connection].name;
}

// Of a call that has several connections: what is sent goes over the request's.
void StepMachine::turn_call(const Active& step, const CalledFunctionality::Request& request) {
  const bool is_one =
      !scenario_.services.empty() || database_.connection_count() == 1 ||
      !program::uses_several_connections(*called_functionality(scenario_, session_of(step)));
  if (is_one) return;
  SeveralConnections* const several = sessions_[session_of(step).index()]->several();
  if (several == nullptr) return;
  several->turn_to_connection(
      {.kind = ConnectionTurn::Kind::one, .connection = request.connection});
  StepRecord& record = run_.records[step.record];
  record.connections.push_back(request.connection);
  const bool is_own = request.place == CalledFunctionality::Place::own;
  if (is_own || record.service.empty()) {
    record.service = fmt::format("connection {}", request.connection + 1);
  }
}

// Setups and teardowns of sessions, and what heddle itself sends a session.
Result<ConnectionTurn> StepMachine::turn_of_block(const std::string& sql) const {
  using Kind = ConnectionTurn::Kind;
  if (!scenario_.services.empty()) {
    auto turn = service_turn(sql, database_);
    if (turn && turn->kind != Kind::one) turn->kind = Kind::all;
    return turn;
  }
  const auto statements = parse_statements(sql, database_.dialect());
  const bool is_of_all =
      sql == database_.cleaning_text() ||
      (statements && std::ranges::all_of(*statements, [](const Statement& statement) {
         return statement.kind == StatementKind::set || statement.kind == StatementKind::rollback;
       }));
  return ConnectionTurn{.kind = is_of_all ? Kind::all : Kind::one};
}

// False as in `launch`.
bool StepMachine::send(Active& step, std::string text) {
  if (!turn_session(step, text)) return false;
  StoreSession& session = *sessions_[session_of(step).index()];
  auto sent = session.send(text);
  run_.records[step.record].sent.push_back(std::move(text));
  if (sent) return true;
  fail(step, sent.error());
  return false;
}

void StepMachine::begin_call(SessionId session) {
  const Functionality* functionality = called_functionality(scenario_, session);
  if (functionality == nullptr) return;
  const Session& described = scenario_.sessions[session.index()];
  const std::size_t store = scenario_.steps[described.steps.front().index()].sql.store;
  const bool is_said = database_.part(store).dialect() == Dialect::mysql;
  calls_[session.index()] = std::make_unique<CalledFunctionality>(
      scenario_.program->program, *functionality, described.call->arguments,
      is_said ? Literals::bare : Literals::typed, scenario_.refusals);
  call_ended_[session.index()] = false;
  answered_[session.index()].clear();
  sessions_[session.index()]->forget_called();
}

// Goes on with the functionality up to the end of this step's part: one statement, with what goes
// before and behind it; in the last step of the session all that is left.
bool StepMachine::send_called(Active& step) {
  using Place = CalledFunctionality::Place;
  CalledFunctionality& call = *calls_[session_of(step).index()];
  StepRecord& record = run_.records[step.record];
  step.under_way.reset();
  const CalledFunctionality::Request* request = call.next();
  note_left_out(session_of(step));
  if (request == nullptr) return end_call(step);
  const bool is_last = scenario_.sessions[session_of(step).index()].steps.back() == record.step;
  if (step.has_statement && !is_last && request->place != Place::last) return true;
  step.has_statement = step.has_statement || request->place == Place::own;
  record.statements.push_back(request->statement);
  if (request->is_redis) return send_command(step, request->text);
  auto said = said_in(dialect_of(step), request->text);
  if (!said) {
    fail(RunEnd::setup_failed, to_string(said.error()));
    return false;
  }
  if (!turn_session(step, *said)) return false;
  turn_call(step, *request);
  step.under_way = 0;
  StoreSession& session = *sessions_[session_of(step).index()];
  auto sent =
      session.send_called({.text = *said,
                           .statement = request->pattern.empty() ? request->text : request->pattern,
                           .values = request->values,
                           .is_question = request->is_question});
  record.sent.push_back(*std::move(said));
  return sent ? true : fail_called(step, sent.error());
}

// To the store that is Redis. False as in `launch`.
bool StepMachine::send_command(Active& step, const std::string& text) {
  const auto redis = std::ranges::find(scenario_.stores, "redis", &StoreDeclaration::kind);
  if (redis == scenario_.stores.end()) {
    fail(RunEnd::setup_failed, "the functionality uses Redis, and the file declares no such store");
    return false;
  }
  StoreSession& session = *sessions_[session_of(step).index()];
  turn_to_store(session, static_cast<std::size_t>(redis - scenario_.stores.begin()));
  step.under_way = 0;
  auto sent = session.send(text);
  StepRecord& record = run_.records[step.record];
  record.sent.push_back(text);
  if (record.service.empty()) record.service = redis->name;
  return sent ? true : fail_called(step, sent.error());
}

void StepMachine::note_left_out(SessionId session) {
  for (const std::size_t request : calls_[session.index()]->take_left_out()) {
    const Answered& answered = answered_[session.index()].at(request);
    for (std::size_t i = answered.first; i < answered.end; ++i) {
      run_.records[answered.record].left_out.insert(i);
    }
  }
}

// What the program itself does is not what was read of it, or it cannot be run. Always false.
bool StepMachine::fail_called(const Active& step, const Diagnostic& trouble) {
  if (trouble.trouble == Trouble::environment || trouble.trouble == Trouble::interrupted) {
    fail(step, trouble);
  } else {
    fail(RunEnd::setup_failed, to_string(trouble));
  }
  return false;
}

// False as in `launch`.
bool StepMachine::end_call(const Active& step) {
  const std::size_t session = session_of(step).index();
  if (call_ended_[session]) return true;
  call_ended_[session] = true;
  const Result<Reply>& end = calls_[session]->end();
  if (end) {
    if (auto ended = sessions_[session]->end_called(*end); !ended) {
      return fail_called(step, ended.error());
    }
    run_.records[step.record].call_end = *end;
    return true;
  }
  const bool is_bound = end.error().trouble == Trouble::bound;
  fail(is_bound ? RunEnd::timed_out : RunEnd::setup_failed, to_string(end.error()));
  return false;
}

// Takes what was answered to the query under way; goes_on: there may be another one. False as in
// `launch`.
bool StepMachine::take_answer(Active& step) {
  std::vector<Reply>& replies = run_.records[step.record].replies;
  const std::size_t before = replies.size();
  if (!append_replies(step)) return false;
  if (CalledFunctionality* call = calls_[session_of(step).index()].get()) {
    answered_[session_of(step).index()].push_back({step.record, before, replies.size()});
    call->take_answer({replies.begin() + static_cast<std::ptrdiff_t>(before), replies.end()});
    step.under_way.reset();
    return true;
  }
  const Instruction& instruction = step_of(step).instructions[*step.under_way];
  if (instruction.gset) take_variables(step, instruction);
  step.under_way.reset();
  // After an error the rest of the step does not run.
  step.goes_on = replies.empty() || !replies.back().error;
  return true;
}

// False as in `launch`.
bool StepMachine::follow_condition(Active& step, const Instruction& instruction) {
  bool condition = false;
  if (step.branches.asks(instruction.kind)) {
    auto holds = evaluate_condition(instruction.text, variables_[session_of(step).index()]);
    if (!holds) {
      Diagnostic diagnostic = holds.error();
      diagnostic.file = scenario_.file;
      diagnostic.position = instruction.position;
      fail(RunEnd::setup_failed, to_string(diagnostic));
      return false;
    }
    condition = *holds;
  }
  step.branches.pass(instruction.kind, condition);
  return true;
}

void StepMachine::take_variables(Active& step, const Instruction& instruction) {
  std::vector<Reply>& replies = run_.records[step.record].replies;
  if (replies.empty() || !replies.back().result) return;
  std::optional<StepError> error = store_variables(
      *replies.back().result, instruction, dialect_of(step), variables_[session_of(step).index()]);
  if (!error) return;
  Reply reply;
  reply.error = std::move(error);
  replies.push_back(std::move(reply));
}

// What a statement raises may say that nothing happened, as the store's own errors do.
void StepMachine::mark_refusal(StepError& error) const {
  const bool is_refusal = interpreter::is_refusal(
      {.sqlstate = error.code, .exception = {}, .message = error.message}, scenario_.refusals);
  if (is_refusal && error.error_class == ErrorClass::other) {
    error.error_class = ErrorClass::refused;
  }
}

// The error is that heddle has cancelled the statement, in the place of a lock timeout.
void StepMachine::mark_endless_wait(const Active& step, StepError& error) const {
  error.error_class = ErrorClass::lock_timeout;
  error.code = dialect_of(step) == Dialect::mysql ? "1205" : "55P03";
  error.message = step.endless_wait;
  error.text.clear();
}

// False as in `launch`.
bool StepMachine::append_replies(Active& step) {
  StepRecord& record = run_.records[step.record];
  for (Reply& reply : sessions_[session_of(step).index()]->take_replies()) {
    if (options_.end_run_at_store_trouble && reply.error && is_store_trouble(*reply.error)) {
      fail(RunEnd::connection_lost,
           to_string(trouble_with("step " + step_of(step).name, *reply.error)));
      return false;
    }
    if (reply.error && calls_[session_of(step).index()] == nullptr) mark_refusal(*reply.error);
    if (reply.error && !step.endless_wait.empty()) mark_endless_wait(step, *reply.error);
    record.replies.push_back(std::move(reply));
  }
  return true;
}

}  // namespace heddle
