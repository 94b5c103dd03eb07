#include "find/realize/realization_text.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "find/realize/insertion_order.h"
#include "find/realize/placement.h"
#include "find/realize/ring_placement.h"
#include "find/search/closed_world.h"
#include "find/terms/order.h"
#include "frontend/spec/text/asked_relations.h"
#include "heddle/scenario.h"
#include "program/redis_commands.h"
#include "program/text.h"

namespace heddle::find {

namespace {

using program::name_text;

std::string quoted(const Cell& cell) {
  if (!cell) return "NULL";
  std::string text = "'";
  for (const char c : *cell) text += c == '\'' ? "''" : std::string(1, c);
  return text + "'";
}

std::string in_double_quotes(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

std::string mysql_name(const std::string& name) {
  std::string text = "`";
  for (const char c : name) text += c == '`' ? "``" : std::string(1, c);
  return text + "`";
}

// A block ends at the first brace, also within a string: there it is written by its number.
std::string without_braces(const std::string& sql) {
  std::string text;
  for (std::size_t i = 0; i < sql.size();) {
    if (sql[i] != '\'') {
      text += sql[i++];
      continue;
    }
    std::size_t end = i + 1;
    while (end < sql.size() && sql[end] != '\'') ++end;
    const std::string string = sql.substr(i, end + 1 - i);
    if (string.find('}') == std::string::npos) {
      text += string;
    } else {
      text += "U&";
      for (const char c : string) {
        text += c == '}' ? "\\007D" : c == '\\' ? "\\\\" : std::string(1, c);
      }
    }
    i = end + 1;
  }
  return text;
}

class ScenarioWriter {
 public:
  ScenarioWriter(const Program& program, const Realization& run, RunStore store,
                 const Surroundings& surroundings)
      : program_(program),
        run_(run),
        store_(store),
        invariants_(surroundings.invariants),
        refusals_(surroundings.refusals),
        services_(surroundings.services) {
    for (std::size_t i = 0; i < run.members.size(); ++i) names_.push_back(session_name(i));
  }

  Result<std::string> write(const std::vector<FunctionalityLevel>& levels) {
    const IsolationLevel level = levels[run_.members[0]].level;
    const bool is_mixed = std::ranges::any_of(
        run_.members, [&](std::size_t member) { return levels[member].level != level; });
    const Result<Placement> placement = place(levels);
    if (!placement) return placement.error();
    const Schema needed = needed_tables();
    const SchemaPrinting tables = print_schema(needed, dialect());
    if (is_mysql() && !tables.notes.empty()) return tables.notes.front();
    if (uses_redis() && has_copies()) {
      return Diagnostic{.what =
                            "commands of Redis are executed beside PostgreSQL and MariaDB alone"};
    }
    std::string text = declaration() + services(needed);
    text += block("setup", tables.text);
    const Result<std::string> rows = insertions();
    if (!rows) return rows.error();
    if (!rows->empty()) text += "\n" + block("setup", *rows);
    const Result<std::string> keys = key_commands();
    if (!keys) return keys.error();
    if (!keys->empty()) text += "\n" + block("setup on cache", *keys);
    if (!is_mixed) text += fmt::format("\nisolation {}\n", definition(level).name);
    text += "\nprogram {\n" + print_program(needed_functionalities()) + "}\n\n";
    for (const std::size_t i : session_order()) {
      const Functionality& called = program_.functionalities[run_.members[i]];
      text += fmt::format(
          "session {}{}{} call {{ {} }}{} steps {}\n", names_[i], is_early(i) ? " first" : "",
          is_mixed ? fmt::format(" isolation {}\n ", definition(levels[run_.members[i]].level).name)
                   : "",
          print_call(called, run_.arguments[i]),
          called.method.empty() ? "" : fmt::format("\n method {{ {} }}\n", called.method),
          std::ranges::count(run_.steps, i, &RunStep::transaction));
    }
    text += network(*placement);
    for (const Invariant& invariant : invariants_) {
      text += fmt::format("\ninvariant {} {{ {} }}\n", in_double_quotes(invariant.name),
                          invariant.sql.text);
    }
    for (const std::string& refusal : refusals_) {
      text += fmt::format("\nrefusal {}\n", in_double_quotes(refusal));
    }
    text += "\npermutation";
    std::vector<std::size_t> done(names_.size());
    std::size_t commands = 0;
    for (std::size_t i = 0; i < run_.steps.size(); ++i) {
      if (!placement->before[i].empty()) text += fmt::format(" n{}", ++commands);
      const std::size_t session = run_.steps[i].transaction;
      text += fmt::format(" {}_{}", names_[session], ++done[session]);
    }
    return text + "\n";
  }

 private:
  bool is_early(std::size_t session) const {
    return std::ranges::find(run_.early, session) != run_.early.end();
  }

  // Those that run before all others come first.
  std::vector<std::size_t> session_order() const {
    std::vector<std::size_t> order = run_.early;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!is_early(i)) order.push_back(i);
    }
    return order;
  }

