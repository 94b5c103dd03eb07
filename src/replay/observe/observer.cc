#include "replay/observe/observer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"
#include "replay/observe/statement_effects.h"
#include "replay/observe/store_statements.h"
#include "store/quote.h"

namespace heddle {

namespace {

// What PostgreSQL answers in a transaction that has failed, and does not run.
constexpr std::string_view kNotRun = "25P02";

bool was_run(const Reply& reply) { return !reply.error || reply.error->code != kNotRun; }

// How many rows the statement says that it has changed; none: it says nothing of that.
std::optional<std::size_t> changed_rows(const Statement& statement, const Reply& reply) {
  const bool changes =
      statement.kind == StatementKind::update || statement.kind == StatementKind::delete_;
  if (!changes || !reply.result) return std::nullopt;
  // "DELETE 0", "0 rows".
  const std::string& tag = reply.result->command_tag;
  const std::size_t begin = tag.find_first_of("0123456789");
  if (begin == std::string::npos) return std::nullopt;
  std::size_t count = 0;
  std::from_chars(tag.data() + begin, tag.data() + tag.size(), count);
  return count;
}

// An interrupt stays one.
Diagnostic observation_trouble(Diagnostic trouble) {
  if (trouble.trouble == Trouble::environment) {
    trouble.what = "cannot watch the rows of this scenario: " + trouble.what;
  }
  return trouble;
}

}  // namespace

Observer::Observer(const Scenario& scenario, StoreDatabase& database,
                   std::vector<CatalogueTable> catalogue)
    : scenario_(scenario),
      database_(database),
      catalogue_(std::move(catalogue)),
      connections_(database.connection_count()),
      parts_(database.part_count() * connections_),
      open_(scenario.sessions.size() * parts_),
      begun_(scenario.sessions.size(), 0) {}

std::size_t Observer::store_of(const StepRecord& record) const {
  return scenario_.steps[record.step.index()].sql.store;
}

Result<void> Observer::begin(const std::vector<std::unique_ptr<StoreSession>>& sessions) {
  for (const auto& session : sessions) backends_.push_back(session->backend_id());
  auto rows = read_rows(&StoreDatabase::watch_rows);
  if (!rows) return rows.error();
  committed_ = std::move(*rows);
  State state;
  for (const auto& [row, committed] : committed_) {
    state[row] = add_version(row, std::nullopt, committed);
  }
  states_.push_back(std::move(state));
  return note_uncommitted({});
}

RowId Observer::row_named(const std::string& table, const std::string& key) {
  const auto [entry, is_new] = rows_.emplace(RowName{table, key}, RowId(history_.rows.size()));
  if (is_new) {
    history_.rows.push_back({table, key});
    history_.versions_of.emplace_back();
  }
  return entry->second;
}

VersionId Observer::add_version(RowId row, std::optional<TransactionId> writer,
                                const std::optional<CommittedRow>& committed) {
  const VersionId version(history_.versions.size());
  std::optional<std::string> value;
  if (committed) value = committed->value;
  history_.versions.push_back({row, writer, std::move(value), true});
  texts_.push_back(committed ? committed->text : "");
  history_.versions_of[row.index()].push_back(version);
  return version;
}

OperationId Observer::add_operation(Operation operation) {
  const OperationId id(history_.operations.size());
  history_.transactions[operation.transaction.index()].operations.push_back(id);
  history_.operations.push_back(std::move(operation));
  return id;
}

Result<std::map<RowId, Observer::CommittedRow>> Observer::read_rows(Watch watch) {
  std::vector<const CatalogueTable*> read;
  for (const CatalogueTable& table : catalogue_) {
    if (!table.partitioned && !table.columns.empty()) read.push_back(&table);
  }
  auto watched = (database_.*watch)(read);
  if (!watched) return observation_trouble(watched.error());
  std::map<RowId, CommittedRow> rows;
  for (std::size_t i = 0; i < read.size(); ++i) {
    std::map<std::string, int> seen;
    for (const WatchedRow& row : (*watched)[i]) {
      std::vector<std::string> key;
      for (std::size_t k = 0; k < row.key.size(); ++k) {
        key.push_back(read[i]->key[k] + "=" + row.key[k].value_or("NULL"));
      }
      std::string name = key.empty() ? row.value : join(key, ",");
      // Equal rows of a table without a key are told apart by number.
      if (const int copy = ++seen[name]; copy > 1) name += fmt::format("#{}", copy);
      const RowId id = row_named(read[i]->name, name);
      rows[id] = {id, row.writer, row.text, row.value};
    }
  }
  return rows;
}

void Observer::before_launch(std::size_t record) {
  state_at_launch_[record] = states_.size() - 1;
  launched_.push_back(record);
}

Observer::OpenTransaction& Observer::transaction_of(SessionId session, std::size_t part) {
  std::optional<OpenTransaction>& open = open_[slot_of(session, part)];
  if (!open) {
    open.emplace();
    open->id = TransactionId(history_.transactions.size());
    HistoryTransaction transaction;
    transaction.session = session.value;
    const std::uint32_t number = ++begun_[session.index()];
    const std::string& name = scenario_.sessions[session.index()].name;
    transaction.name = number == 1 ? name : fmt::format("{}#{}", name, number);
    transaction.outcome = TransactionOutcome::unknown;
    for (std::size_t other = 0; other < parts_ && connections_ > 1; ++other) {
      const auto& beside = open_[slot_of(session, other)];
      if (other == part || !beside) continue;
      transaction.beside.push_back(beside->id);
      history_.transactions[beside->id.index()].beside.push_back(open->id);
    }
    history_.transactions.push_back(std::move(transaction));
    records_of_.emplace_back();
    part_of_transaction_.push_back(part);
    tables_written_.emplace_back();
    ended_in_.emplace_back();
  }
  return *open;
}

Result<void> Observer::after_launch(const Run& run,
                                    const std::vector<std::unique_ptr<StoreSession>>& sessions) {
  for (const std::size_t record : std::exchange(launched_, {})) place_record(run, record);
  auto xids = database_.writers(backends_);
  if (!xids) return observation_trouble(xids.error());
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (!open_[i] || !(*xids)[i]) continue;
    open_[i]->xid = (*xids)[i];
    transaction_of_xid_[*(*xids)[i]] = open_[i]->id;
  }
  std::vector<std::size_t> completed;
  for (std::size_t i = 0; i < run.records.size(); ++i) {
    if (run.records[i].completed != 0 && !processed_[i]) completed.push_back(i);
  }
  std::sort(completed.begin(), completed.end(), [&](std::size_t a, std::size_t b) {
    return run.records[a].completed < run.records[b].completed;
  });
  for (const std::size_t record : completed) {
    processed_[record] = true;
    const SessionId session = scenario_.steps[run.records[record].step.index()].session;
    place_record(run, record);
    for (const std::size_t part : parts_of(run.records[record])) {
      OpenTransaction& transaction = transaction_of(session, part);
      auto learnt = learn_level(session_of_part(*sessions[session.index()], part),
                                store_of_part(part), run.records[record], transaction);
      if (!learnt) return learnt.error();
      note_reads(run, record, part, transaction);
    }
  }
  if (auto taken = take_differences(end_transactions(run, sessions)); !taken) return taken;
  return note_uncommitted(doings(run, completed));
}

