#include "store/replicated/engine.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"
#include "store/replicated/dialect.h"

namespace heddle::replicated {

namespace {

// Statements about rows: those that count when DELIVER names one by its number. A SELECT without
// FROM, as for the next number of a sequence, is about none.
bool is_on_rows(const std::vector<Token>& statement, const std::string& kind) {
  if (kind == "SELECT") {
    return std::ranges::any_of(statement,
                               [](const Token& token) { return is_word(token, "from"); });
  }
  return kind == "INSERT" || kind == "UPDATE" || kind == "DELETE";
}

bool is_definition(const std::string& kind) {
  return kind == "CREATE" || kind == "DROP" || kind == "ALTER";
}

// What has no meaning for a store in memory, or is settled by the level.
bool is_setting(const std::string& kind) {
  constexpr std::string_view kSettings[] = {"SET", "RESET", "SHOW", "DISCARD", "ANALYZE"};
  return std::ranges::find(kSettings, kind) != std::end(kSettings);
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::create(std::size_t replicas) {
  std::unique_ptr<Engine> engine(new Engine());
  engine->first_replicas_ = replicas;
  if (auto made = engine->wipe(); !made) return made.error();
  return engine;
}

Reply Engine::refuse(const Refusal& refusal) {
  Reply reply;
  reply.error.emplace();
  reply.error->error_class = refusal.error_class;
  reply.error->code = refusal.code;
  reply.error->severity = "ERROR";
  reply.error->message = refusal.message;
  reply.error->text = fmt::format("ERROR {}: {}\n", refusal.code, refusal.message);
  return reply;
}

Reply Engine::refuse(const Diagnostic& diagnostic, const std::string& code) {
  return refuse(Refusal{code, to_string(diagnostic)});
}

Reply Engine::done(const std::string& tag) {
  Reply reply;
  reply.result.emplace();
  reply.result->command_tag = tag;
  return reply;
}

SessionNumber Engine::open_session(const std::string& name, IsolationLevel level) {
  HEDDLE_ASSERT(find_rule(level) != nullptr);
  EngineSession session;
  session.name = name;
  session.level = level;
  sessions_[++last_session_] = std::move(session);
  return last_session_;
}

void Engine::close_session(SessionNumber number) {
  const auto found = sessions_.find(number);
  if (found == sessions_.end()) return;
  if (found->second.transaction) roll_back(found->second, 0);
  sessions_.erase(found);
}

TransactionState Engine::transaction_state(SessionNumber number) const {
  const auto& transaction = sessions_.at(number).transaction;
  return transaction ? TransactionState::open : TransactionState::idle;
}

std::size_t Engine::replica_of(SessionNumber number) const {
  return sessions_.at(number).replica + 1;
}

std::vector<std::string> Engine::delivered(std::size_t replica) const {
  const std::set<GroupId>& has = replicas_.at(replica - 1).has;
  return names_of({has.begin(), has.end()});
}

std::vector<std::string> Engine::last_seen(SessionNumber number) const {
  return names_of(sessions_.at(number).last_seen);
}

// In the order of arbitration.
std::vector<std::string> Engine::names_of(std::vector<GroupId> groups) const {
  std::ranges::sort(groups, {}, [&](GroupId id) { return cells_.group(id).stamp; });
  std::vector<std::string> names;
  for (const GroupId id : groups) names.push_back(cells_.group(id).name);
  return names;
}

// The latest of that name, for sessions may be opened anew.
EngineSession* Engine::find_session(const std::string& name) {
  EngineSession* found = nullptr;
  for (auto& [number, session] : sessions_) {
    const bool is_exact = session.name == name;
    const bool is_better = found == nullptr || is_exact || found->name != name;
    if (equal_ignoring_case(session.name, name) && is_better) found = &session;
  }
  return found;
}

std::vector<Reply> Engine::run(SessionNumber number, const std::string& text) {
  std::vector<Reply> replies;
  EngineSession& session = sessions_.at(number);
  for (const std::vector<Token>& statement : split_tokens(text)) {
    replies.push_back(run_statement(session, statement));
    if (replies.back().error) break;
  }
  return replies;
}

Reply Engine::describe(SessionNumber number, const std::string& text) {
  const std::vector<Tokens> statements = split_tokens(text);
  if (statements.size() != 1) return done("");
  const std::string kind = kind_of(statements.front());
  if (kind != "SELECT" && !is_on_rows(statements.front(), kind)) return done("");
  const Replica& replica = replicas_[sessions_.at(number).replica];
  return replica.evaluator->describe(to_sqlite(statements.front()).front(), shows_types_);
}

Reply Engine::run_statement(EngineSession& session, const std::vector<Token>& statement) {
  auto command = read_command(statement);
  if (!command) return refuse(command.error(), "42601");
  if (*command) return obey(session, **command);
  const std::string kind = kind_of(statement);
  if (is_on_rows(statement, kind)) return run_on_rows(session, statement, kind);
  return run_other(session, statement, kind);
}

Reply Engine::run_other(EngineSession& session, const std::vector<Token>& statement,
                        const std::string& kind) {
  const std::string second = statement.size() > 1 ? statement[1].word : "";
  if (second == "transaction" && kind == "SHOW") {
    Reply reply = done("SHOW");
    const IsolationLevel level =
        session.transaction ? session.transaction->rule->level : session.level;
    reply.result->has_rows = true;
    reply.result->columns.push_back({.name = "transaction_isolation", .table = "", .source = ""});
    reply.result->rows.push_back({std::string(definition(level).name)});
    return reply;
  }
  if (second == "seen" && kind == "SHOW") {
    Reply reply = done("SHOW");
    reply.result->has_rows = true;
    reply.result->columns.push_back({.name = "statement", .table = "", .source = ""});
    for (std::string& name : names_of(session.last_seen)) {
      reply.result->rows.push_back({std::move(name)});
    }
    return reply;
  }
  if (second == "transaction" && kind == "SET") return set_level(session, statement);
  if (is_setting(kind)) return done(kind);
  if (is_definition(kind) || kind == "PRAGMA") return define(statement, kind);
  Reply reply = control_transaction(session, statement, kind);
  const bool is_known = reply.result || reply.error;
  return is_known ? reply : execute(session, statement, kind);
}

std::string Engine::next_name(const EngineSession& session) {
  return fmt::format("{}.{}", session.name, session.statements.size() + 1);
}

// A statement that is refused counts, too, so that numbers follow from the text.
Reply Engine::run_on_rows(EngineSession& session, const std::vector<Token>& statement,
                          const std::string& kind) {
  const std::size_t before = session.statements.size();
  Reply reply = execute(session, statement, kind);
  if (session.statements.size() == before) {
    EffectGroup nothing;
    nothing.name = next_name(session);
    nothing.stamp = ++clock_;
    session.statements.push_back(cells_.add(std::move(nothing)));
  }
  return reply;
}

Reply Engine::execute(EngineSession& session, const std::vector<Token>& statement,
                      const std::string& kind) {
  if (auto refusal = why_not_at(session, session.replica)) {
    if (session.transaction) roll_back(session, 0);
    session.transaction.reset();
    return refuse(*refusal);
  }
  EngineTransaction& transaction = transaction_of(session, false);
  const bool is_alone = !transaction.is_explicit;
  if (auto refusal = why_not_behind(session)) {
    roll_back(session, 0);
    session.transaction.reset();
    return refuse(*refusal);
  }
  Replica& replica = replicas_[session.replica];
  const std::set<GroupId> seen = visible_to(session, transaction);
  if (auto brought = bring(replica, seen); !brought) return refuse(brought.error(), "XX000");
  environment_.now = transaction.begun;
  const std::vector<std::string> texts = to_sqlite(statement);
  Execution execution = replica.evaluator->execute(texts.front(), kind, shows_types_);
  session.last_seen.assign(seen.begin(), seen.end());
  if (execution.reply.error) {
    if (is_alone) session.transaction.reset();
    return std::move(execution.reply);
  }
  if (is_on_rows(statement, kind)) record(session, execution, seen);
  if (!is_alone) return std::move(execution.reply);
  if (auto refusal = commit(session)) return refuse(*refusal);
  return std::move(execution.reply);
}

void Engine::record(EngineSession& session, Execution& execution, const std::set<GroupId>& seen) {
  EngineTransaction& transaction = *session.transaction;
  const LevelRule& rule = *transaction.rule;
  EffectGroup group;
  group.name = next_name(session);
  group.transaction = transaction.number;
  group.rule = &rule;
  group.phase = rule.at_commit ? Phase::held : Phase::open;
  group.stamp = ++clock_ + (rule.at_commit ? kHeld : 0);
  group.origin = session.replica;
  group.writes = std::move(execution.writes);
  group.saw = seen;
  const bool is_empty = group.writes.empty();
  const Stamp stamp = group.stamp;
  const GroupId id = cells_.add(std::move(group));
  session.statements.push_back(id);
  transaction.own.push_back(id);
  transaction.tables_read.merge(execution.tables_read);
  if (rule.keeps_view && !transaction.view) transaction.view = seen;
  session.seen.insert(seen.begin(), seen.end());
  if (is_empty) return;
  session.seen.insert(id);
  Replica& replica = replicas_[session.replica];
  replica.loaded[id] = stamp;
  if (rule.at_commit) return;
  replica.has.insert(id);
  travelling_.insert(id);
  deliver_what_waits();
}

std::vector<Reply> Engine::run_everywhere(const std::string& text) {
  std::vector<Reply> replies;
  for (const std::vector<Token>& statement : split_tokens(text)) {
    replies.push_back(run_everywhere(statement));
    if (replies.back().error) break;
  }
  return replies;
}

Reply Engine::read_table(const std::string& table, const std::string& text) {
  if (auto brought = bring(converged_, all_committed()); !brought) {
    return refuse(brought.error(), "XX000");
  }
  std::map<std::string, Reply>& kept = kept_[to_lower(table)];
  const auto known = kept.find(text);
  if (known != kept.end()) return known->second;
  ++tables_read_;
  std::vector<Reply> replies = run_everywhere(text);
  if (replies.empty() || replies.front().error) return replies.empty() ? Reply{} : replies.front();
  return kept_[to_lower(table)][text] = std::move(replies.front());
}

Reply Engine::run_everywhere(const std::vector<Token>& statement) {
  const std::string kind = kind_of(statement);
  auto command = read_command(statement);
  if (!command) return refuse(command.error(), "42601");
  if (*command) {
    return refuse(Refusal{"0A000",
                          "what is said about replicas holds for one run: put it into the "
                          "setup or a step of a session"});
  }
  const bool is_transaction =
      kind == "BEGIN" || kind == "START" || kind == "COMMIT" || kind == "END";
  if (is_setting(kind) || is_transaction) return done(kind);
  if (is_definition(kind)) return define(statement, kind);
  const std::set<GroupId> seen = all_committed();
  if (auto brought = bring(converged_, seen); !brought) return refuse(brought.error(), "XX000");
  environment_.now = clock_;
  Execution execution =
      converged_.evaluator->execute(to_sqlite(statement).front(), kind, shows_types_);
  if (execution.reply.error || execution.writes.empty()) return std::move(execution.reply);
  kept_.clear();
  EffectGroup group;
  group.name = "setup";
  group.stamp = ++clock_;
  group.everywhere = true;
  group.writes = std::move(execution.writes);
  const GroupId id = cells_.add(std::move(group));
  converged_.loaded[id] = clock_;
  return std::move(execution.reply);
}

}  // namespace heddle::replicated