  bool is_mysql() const { return store_ == RunStore::mariadb || store_ == RunStore::ring; }
  bool has_copies() const { return store_ == RunStore::replicated || store_ == RunStore::ring; }
  Dialect dialect() const { return is_mysql() ? Dialect::mysql : Dialect::postgres; }

  bool uses_redis() const {
    return std::ranges::any_of(run_.members, [&](std::size_t member) {
      return program::uses_redis(program_.functionalities[member]);
    });
  }

  // The keys of Redis that are there at first.
  Result<std::string> key_commands() const {
    std::string text;
    for (const FilledRow& row : run_.rows) {
      if (!program::is_redis_table(*row.table)) continue;
      const auto cell = [&](const char* column) {
        const auto known = row.cells.find(column);
        return known == row.cells.end() || !known->second ? std::string() : *known->second;
      };
      const std::string command =
          program::redis_set_text(cell("key"), cell("value"), cell("expires") == "true");
      // A block ends at the first brace.
      if (command.find('}') != std::string::npos) {
        return Diagnostic{.what = "a key of Redis has a brace in it"};
      }
      text += command + "\n";
    }
    return text;
  }

  // PostgreSQL is what is meant where nothing is said.
  std::string declaration() const {
    if (uses_redis()) return stores_with_redis(store_) + "\n";
    switch (store_) {
      case RunStore::postgres:
        return "";
      case RunStore::mariadb:
        return "store db mariadb\n\n";
      case RunStore::replicated:
        return "store copies replicated\n\n";
      case RunStore::ring:
        return "store servers \"mariadb:ring\"\n\n";
    }
    return "";
  }

  // Those that have some of the tables.
  std::string services(const Schema& needed) const {
    Scenario declared;
    for (const ServiceDeclaration& service : services_) {
      ServiceDeclaration own = service;
      std::erase_if(own.tables, [&](const std::string& name) {
        return std::ranges::find(needed.tables, name, &Table::name) == needed.tables.end();
      });
      if (!own.tables.empty()) declared.services.push_back(std::move(own));
    }
    return declared.services.empty() ? "" : to_spec(declared) + "\n";
  }

  // Without copies everything is at one place.
  Result<Placement> place(const std::vector<FunctionalityLevel>& levels) const {
    if (!has_copies()) return Placement{.before = std::vector<std::string>(run_.steps.size())};
    std::vector<PlacedTransaction> transactions;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const IsolationLevel level = levels[run_.members[i]].level;
      transactions.push_back({.session = names_[i],
                              .at_commit = is_seen_whole(level),
                              .keeps_view = sees_one_state(level)});
    }
    if (store_ == RunStore::replicated) return place_statements(run_.steps, transactions);
    auto placement = place_on_ring(run_.steps, transactions);
    if (placement) return std::move(*placement);
    return Diagnostic{.what =
                          "two servers that replicate each other do not show each transaction "
                          "what it would have to see"};
  }

  // The session that says what is delivered, if anything has to be said.
  std::string network(const Placement& placement) const {
    std::string steps;
    std::size_t number = 0;
    for (const std::string& commands : placement.before) {
      if (!commands.empty()) steps += fmt::format("step n{} {{ {} }}\n", ++number, commands);
    }
    if (steps.empty()) return "";
    std::string name = "network";
    while (std::ranges::find(names_, name) != names_.end()) name += "_";
    return fmt::format("\nsession {}\nsetup {{ DELIVERY MANUAL; MOVE TO r{}; }}\n{}", name,
                       placement.replicas, steps);
  }

