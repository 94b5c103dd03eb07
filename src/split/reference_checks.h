// Foreign keys between tables of two services, which no database checks: what a caller does that
// asks the other service.
#pragma once

#include <cstdint>
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
  // service, or that deletes rows: where it does not name one by its key, the caller goes through
  // them first. `names`: of the functionality that runs it.
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

  void add_keys(const TableServices& services);
  void add_refers(const Key& key, const Values& values, const ProgramStatement& statement,
                  Block& actions) const;
  void add_referred(const Key& key, const Values& values, const ProgramStatement& statement,
                    Block& actions) const;
  void add_rows(const Key& key, const find::StatementForm& form, const ProgramStatement& statement,
                FreshNames& names, Block& actions) const;
  ProgramStatement make(const std::string& text, const ProgramStatement& of) const;

  const Program& program_;
  std::vector<Key> keys_;
};

}  // namespace heddle::chopping
