#include "race/accesses/called_functions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "frontend/sql/words/functions.h"

namespace heddle::race {
namespace {

using Functions = std::vector<const TraceFunction*>;

Functions functions_named(const std::string& name, const StoreTables& tables) {
  Functions found;
  if (!tables.has_catalogue()) return found;
  for (const TraceFunction& each : tables.catalogue()->functions) {
    if (each.name == name || bare_table(each.name) == name) found.push_back(&each);
  }
  return found;
}

// A function may call another one, and so on: what is deeper is unknown.
bool calls_others(const ParsedText& body) {
  return std::ranges::any_of(body.statements, &Statement::calls_unknown_function);
}

}  // namespace

Access any_table_access(const TraceStatement& unit, std::size_t place, StatementKind kind) {
  return {.unit = unit.unit,
          .place = place,
          .table = std::string(kAnyTable),
          .kind = kind,
          .columns_read = {"*"},
          .columns_written = {"*"},
          .reads = true,
          .updates = true,
          .deletes = true,
          .inserts = true,
          .there = {KnownRow{}},
          .new_rows = {KnownRow{}},
          .is_coarse = true};
}

std::vector<Access> accesses_of_functions(const TraceStatement& unit, std::size_t place,
                                          const Statement& statement, const StoreTables& tables) {
  Access anything = any_table_access(unit, place, statement.kind);
  std::vector<Access> all;
  bool only_reads = true;
  bool is_anything = false;
  bool has_found = false;
  for (const std::string& name : statement.functions) {
    if (sql::find_function(name, Dialect::postgres).known) continue;
    const Functions functions = functions_named(name, tables);
    if (functions.empty()) return {std::move(anything)};
    has_found = true;
    for (const TraceFunction* each : functions) {
      if (each->volatility == 'i') continue;
      const ParsedText body = parse_text(each->body);
      if (each->body.empty() || !body.is_read || calls_others(body)) {
        is_anything = true;
        only_reads = only_reads && each->volatility == 's';
        continue;
      }
      TraceStatement inside{.unit = unit.unit};
      inside.kind = "query";
      inside.text = each->body;
      inside.text_size = each->body.size();
      for (Access& access : read_accesses(inside, body, tables)) {
        access.place = place;
        all.push_back(std::move(access));
      }
    }
  }
  if (!has_found) return {std::move(anything)};
  if (!is_anything) return all;
  if (only_reads) {
    anything.updates = anything.deletes = anything.inserts = false;
    anything.new_rows.clear();
    anything.columns_written.clear();
  }
  all.push_back(std::move(anything));
  return all;
}

}  // namespace heddle::race