Result<void> Observer::note_uncommitted(std::vector<UncommittedRows::Doing> since) {
  if (!database_.shows_uncommitted()) return {};
  auto rows = read_rows(&StoreDatabase::watch_uncommitted_rows);
  if (!rows) return rows.error();
  std::map<RowId, UncommittedRows::Row> seen;
  for (auto& [row, now] : *rows) seen[row] = {std::move(now.text), std::move(now.value)};
  uncommitted_.add(std::move(seen), std::move(since));
  return {};
}

std::vector<std::size_t> Observer::end_transactions(
    const Run& run, const std::vector<std::unique_ptr<StoreSession>>& sessions) {
  std::vector<std::size_t> ended;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (!open_[i]) continue;
    const std::vector<std::size_t>& records = open_[i]->records;
    const bool at_rest =
        std::all_of(records.begin(), records.end(), [&](std::size_t r) { return processed_[r]; });
    const std::size_t part = i % parts_;
    const StoreSession& session = session_of_part(*sessions[i / parts_], part);
    if (!at_rest || session.transaction_state() != TransactionState::idle) continue;
    ended.push_back(i);
    const bool aborted = records.empty() || ends_in_abort(run.records[records.back()], part);
    history_.transactions[open_[i]->id.index()].outcome =
        aborted ? TransactionOutcome::aborted : TransactionOutcome::committed;
  }
  return ended;
}

