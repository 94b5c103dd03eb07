// When one operation depends on another, row by row: WR, WW and RW of the CLOTHO paper, as
// conditions that hold of a row where the dependency does.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "find/reference/relations.h"
#include "find/terms/row_effects.h"

namespace heddle::find {

// A dependency that two operations may have, by what they do to columns of one table.
struct Dependency {
  DependencyKind kind = DependencyKind::wr;
  std::size_t from = 0;  // operations
  std::size_t to = 0;
  std::size_t from_source = 0;
  std::size_t to_source = 0;
  std::set<std::string> columns = {};  // that both touch; empty: the row itself

  OperationPart from_part() const {
    return kind == DependencyKind::rw ? OperationPart::read : OperationPart::write;
  }
  OperationPart to_part() const {
    return kind == DependencyKind::wr ? OperationPart::read : OperationPart::write;
  }
};

class Dependencies {
 public:
  // All outlive it.
  Dependencies(Group& group, const std::vector<Operation>& operations, Relations& relations);

  // Between operations of different sessions.
  std::vector<Dependency> possible() const;
  const RowSource& table_of(const Dependency& of) const { return source(of.from, of.from_source); }
  // It holds of that row.
  Term holds(const Dependency& of, const RowKey& row);
  // rw: the row was not read, and would have been.
  Term is_predicate(const Dependency& of, const RowKey& row);
  // Whether a row is there for an operation: as the last that came or went among what it sees.
  Term existence(std::size_t operation, const RowSource& table, const RowKey& row);
  // Both write a row of the table.
  Term both_write(std::size_t a, std::size_t b, const RowSource& table, const RowKey& row);
  std::optional<RowKey> named_row(std::size_t operation) {
    return effects_.pinned_key(*operations_[operation].event);
  }

 private:
  // A wr or rw dependency by its sides. An INSERT that may change the row in its way does one of
  // two things: makes a row, or changes one.
  struct Sides {
    std::size_t reader = 0;
    std::size_t reader_source = 0;
    std::size_t writer = 0;
    std::size_t writer_source = 0;
    bool makes_row = false;
    std::set<std::string> columns = {};  // of the dependency, that are written
    Term when = {};
  };

  const Event& event(std::size_t operation) const { return *operations_[operation].event; }
  const RowSource& source(std::size_t operation, std::size_t at) const {
    return event(operation).form->sources[at];
  }
  void add_possible(std::size_t a, std::size_t b, std::vector<Dependency>& all) const;
  std::vector<Sides> sides_of(const Dependency& of, const RowKey& row);
  Sides only_sides_of(const Dependency& of) const;
  std::vector<std::string> touched(const Sides& sides) const;
  std::map<std::string, SqlValue> written(const Sides& sides, const std::set<std::string>& columns,
                                          const RowKey& row);
  Term writes(std::size_t operation, const std::string& table, const std::string& column,
              const RowKey& row);
  Term follows_all_seen(const Sides& sides, const std::string& column, const RowKey& row);
  Term matches(const Sides& sides, const RowKey& row);
  Term finds(const Sides& sides, const RowKey& row);
  bool chooses_by(const Sides& sides) const;
  Term finds_after(const Sides& sides, const RowKey& row);
  Term found_before(const Sides& sides, const RowKey& row);
  Term reads_from(const Sides& sides, const RowKey& row);
  Term reads_older(const Sides& sides, const RowKey& row);
  Term overwrites(const Dependency& of, const RowKey& row);
  Term has_result(const Sides& sides, const RowKey& row);
  bool changes_rows(std::size_t operation, const std::string& table,
                    bool (StatementForm::*how)(std::size_t) const) const;

  Terms& terms_;
  Evaluator& evaluator_;
  Rows& rows_;
  RowEffects effects_;
  const std::vector<Operation>& operations_;
  Relations& relations_;
};

// A visibility and an arbitration, and what depends on what by them.
struct Explanation {
  Explanation(Group& group, std::vector<Operation> of, const std::string& name)
      : operations(std::move(of)),
        relations(group.terms(), operations, name),
        dependencies(group, operations, relations) {}
  Explanation(const Explanation&) = delete;
  Explanation& operator=(const Explanation&) = delete;

  std::vector<Operation> operations;
  Relations relations;
  Dependencies dependencies;
};

// By the levels, and by what is guaranteed across transactions, if anything.
using Explanations = std::vector<std::unique_ptr<Explanation>>;

}  // namespace heddle::find
