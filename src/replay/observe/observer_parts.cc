// Which transaction of its session what a step sent belongs to: a session has one in each store, or
// on each of its connections to the only one.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "replay/observe/observer.h"
#include "replay/observe/statement_effects.h"
#include "replay/observe/store_statements.h"

namespace heddle {

std::size_t Observer::part_of_sent(const StepRecord& record, std::size_t sent) const {
  if (connections_ == 1) return store_of(record);
  return sent < record.connections.size() ? record.connections[sent] : 0;
}

std::set<std::size_t> Observer::parts_of(const StepRecord& record) const {
  std::set<std::size_t> parts;
  for (std::size_t i = 0; i < record.sent.size(); ++i) parts.insert(part_of_sent(record, i));
  if (parts.empty()) parts.insert(part_of_sent(record, 0));
  return parts;
}

std::vector<Observer::SentStatement> Observer::statements_of(const StepRecord& record) {
  const std::size_t store = store_of(record);
  std::vector<SentStatement> all;
  for (std::size_t i = 0; i < record.sent.size(); ++i) {
    auto statements =
        statements_for(record.sent[i], store, scenario_, database_.part(store).dialect());
    if (!statements) continue;
    for (Statement& statement : *statements) {
      all.push_back({std::move(statement), part_of_sent(record, i)});
    }
  }
  return all;
}

// Whether a transaction whose last step this was has undone its writes.
bool Observer::ends_in_abort(const StepRecord& last, std::size_t part) {
  if (last.replies.empty()) return false;
  const std::vector<SentStatement> statements = statements_of(last);
  std::size_t number = last.replies.size() - 1;
  if (connections_ > 1) {
    const auto is_here = [&](std::size_t i) {
      return i < statements.size() && statements[i].part == part;
    };
    while (number > 0 && !is_here(number)) --number;
  }
  const Reply& reply = last.replies[number];
  if (reply.error || reply.result->command_tag == "ROLLBACK") return true;
  const auto ended =
      std::ranges::find(statements.rbegin(), statements.rend(), part, &SentStatement::part);
  return ended != statements.rend() && ended->statement.kind == StatementKind::rollback;
}

StoreSession& Observer::session_of_part(StoreSession& session, std::size_t part) const {
  SeveralConnections* const several = connections_ > 1 ? session.several() : nullptr;
  return several == nullptr ? heddle::part_of(session, store_of_part(part))
                            : several->connection(part);
}

void Observer::place_record(const Run& run, std::size_t record) {
  const StepRecord& placed = run.records[record];
  const SessionId session = scenario_.steps[placed.step.index()].session;
  for (const std::size_t part : parts_of(placed)) {
    OpenTransaction& transaction = transaction_of(session, part);
    const std::vector<std::size_t>& known = transaction.records;
    if (std::ranges::find(known, record) != known.end()) continue;
    transaction.records.push_back(record);
    records_of_[transaction.id.index()].push_back(record);
  }
}

// In the order in which they came to their end; those that wait may have written some rows.
std::vector<UncommittedRows::Doing> Observer::doings(const Run& run,
                                                     const std::vector<std::size_t>& completed) {
  std::vector<UncommittedRows::Doing> all;
  if (!database_.shows_uncommitted()) return all;
  std::vector<std::size_t> records = completed;
  for (std::size_t i = 0; i < run.records.size(); ++i) {
    if (run.records[i].completed == 0) records.push_back(i);
  }
  for (const std::size_t record : records) {
    const std::vector<SentStatement> statements = statements_of(run.records[record]);
    for (std::size_t i = 0; i < records_of_.size(); ++i) {
      if (std::ranges::find(records_of_[i], record) == records_of_[i].end()) continue;
      all.push_back(doing_of(TransactionId(i), record, statements));
    }
  }
  return all;
}

UncommittedRows::Doing Observer::doing_of(TransactionId transaction, std::size_t record,
                                          const std::vector<SentStatement>& statements) const {
  UncommittedRows::Doing doing{.transaction = transaction, .record = record, .tables = {}};
  for (const auto& [statement, part] : statements) {
    if (part != part_of_transaction_[transaction.index()]) continue;
    doing.may_write = doing.may_write || statement.kind == StatementKind::rollback_to_savepoint ||
                      (statement.kind != StatementKind::select && takes_snapshot(statement));
    for (const TableUse& use : statement.tables) {
      const CatalogueTable* const table = use.written ? find_table(use) : nullptr;
      if (table != nullptr) doing.tables.insert(table->name);
    }
  }
  return doing;
}

}  // namespace heddle