// The question takes no snapshot, so that it may be asked in the session itself. A transaction that
// has ended with its first step had the level of its session, unless it has named another one.
Result<void> Observer::learn_level(StoreSession& session, std::size_t store,
                                   const StepRecord& executed, OpenTransaction& transaction) {
  if (transaction.level_known || session.transaction_state() == TransactionState::failed) return {};
  const auto names_a_level = [](const SentStatement& sent) {
    return sent.statement.kind == StatementKind::set_transaction;
  };
  if (session.transaction_state() == TransactionState::idle &&
      std::ranges::any_of(statements_of(executed), names_a_level)) {
    return {};
  }
  transaction.level_known = true;
  const StoreDatabase& database = database_.part(store);
  const std::string question = database.level_text();
  if (question.empty()) {
    transaction.rule = database.snapshot_rule("");
    return {};
  }
  if (auto sent = session.send(question); !sent) return sent.error();
  while (true) {
    auto busy = session.busy();
    if (!busy) return busy.error();
    if (!*busy) break;
  }
  const std::vector<Reply> replies = session.take_replies();
  if (replies.empty() || !replies[0].result || replies[0].result->rows.empty()) return {};
  transaction.rule = database.snapshot_rule(replies[0].result->rows[0][0].value_or(""));
  return {};
}

void Observer::note_reads(const Run& run, std::size_t record, std::size_t part,
                          OpenTransaction& transaction) {
  const StepRecord& executed = run.records[record];
  const std::size_t answered = executed.replies.size();
  const bool reads_wait = database_.part(store_of(executed)).snapshot_rule("").reads_wait;
  std::size_t number = 0;
  for (const auto& [statement, of_part] : statements_of(executed)) {
    if (number >= answered) break;  // an earlier statement failed
    const Reply& reply = executed.replies[number++];
    if (of_part != part || !was_run(reply)) continue;
    transaction.begun = transaction.begun || statement.kind == StatementKind::begin;
    if (transaction.rule.at_commit && effects_of(statement.kind).ends_transaction) {
      perform_kept(transaction, record, statement.kind == StatementKind::commit && !reply.error);
      transaction.begun = false;
    }
    if (takes_snapshot(statement) && !transaction.snapshot) {
      transaction.snapshot =
          executed.waited && reads_wait ? states_.size() : state_at_launch_.at(record);
    }
    const std::size_t known = pending_.size();
    note_writes(statement, reply, record, transaction);
    note_reads(statement, record, executed.waited, transaction);
    note_met(statement, reply, record, executed.waited, transaction);
    for (std::size_t i = known; i < pending_.size(); ++i) {
      // With copies, who changes something may have found what is gone elsewhere.
      if (!database_.part(pending_[i].table->store).has_copies()) continue;
      const std::optional<std::size_t> changed = changed_rows(statement, reply);
      pending_[i].misses = changed == std::size_t{0};
    }
  }
}

