// Foreign keys between tables of two services, which no database checks: what a caller does that
// asks the other service.
#pragma once

#include <string>
#include <vector>

#include "heddle/program.h"
#include "heddle/schema.h"
#include "split/services.h"

namespace heddle::chopping {

class ReferenceChecks {
 public:
  // Both outlive it. Keys count to whose rows somebody may put an end: others refer to what stays.
  ReferenceChecks(const Program& program, const TableServices& services);

  // What comes before a statement that makes one row or changes rows to refer to a row of another
  // service, or that deletes a row which it names by its key: each read or write is one statement.
  Block before(const RunStatement& run) const;
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
  ProgramStatement make(const std::string& text, const ProgramStatement& of) const;

  const Program& program_;
  std::vector<Key> keys_;
};

}  // namespace heddle::chopping
