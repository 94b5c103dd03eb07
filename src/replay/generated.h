// Which columns hold values that a sequence, the clock or chance made. Such values differ from run
// to run without meaning, so the oracle compares them up to a renaming; keys that the program
// computed are never renamed.
//
//   GeneratedColumns generated = find_generated_columns(catalogue, scenario, statements);
//   mark_generated(initial_tables, generated);       // then fixed_values(initial_tables)
//   mark_generated(run, generated, statements);
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heddle/outcome.h"
#include "heddle/scenario.h"
#include "heddle/statement.h"
#include "store/store.h"

namespace heddle {

// Columns that can hold equal generated values, because one is fed by the other, references it, or
// both are fed by the same sequence, share a domain (Column::domain).
struct GeneratedColumns {
  // Columns by table, in the order of the catalogue.
  std::map<std::string, std::vector<std::string>> columns_of;
  // By source of generated values, which is a column ("orders.id"), a variable set by \gset
  // (":0 id", with its session) or a generator ("clock"): the name of its domain.
  std::map<std::string, std::string> domains;
  std::vector<SessionId> session_of_step;
};

// The domain of a column's values; none: not generated. `table` as in Column::table.
std::optional<std::string> domain_of(const GeneratedColumns& generated, const std::string& table,
                                     const std::string& column);

// A column is generated when its default calls a sequence, the clock, random or uuid (or it is an
// identity column), unless every INSERT of the scenario gives its value; when a statement writes
// such a call into it, or a generated column, or a variable that \gset filled from one; when it
// references a generated column; when it is computed from one. Never when it is boolean: the truth
// of a comparison is an observation.
//
// `statements` are those of each step, in order. Variables in them are seen if they were put there
// by template_of (replay/client_variables.h) for these dialects, one per store.
GeneratedColumns find_generated_columns(const std::vector<CatalogueTable>& catalogue,
                                        const Scenario& scenario,
                                        const std::vector<std::vector<Statement>>& statements,
                                        const std::vector<Dialect>& dialects = {Dialect::postgres});

// Sets Column::generated and Column::domain in all tables, and in all results of steps.
void mark_generated(Run& run, const GeneratedColumns& generated,
                    const std::vector<std::vector<Statement>>& statements);
void mark_generated(std::vector<TableState>& tables, const GeneratedColumns& generated);

// Sets ResultSet::ordered in all results of steps: the statement has ORDER BY, and reads no
// generated values that its rows could be ordered by.
void mark_ordered(Run& run, const GeneratedColumns& generated,
                  const std::vector<std::vector<Statement>>& statements);

}  // namespace heddle