void Observer::perform_kept(const OpenTransaction& transaction, std::size_t record,
                            bool committed) {
  const auto is_kept = [&](const PendingRead& read) {
    return read.at_commit && read.transaction == transaction.id;
  };
  if (!committed) std::erase_if(pending_, is_kept);
  for (PendingRead& read : pending_) {
    if (!is_kept(read)) continue;
    read.state = state_at_launch_.at(record);
    read.record = record;
    read.at_commit = false;
  }
  for (auto& [table, writes] : tables_written_[transaction.id.index()]) {
    writes.last = record;
    writing_records_.insert(record);
  }
}

const CatalogueTable* Observer::find_table(const TableUse& use) const {
  const std::string name =
      use.schema.empty() || use.schema == "public" ? use.table : use.schema + "." + use.table;
  const auto found = std::find_if(catalogue_.begin(), catalogue_.end(),
                                  [&](const CatalogueTable& table) { return table.name == name; });
  return found == catalogue_.end() ? nullptr : &*found;
}

void Observer::note_writes(const Statement& statement, const Reply& reply, std::size_t record,
                           const OpenTransaction& transaction) {
  if (reply.error) return;
  for (const TableUse& use : statement.tables) {
    const CatalogueTable* const table = use.written ? find_table(use) : nullptr;
    if (table == nullptr) continue;
    writing_records_.insert(record);
    if (changed_rows(statement, reply) == std::size_t{0}) continue;
    TableWrites& writes = tables_written_[transaction.id.index()][table->name];
    writes.last = record;
    writes.kinds.insert(statement.kind);
  }
}

void Observer::note_reads(const Statement& statement, std::size_t record, bool waited,
                          OpenTransaction& transaction) {
  for (const TableUse& use : statement.tables) {
    const CatalogueTable* table = find_table(use);
    if (table == nullptr) continue;
    if (!use.read && !(use.written && !statement.predicate.empty())) continue;
    PendingRead read;
    read.transaction = transaction.id;
    read.record = record;
    const bool locks = use.written || use.locking != LockingClause::none;
    const bool by_snapshot =
        transaction.rule.keeps && !(locks && transaction.rule.locking_is_current);
    const bool reads_wait = database_.part(table->store).snapshot_rule("").reads_wait;
    const bool is_late = waited && (locks || reads_wait);
    read.state = by_snapshot ? transaction.snapshot.value_or(state_at_launch_.at(record))
                 : is_late   ? states_.size()
                             : state_at_launch_.at(record);
    read.after_wait = read.state == states_.size();
    if (read.after_wait && database_.part(table->store).snapshot_rule("").rechecks) {
      read.found_in = state_at_launch_.at(record);
    }
    read.table = table;
    read.alias = use.alias.empty() ? use.table : use.alias;
    if (statement.single_table_predicate) read.predicate = statement.predicate;
    read.at_commit = transaction.rule.at_commit && transaction.begun;
    read.uncommitted = transaction.rule.sees_uncommitted && !locks;
    read.updates = statement.kind == StatementKind::update && use.written &&
                   statement.single_table_predicate && !statement.limited;
    // Redis writes to a key without a look at what is there.
    read.reads = use.read || database_.part(table->store).dialect() != Dialect::redis;
    pending_.push_back(std::move(read));
  }
}

// The transaction of that number; else one of those that ended just now: that made such a
// difference to the table, else that wrote it, else any. `difference`: what makes it.
std::optional<TransactionId> Observer::writer_of(const std::string& xmin, const std::string& table,
                                                 StatementKind difference,
                                                 const std::vector<std::size_t>& ended) const {
  if (const auto known = transaction_of_xid_.find(xmin); known != transaction_of_xid_.end()) {
    return known->second;
  }
  const auto known_table =
      std::ranges::find(catalogue_, table, [](const CatalogueTable& row) { return row.name; });
  const auto likelihood = [&](TransactionId transaction) {
    const auto& written = tables_written_[transaction.index()];
    const auto writes = written.find(table);
    return writes == written.end() ? 0 : writes->second.kinds.contains(difference) ? 2 : 1;
  };
  std::optional<TransactionId> likeliest;
  for (const std::size_t slot : ended) {
    if (known_table != catalogue_.end() && known_table->store != store_of_part(slot % parts_)) {
      continue;
    }
    const TransactionId transaction = open_[slot]->id;
    if (history_.transactions[transaction.index()].outcome != TransactionOutcome::committed) {
      continue;
    }
    if (!likeliest || likelihood(transaction) >= likelihood(*likeliest)) likeliest = transaction;
  }
  return likeliest;
}

