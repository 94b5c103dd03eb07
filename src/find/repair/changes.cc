#include "find/repair/changes.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "find/repair/boundary_changes.h"
#include "find/repair/self_update.h"
#include "find/repair/statement_edit.h"
#include "program/redis_commands.h"
#include "program/visit.h"
#include "vocabulary/product_levels.h"

namespace heddle::find {

namespace {

// Of those that are told by visibility and arbitration, what stores offer.
constexpr std::array kAbstractLevels = {IsolationLevel::eventual, IsolationLevel::causal_visibility,
                                        IsolationLevel::causal,   IsolationLevel::read_committed,
                                        IsolationLevel::snapshot, IsolationLevel::serializable};

// The levels of the same family, a weaker one before those that are stronger.
std::span<const IsolationLevel> family_of(IsolationLevel level) {
  for (const Dialect dialect : {Dialect::postgres, Dialect::mysql}) {
    const std::span<const IsolationLevel> family = product_levels(dialect);
    if (std::ranges::find(family, level) != family.end()) return family;
  }
  return kAbstractLevels;
}

bool is_product(IsolationLevel level) {
  return family_of(level).data() != std::span<const IsolationLevel>(kAbstractLevels).data();
}

// Among the levels of its family.
std::size_t rank_of(IsolationLevel level) {
  const std::span<const IsolationLevel> family = family_of(level);
  return static_cast<std::size_t>(std::ranges::find(family, level) - family.begin());
}

// As products order theirs, and others by what they imply.
bool is_stronger(IsolationLevel level, IsolationLevel than) {
  if (!is_product(than)) return level != than && implies(level, than);
  return rank_of(level) > rank_of(than);
}

// Whether a locking clause can be put behind it.
bool is_lockable(const ProgramStatement& statement, Dialect dialect) {
  const Statement& read = statement.statement;
  if (read.kind != StatementKind::select || statement.made_text || read.tables.empty()) {
    return false;
  }
  // PostgreSQL locks no rows that are not the table's own.
  if (read.aggregate && dialect == Dialect::postgres) return false;
  return takes_locking_clause(read);
}

// Whether the functionality writes a table that the statement reads. A lock that others may hold,
// too, makes two such transactions wait for each other.
bool writes_what_is_read(const std::vector<ListedStatement>& listed, const Statement& read) {
  return std::ranges::any_of(listed, [&](const ListedStatement& other) {
    return std::ranges::any_of(other.statement->statement.tables, [&](const TableUse& written) {
      return written.written &&
             std::ranges::find(read.tables, written.table, &TableUse::table) != read.tables.end();
    });
  });
}

std::string_view clause_of(LockingClause locking, Dialect dialect) {
  if (locking == LockingClause::update) return "FOR UPDATE";
  return dialect == Dialect::mysql ? "LOCK IN SHARE MODE" : "FOR SHARE";
}

void lock(ProgramStatement& statement, LockingClause locking, const Schema& schema) {
  const std::string text =
      fmt::format("{} {}", statement.statement.text, clause_of(locking, schema.dialect));
  change_text(statement, text, schema);
}

class ChangeList {
 public:
  ChangeList(const Program& program, const std::vector<FunctionalityLevel>& levels)
      : program_(program), levels_(levels) {}

  std::vector<ProgramChange> run() {
    for (std::size_t i = 0; i < program_.functionalities.size(); ++i) {
      if (is_product(levels_[i].level)) add_locks(i);
      add_self_updates(i);
      for (ProgramChange& change : possible_boundary_changes(program_.functionalities[i], i)) {
        changes_.push_back(std::move(change));
      }
      add_levels(i);
    }
    return std::move(changes_);
  }

