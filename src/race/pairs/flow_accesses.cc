#include "race/pairs/flow_accesses.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/parallel.h"
#include "base/text.h"

namespace heddle::race {
namespace {

TransactionName transaction_of(const TraceStatement& statement) {
  const bool is_outside =
      statement.transaction == 0 || (statement.state_before == 'I' && statement.state_after == 'I');
  if (is_outside) return {.connection = statement.connection, .number = statement.unit};
  return {.connection = statement.connection, .number = statement.transaction, .is_single = false};
}

bool is_snapshot_level(const std::string& level) {
  return is_one_of(level, {"repeatable-read", "repeatable read", "serializable"});
}

class AccessGatherer {
 public:
  AccessGatherer(const Trace& trace, const Flows& flows, const RaceSettings& settings,
                 std::size_t jobs)
      : trace_(trace), flows_(flows), settings_(settings), jobs_(jobs) {}

  FlowAccesses gather() {
    add_tables();
    parse_texts();
    add_transactions();
    add_accesses();
    return std::move(all_);
  }

 private:
  std::string store_of(const TraceStatement& statement) const {
    return store_name(trace_.head.edges[statement.edge].callee, settings_);
  }

  const StoreTables& tables_of(const std::string& store) const {
    static const StoreTables kNone;
    const auto found = all_.tables.find(store);
    return found == all_.tables.end() ? kNone : found->second;
  }

  void add_tables() {
    for (const TraceCatalogue& each : trace_.catalogues) {
      all_.tables.insert_or_assign(store_name(each.store, settings_), StoreTables(&each));
    }
  }

  void parse_texts() {
    std::vector<const std::string*> texts;
    for (const StatementPlace& place : flows_.statements) {
      const std::string& text = trace_.statements[place.statement].text;
      if (number_of_.try_emplace(text, texts.size()).second) texts.push_back(&text);
    }
    parsed_.resize(texts.size());
    run_parallel(texts.size(), jobs_, [&](std::size_t i) { parsed_[i] = parse_text(*texts[i]); });
  }

  const ParsedText& parsed_of(const TraceStatement& statement) const {
    return parsed_[number_of_.at(statement.text)];
  }

  void add_transactions() {
    for (const TraceStatement& each : trace_.statements) {
      TransactionEnd& end = all_.transactions[transaction_of(each)];
      end.ended = std::max(end.ended, each.answered.value_or(kEndOfTime));
      std::string level = each.level;
      const TraceCatalogue* const catalogue = tables_of(store_of(each)).catalogue();
      if (level.empty() && catalogue != nullptr) level = catalogue->level;
      end.has_snapshot = end.has_snapshot || is_snapshot_level(level);
    }
    for (const StatementPlace& place : flows_.statements) {
      const TraceStatement& statement = trace_.statements[place.statement];
      for (const Statement& each : parsed_of(statement).statements) {
        if (each.kind == StatementKind::rollback_to_savepoint) {
          all_.transactions[transaction_of(statement)].goes_back = true;
        }
      }
    }
  }

  void add_accesses() {
    struct Read {
      std::vector<Access> accesses;
      std::vector<LockStep> locks;
    };
    std::vector<Read> read(flows_.statements.size());
    run_parallel(read.size(), jobs_, [&](std::size_t i) {
      const TraceStatement& statement = trace_.statements[flows_.statements[i].statement];
      const ParsedText& parsed = parsed_of(statement);
      read[i].accesses = read_accesses(statement, parsed, tables_of(store_of(statement)));
      read[i].locks = read_lock_steps(statement, parsed, settings_.locks);
    });
    for (std::size_t i = 0; i < read.size(); ++i) {
      const StatementPlace& place = flows_.statements[i];
      const TraceStatement& statement = trace_.statements[place.statement];
      if (!parsed_of(statement).is_read) ++all_.unread;
      const bool is_own_lock = std::ranges::any_of(read[i].locks, &LockStep::is_own);
      for (Access& each : read[i].accesses) {
        if (!is_own_lock) add_access(place, statement, std::move(each));
      }
      for (LockStep& each : read[i].locks) add_lock(place, statement, std::move(each));
    }
  }

  void add_access(const StatementPlace& place, const TraceStatement& statement, Access access) {
    const RequestSpan& span = flows_.spans[place.span];
    all_.accesses.push_back({.access = std::move(access),
                             .place = place,
                             .span = place.span,
                             .flow = span.flow,
                             .store = store_of(statement),
                             .transaction = transaction_of(statement),
                             .begun = statement.arrived,
                             .ended = statement.answered.value_or(kEndOfTime),
                             .shape = span.children[place.child].shape});
  }

  void add_lock(const StatementPlace& place, const TraceStatement& statement, LockStep step) {
    all_.locks.push_back({.step = std::move(step),
                          .flow = flows_.spans[place.span].flow,
                          .store = store_of(statement),
                          .transaction = transaction_of(statement),
                          .ended = statement.answered.value_or(kEndOfTime)});
  }

  const Trace& trace_;
  const Flows& flows_;
  const RaceSettings& settings_;
  std::size_t jobs_;
  FlowAccesses all_;
  std::unordered_map<std::string, std::size_t> number_of_;  // of a text, in parsed_
  std::vector<ParsedText> parsed_;
};

}  // namespace

FlowAccesses read_flow_accesses(const Trace& trace, const Flows& flows,
                                const RaceSettings& settings, std::size_t jobs) {
  return AccessGatherer(trace, flows, settings, jobs).gather();
}

std::string store_name(const std::string& name, const RaceSettings& settings) {
  const auto found = settings.aliases.find(name);
  return found == settings.aliases.end() ? name : found->second;
}

}  // namespace heddle::race