void Observer::add_write(TransactionId transaction, VersionId version) {
  Operation operation;
  operation.kind = OperationKind::write;
  operation.transaction = transaction;
  operation.version = version;
  // The last step that wrote this table; where none is known to (a trigger did), the last step.
  const std::vector<std::size_t>& records = records_of_[transaction.index()];
  const std::string& table = history_.rows[history_.versions[version.index()].row.index()].table;
  const auto known = tables_written_[transaction.index()].find(table);
  if (known != tables_written_[transaction.index()].end()) {
    operation.step = static_cast<std::uint32_t>(known->second.last);
  } else if (!records.empty()) {
    operation.step = static_cast<std::uint32_t>(records.back());
  }
  add_operation(std::move(operation));
}

Result<void> Observer::take_differences(const std::vector<std::size_t>& ended) {
  auto rows = read_rows(&StoreDatabase::watch_rows);
  if (!rows) return rows.error();
  State state = states_.back();
  for (const auto& [row, now] : *rows) {
    const auto before = committed_.find(row);
    if (before != committed_.end() && before->second.xmin == now.xmin &&
        before->second.text == now.text) {
      continue;
    }
    const StatementKind difference =
        before == committed_.end() ? StatementKind::insert : StatementKind::update;
    const auto writer = writer_of(now.xmin, history_.rows[row.index()].table, difference, ended);
    const VersionId version = add_version(row, writer, now);
    state[row] = version;
    if (writer) add_write(*writer, version);
  }
  for (const auto& [row, before] : committed_) {
    if (rows->contains(row)) continue;
    const auto writer =
        writer_of("", history_.rows[row.index()].table, StatementKind::delete_, ended);
    const VersionId version = add_version(row, writer, std::nullopt);
    state[row] = version;
    if (writer) add_write(*writer, version);
  }
  committed_ = std::move(*rows);
  states_.push_back(std::move(state));
  for (const std::size_t slot : ended) {
    ended_in_[open_[slot]->id.index()] = states_.size() - 1;
    open_[slot].reset();
  }
  return {};
}

// The store evaluates the predicate on the text of every version the row ever had.
Result<std::vector<VersionId>> Observer::matching_versions(const PendingRead& read) {
  std::vector<VersionId> candidates;
  std::vector<WatchedVersion> versions;
  for (std::size_t i = 0; i < history_.versions.size(); ++i) {
    const RowVersion& version = history_.versions[i];
    if (!version.value || history_.rows[version.row.index()].table != read.table->name) continue;
    candidates.emplace_back(i);
    versions.push_back({i, texts_[i]});
  }
  if (read.predicate.empty() || candidates.empty()) return candidates;
  auto numbers = database_.matching(*read.table, read.alias, read.predicate, versions);
  if (!numbers) return observation_trouble(numbers.error());
  std::vector<VersionId> matching;
  for (const std::size_t number : *numbers) matching.emplace_back(number);
  std::sort(matching.begin(), matching.end());
  return matching;
}

// After a wait the transaction itself may have ended together with the one it waited for; what it
// wrote is taken back then.
Observer::State Observer::state_seen_by(const PendingRead& read) const {
  if (read.uncommitted && read.state < uncommitted_states_.size()) {
    return uncommitted_states_[read.state];
  }
  State seen = states_[read.state];
  if (!read.after_wait) return seen;
  const auto is_own = [&](VersionId version) {
    return history_.versions[version.index()].writer == read.transaction;
  };
  std::erase_if(seen, [&](const auto& entry) { return is_own(entry.second); });
  for (const auto& [row, before] : states_[read.state - 1]) {
    const std::vector<VersionId>& versions = history_.versions_of[row.index()];
    const auto next = std::find(versions.begin(), versions.end(), before) + 1;
    if (next != versions.end() && is_own(*next)) seen.emplace(row, before);
  }
  return seen;
}

