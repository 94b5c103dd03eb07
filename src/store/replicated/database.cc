#include "store/replicated/database.h"

#include <algorithm>
#include <utility>

#include "store/control.h"
#include "store/replicated/command.h"
#include "store/replicated/level_rules.h"
#include "store/replicated/session.h"
#include "store/trouble.h"

namespace heddle {

ReplicatedDatabase::ReplicatedDatabase(std::shared_ptr<replicated::Engine> engine)
    : engine_(std::move(engine)) {}

Result<std::unique_ptr<ReplicatedDatabase>> ReplicatedDatabase::create(std::size_t replicas) {
  auto engine = replicated::Engine::create(replicas);
  if (!engine) return engine.error();
  return std::unique_ptr<ReplicatedDatabase>(new ReplicatedDatabase(std::move(*engine)));
}

Result<std::vector<std::unique_ptr<StoreSession>>> ReplicatedDatabase::open_sessions(
    const std::vector<SessionOptions>& options) {
  std::vector<std::unique_ptr<StoreSession>> sessions;
  for (const SessionOptions& one : options) {
    auto session = ReplicatedSession::start(engine_, session_name(one.application_name),
                                            one.level.value_or(IsolationLevel::eventual));
    if (!session) return session.error();
    sessions.push_back(std::move(*session));
  }
  return sessions;
}

// A statement is cancelled by SQLite's own clock.
Result<std::vector<Reply>> ReplicatedDatabase::execute(const std::string& text,
                                                       std::uint32_t /*timeout_ms*/) {
  return engine_->run_everywhere(text);
}

// Runs look at all tables after each step, of which most change nothing.
Result<std::vector<Reply>> ReplicatedDatabase::read_each(
    const std::vector<const CatalogueTable*>& tables, const std::vector<std::string>& texts,
    std::uint32_t /*timeout_ms*/) {
  std::vector<Reply> replies;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    replies.push_back(engine_->read_table(tables[i]->name, texts[i]));
    if (replies.back().error) break;
  }
  return replies;
}

bool ReplicatedDatabase::is_about_copies(const std::string& text) const {
  return std::ranges::all_of(replicated::split_tokens(text), [](const auto& statement) {
    const auto command = replicated::read_command(statement);
    return command && command->has_value();
  });
}

Result<std::vector<CatalogueTable>> ReplicatedDatabase::read_catalogue() {
  auto results = query(sqlite_catalogue_text());
  if (!results) return results.error();
  return to_sqlite_catalogue(*results).tables;
}

Result<void> ReplicatedDatabase::learn_types() {
  engine_->show_types();
  return {};
}

std::string ReplicatedDatabase::watching_text(const CatalogueTable& table) const {
  return sqlite_watching_text(table);
}

std::string ReplicatedDatabase::matching_text(const CatalogueTable& table, const std::string& alias,
                                              const std::string& predicate,
                                              const std::vector<WatchedVersion>& versions) const {
  return sqlite_matching_text(table, alias, predicate, versions);
}

SnapshotRule ReplicatedDatabase::snapshot_rule(std::string_view level) const {
  const auto known = find_isolation_level(level);
  const replicated::LevelRule* const rule = known ? replicated::find_rule(*known) : nullptr;
  return {.keeps = rule != nullptr && rule->keeps_view};
}

Diagnostic ReplicatedDatabase::own_query_trouble(const StepError& error) const {
  return store_trouble("the replicated store refused a statement of heddle's own: " +
                       in_one_line(error.message));
}

}  // namespace heddle
