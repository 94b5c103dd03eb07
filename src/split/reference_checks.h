// Foreign keys between tables of two services, which no database checks: what a caller does that
// asks the other service.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "find/forms/statement_form.h"
#include "heddle/program.h"
#include "heddle/schema.h"
#include "split/fresh_names.h"
#include "split/services.h"

namespace heddle::chopping {

class ReferenceChecks {
 public:
  // Which keys between services count.
  enum class Keys : std::uint8_t {
    asked,  // to whose rows somebody may put an end: others refer to what stays
    all,
  };

  // The program outlives it.
  ReferenceChecks(const Program& program, const TableServices& services, Keys keys = Keys::asked);

  // What comes before a statement that makes rows or changes rows to refer to a row of another
  // service, or that deletes rows or gives them another key: where values and rows are not known
  // beforehand, the caller goes through them first. `names`: of the functionality that runs it.
  Block before(const RunStatement& run, FreshNames& names) const;
  // Whether a key is among those that count.
  bool has(const TornKey& torn) const;

 private:
  struct Key {
    const Table* table = nullptr;
    const ForeignKeyConstraint* constraint = nullptr;
    const Table* referenced = nullptr;
    std::vector<std::string> columns;
    std::vector<std::string> referenced_columns;  // in the same order
  };
  // Values in the statement's text, by column.
  using Values = std::vector<Expression>;

  // What somebody does, and where.
  struct Doing {
    const ProgramStatement& statement;
    const find::StatementForm& form;
    FreshNames& names;
    Block& actions;
  };

  void add_keys(const TableServices& services);
  bool is_ended_by(const Key& key, const Statement& statement) const;
  void add_referring(const Key& key, const Doing& doing) const;
  void add_referring_rows(const Key& key, const Doing& doing) const;
  void add_referring_row(const Key& key, std::size_t row, const Doing& doing) const;
  void add_refers(const Key& key, const Values& values, const ProgramStatement& statement,
                  Block& actions) const;
  void add_deleted(const Key& key, const Doing& doing) const;
  void add_referred(const Key& key, const Values& values, const ProgramStatement& statement,
                    Block& actions) const;
  void add_rows(const Key& key, const Doing& doing) const;
  void add_changed(const Key& key, const Doing& doing) const;
  void add_changed_row(const Key& key, const Values& was, const Values& becomes,
                       const ProgramStatement& statement, Block& actions) const;
  void add_end(const Key& key, const std::string& table, const std::string& where,
               const ProgramStatement& statement, Block& actions) const;
  // Variables for those columns of the table; none: it has not got one of them.
  std::optional<std::vector<Expression>> declare(const Table& table, const std::string& stem,
                                                 const std::vector<std::string>& columns,
                                                 FreshNames& names) const;
  // Goes through the rows of a query with a body. False: nobody knows them.
  bool add_loop(const std::optional<std::string>& query, const std::vector<Expression>& into,
                Block body, const Doing& doing) const;
  ProgramStatement make(const std::string& text, const ProgramStatement& of) const;

  const Program& program_;
  std::vector<Key> keys_;
};

}  // namespace heddle::chopping