// PostgreSQL, 13.2.1: what waited at read committed goes on with the newest versions of the rows
// that it had found before, and with no others.
void Observer::forget_unfound(const PendingRead& read, const std::set<VersionId>& matches,
                              State& seen) const {
  const State& before = states_[*read.found_in];
  std::erase_if(seen, [&](const auto& entry) { return !before.contains(entry.first); });
  for (const auto& [row, version] : before) {
    if (!matches.contains(version)) seen[row] = version;
  }
}

bool Observer::exists(VersionId version) const {
  return history_.versions[version.index()].value.has_value();
}

Result<void> Observer::evaluate(const PendingRead& read) {
  auto matching = matching_versions(read);
  if (!matching) return matching.error();
  const std::set<VersionId> matches(matching->begin(), matching->end());
  if (!read.reads) {
    note_touched(read, matches);
    return {};
  }
  Operation predicate;
  predicate.kind = OperationKind::predicate_read;
  predicate.transaction = read.transaction;
  predicate.step = static_cast<std::uint32_t>(read.record);
  predicate.table = read.table->name;
  predicate.predicate = read.predicate;
  predicate.matching = *matching;
  State seen = state_seen_by(read);
  if (read.found_in) forget_unfound(read, matches, seen);
  const auto is_met = [&](const auto& entry) { return matches.contains(entry.second); };
  if (!read.otherwise.empty() && std::ranges::none_of(seen, is_met)) {
    PendingRead again = read;
    again.predicate = std::exchange(again.otherwise, "");
    return evaluate(again);
  }
  for (const auto& [row, version] : seen) {
    if (history_.rows[row.index()].table != read.table->name) continue;
    if (!exists(version) && !read.misses) continue;
    predicate.visible.push_back(version);
    if (!matches.contains(version)) continue;
    Operation item;
    item.kind = OperationKind::read;
    item.transaction = read.transaction;
    item.step = predicate.step;
    item.version = version;
    add_operation(std::move(item));
  }
  if (!read.by_rows) add_operation(std::move(predicate));
  return {};
}

Result<History> Observer::end(const Run& run) {
  if (auto added = add_equal_writes(); !added) return added.error();
  const bool is_any_uncommitted =
      std::ranges::any_of(pending_, [](const PendingRead& read) { return read.uncommitted; });
  if (is_any_uncommitted) {
    uncommitted_states_ = uncommitted_.find_versions(states_, history_, texts_);
  }
  for (const PendingRead& read : pending_) {
    if (auto evaluated = evaluate(read); !evaluated) return evaluated.error();
  }
  for (const SessionId session : run.aborted) {
    for (HistoryTransaction& transaction : history_.transactions) {
      if (transaction.session == session.value &&
          transaction.outcome != TransactionOutcome::committed) {
        transaction.outcome = TransactionOutcome::aborted;
      }
    }
  }
  for (HistoryTransaction& transaction : history_.transactions) {
    transaction.reads_count =
        transaction.outcome == TransactionOutcome::aborted &&
        std::ranges::find(run.aborted, SessionId(transaction.session)) == run.aborted.end();
  }
  attribute_writes();
  // Operations were added read by read; a transaction's own order is that of its steps, and a step
  // reads before it writes.
  const auto rank = [&](OperationId id) {
    const Operation& operation = history_.operations[id.index()];
    return std::make_tuple(operation.step, operation.kind == OperationKind::write, id);
  };
  for (HistoryTransaction& transaction : history_.transactions) {
    std::sort(transaction.operations.begin(), transaction.operations.end(),
              [&](OperationId a, OperationId b) { return rank(a) < rank(b); });
  }
  return std::move(history_);
}

}  // namespace heddle