  static std::string block(const std::string& word, const std::string& sql) {
    return word + " {\n" + without_braces(sql) + (sql.ends_with('\n') ? "" : "\n") + "}\n";
  }

  // "payment", or where it runs several times "payment_a", "payment_b". Names of a spec file are
  // plain words here.
  std::string session_name(std::size_t session) const {
    const std::size_t member = run_.members[session];
    std::string name;
    for (const char c : program_.functionalities[member].name) {
      const bool is_plain = (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '_';
      name += is_plain ? c : '_';
    }
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name = "f" + name;
    std::size_t same = 0;
    std::size_t before = 0;
    for (std::size_t i = 0; i < run_.members.size(); ++i) {
      if (run_.members[i] != member) continue;
      ++same;
      if (i < session) ++before;
    }
    if (same > 1) name += fmt::format("_{}", static_cast<char>('a' + before));
    static const std::set<std::string> kWords = {"setup",       "teardown", "session", "step",
                                                 "permutation", "notices",  "store",   "isolation",
                                                 "invariant",   "program",  "refusal", "service"};
    if (kWords.contains(name)) name += "_";
    return name;
  }

  // MySQL's statements have been put into PostgreSQL's words, with names in lower case.
  std::string table_name(const std::string& written) const {
    return program_.schema.dialect == Dialect::mysql ? to_lower(written) : written;
  }

  Schema renamed(Schema schema) const {
    for (Table& table : schema.tables) {
      table.name = table_name(table.name);
      for (ForeignKeyConstraint& foreign : table.foreign_keys) {
        foreign.referenced_table = table_name(foreign.referenced_table);
      }
    }
    return schema;
  }

  Schema needed_tables() const {
    Schema schema = renamed(program_.schema);
    schema.views.clear();  // statements name the tables behind them
    std::erase_if(schema.tables, program::is_redis_table);
    if (!invariants_.empty()) return schema;
    std::set<std::string> names;
    for (const std::size_t member : run_.members) {
      for (const ListedStatement& listed : list_statements(program_.functionalities[member])) {
        for (const TableUse& use : listed.statement->statement.tables) {
          names.insert(table_name(use.table));
        }
      }
    }
    for (const FilledRow& row : run_.rows) names.insert(table_name(table_name(row.table->name)));
    for (bool grows = true; grows;) {
      const std::size_t before = names.size();
      for (const Table& table : schema.tables) {
        if (!names.contains(table.name)) continue;
        for (const ForeignKeyConstraint& foreign : table.foreign_keys) {
          names.insert(foreign.referenced_table);
        }
      }
      grows = names.size() > before;
    }
    std::erase_if(schema.tables, [&](const Table& table) { return !names.contains(table.name); });
    return schema;
  }

  Program needed_functionalities() const {
    Program program;
    const std::set<std::size_t> members(run_.members.begin(), run_.members.end());
    for (const std::size_t member : members) {
      program.functionalities.push_back(program_.functionalities[member]);
    }
    for (const std::size_t asked : asked_functionalities()) {
      if (members.contains(asked)) continue;
      Functionality& empty = program.functionalities.emplace_back();
      empty.name = program_.functionalities[asked].name;
      empty.parameters = program_.functionalities[asked].parameters;
    }
    return program;
  }

  // Those about whose calls an invariant asks; of one that is not called only its parameters are
  // of interest.
  std::set<std::size_t> asked_functionalities() const {
    std::vector<std::string> names;
    for (const Functionality& known : program_.functionalities) names.push_back(known.name);
    std::set<std::size_t> asked;
    for (const Invariant& invariant : invariants_) {
      for (const AskedRelation& relation : asked_relations(invariant.sql.text, dialect())) {
        if (relation.kind != AskedRelation::Kind::calls) continue;
        const std::vector<std::size_t> meant = meant_by(relation.name, names);
        if (meant.size() == 1) asked.insert(meant.front());
      }
    }
    return asked;
  }

  Result<std::string> insertions() const {
    std::string text;
    for (const std::vector<std::size_t>& group : insertion_order(program_.schema, run_.rows)) {
      std::vector<std::string> statements;
      for (const std::size_t row : group) {
        if (program::is_redis_table(*run_.rows[row].table)) continue;
        const Result<std::string> statement = insertion(run_.rows[row]);
        if (!statement) return statement.error();
        statements.push_back(*statement);
      }
      if (statements.empty()) continue;
      text += statements.size() == 1 ? statements[0] + ";\n" : at_once(statements);
    }
    std::set<std::pair<std::string, std::string>> generated;
    // Of tables without rows, too: they may get some.
    for (const Table& table : needed_tables().tables) {
      for (const TableColumn& column : table.columns) {
        if (column.generation != Generation::identity) continue;
        generated.emplace(table_name(table.name), column.name);
      }
    }
    const std::int64_t first = first_generated(run_.rows);
    for (const auto& [table, column] : generated) {
      text += is_mysql()
                  ? fmt::format("ALTER TABLE {} AUTO_INCREMENT = {};\n", name(table), first)
                  : fmt::format("SELECT setval(pg_get_serial_sequence({}, {}), {}, false);\n",
                                quoted(name_text(table)), quoted(column), first);
    }
    return text;
  }

  Result<std::string> insertion(const FilledRow& row) const {
    std::vector<std::string> columns;
    std::vector<std::string> values;
    bool is_always = false;
    // In the order of the table.
    for (const TableColumn& column : row.table->columns) {
      const auto cell = row.cells.find(column.name);
      if (cell == row.cells.end()) continue;
      is_always = is_always || (column.always_generated && store_ == RunStore::postgres);
      columns.push_back(name(column.name));
      const Result<std::string> value = value_text(column, cell->second);
      if (!value) return value.error();
      values.push_back(*value);
    }
    const std::string table = name(table_name(row.table->name));
    if (columns.empty()) {
      return fmt::format("INSERT INTO {} {}", table, is_mysql() ? "VALUES ()" : "DEFAULT VALUES");
    }
    return fmt::format("INSERT INTO {} ({}) {}VALUES ({})", table, join(columns, ", "),
                       is_always ? "OVERRIDING SYSTEM VALUE " : "", join(values, ", "));
  }

  // Rows that refer to each other in a circle. PostgreSQL checks foreign keys when the whole
  // statement is done, MariaDB row by row, and the replicated store never.
  std::string at_once(const std::vector<std::string>& statements) const {
    if (store_ != RunStore::postgres) {
      std::string each = join(statements, ";\n") + ";\n";
      if (!is_mysql()) return each;
      return "SET foreign_key_checks = 0;\n" + each + "SET foreign_key_checks = 1;\n";
    }
    std::vector<std::string> others;
    for (std::size_t i = 0; i + 1 < statements.size(); ++i) {
      others.push_back(fmt::format("row_{} AS ({})", i + 1, statements[i]));
    }
    return fmt::format("WITH {}\n{};\n", join(others, ",\n  "), statements.back());
  }

  std::string name(const std::string& written) const {
    return is_mysql() ? mysql_name(written) : name_text(written);
  }

  Result<std::string> value_text(const TableColumn& column, const Cell& cell) const {
    if (column.type.type == ValueType::boolean && cell) return *cell;
    if (!is_mysql() || !cell) return quoted(cell);
    if (cell->find_first_of("\\}") != std::string::npos) {
      return Diagnostic{.what = fmt::format("the value {} of {} is written otherwise in MariaDB",
                                            quoted(cell), column.name)};
    }
    return quoted(cell);
  }

  const Program& program_;
  const Realization& run_;
  const RunStore store_;
  const std::vector<Invariant>& invariants_;
  const std::vector<std::string>& refusals_;
  const std::vector<ServiceDeclaration>& services_;
  std::vector<std::string> names_;
};

}  // namespace

std::string stores_with_redis(RunStore database) {
  return fmt::format("store db {}\nstore cache redis\n",
                     database == RunStore::mariadb ? "mariadb" : "postgres");
}

Result<std::string> realization_text(const Program& program, const Realization& run,
                                     const std::vector<FunctionalityLevel>& levels, RunStore store,
                                     const Surroundings& surroundings) {
  return ScenarioWriter(program, run, store, surroundings).write(levels);
}

}  // namespace heddle::find