 private:
  void add_locks(std::size_t functionality) {
    const Functionality& of = program_.functionalities[functionality];
    const std::vector<ListedStatement> listed = list_statements(of);
    const Dialect dialect = program_.schema.dialect;
    for (std::size_t i = 0; i < listed.size(); ++i) {
      const ProgramStatement& statement = *listed[i].statement;
      if (!statement.store.empty() || !is_lockable(statement, dialect)) continue;
      for (const LockingClause locking : {LockingClause::share, LockingClause::update}) {
        const bool is_shared = locking == LockingClause::share;
        if (is_shared && writes_what_is_read(listed, statement.statement)) continue;
        changes_.push_back(
            {.kind = RepairKind::lock_read,
             .functionality = functionality,
             .statement = i,
             .locking = locking,
             .sentence = fmt::format("append {} to the SELECT at {} ({})",
                                     clause_of(locking, dialect), place_of(statement), of.name),
             .source = statement.source,
             .text = locked_text(statement, locking)});
      }
    }
  }

  void add_self_updates(std::size_t functionality) {
    const Functionality& of = program_.functionalities[functionality];
    const std::vector<ListedStatement> listed = list_statements(of);
    for (const std::size_t i : possible_self_updates(of, program_.schema)) {
      const ProgramStatement& statement = *listed[i].statement;
      const std::string text = self_updated_text(of, i, program_.schema);
      changes_.push_back({.kind = RepairKind::self_update,
                          .functionality = functionality,
                          .statement = i,
                          .sentence = fmt::format("compute in the UPDATE at {} ({}) what it "
                                                  "writes: {}",
                                                  place_of(statement), of.name, text),
                          .source = statement.source,
                          .text = text});
    }
  }

  void add_levels(std::size_t functionality) {
    const IsolationLevel now = levels_[functionality].level;
    for (const IsolationLevel level : family_of(now)) {
      if (!is_stronger(level, now)) continue;
      changes_.push_back(
          {.kind = RepairKind::raise_isolation,
           .functionality = functionality,
           .level = level,
           .sentence = fmt::format("run {} at {}", program_.functionalities[functionality].name,
                                   definition(level).name)});
    }
  }

  std::string locked_text(ProgramStatement statement, LockingClause locking) const {
    lock(statement, locking, program_.schema);
    return program::shown_statement(statement);
  }

  const Program& program_;
  const std::vector<FunctionalityLevel>& levels_;
  std::vector<ProgramChange> changes_;
};

}  // namespace

std::vector<ProgramChange> possible_changes(const Program& program,
                                            const std::vector<FunctionalityLevel>& levels) {
  return ChangeList(program, levels).run();
}

std::size_t cost_of(const ProgramChange& change) {
  switch (change.kind) {
    case RepairKind::self_update:
      return 10;
    case RepairKind::lock_read:
      return change.locking == LockingClause::update ? 12 : 11;
    // A transaction of many statements is in others' way for longer.
    case RepairKind::one_transaction:
      return change.commit ? 13 : 16;
    case RepairKind::move_statement:
      return 14;
    case RepairKind::lock_again:
      return 15;
    default:
      break;
  }
  // What ends transactions, so that somebody has to run them again, costs more than what lets them
  // wait; the more, the stronger.
  return 20 + 5 * rank_of(change.level);
}

std::vector<ProgramStatement*> statements_in(Functionality& functionality) {
  std::vector<ProgramStatement*> statements;
  for (const StatementPlace& place : statement_places(functionality)) {
    statements.push_back(program::statement_of((*place.block)[place.index]));
  }
  return statements;
}

std::vector<std::size_t> apply_changes(Functionality& functionality,
                                       const std::vector<ProgramChange>& changes,
                                       const Schema& schema) {
  std::map<std::size_t, LockingClause> locks;
  for (const ProgramChange& change : changes) {
    if (change.kind == RepairKind::self_update) {
      make_self_update(functionality, *change.statement, schema);
    } else if (change.kind == RepairKind::lock_read) {
      LockingClause& strongest = locks[*change.statement];
      strongest = std::max(strongest, change.locking);
    }
  }
  const std::vector<ProgramStatement*> statements = statements_in(functionality);
  for (const auto& [statement, locking] : locks) lock(*statements[statement], locking, schema);
  return apply_boundary_changes(functionality, changes);
}

IsolationLevel changed_level(IsolationLevel level, const std::vector<ProgramChange>& changes) {
  for (const ProgramChange& change : changes) {
    if (change.kind == RepairKind::raise_isolation && rank_of(change.level) > rank_of(level)) {
      level = change.level;
    }
  }
  return level;
}

}  // namespace heddle::find
