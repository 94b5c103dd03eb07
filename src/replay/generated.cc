// Generated values flow: from defaults into columns, from columns through statements and client
// variables into other columns, from keys into what references them. The flow is followed until
// nothing changes. Sources that feed each other are joined into domains by union-find: an entry of
// `domains` points to another one of its domain while the search goes on, to the first one at the
// end.
//
// A flow that is missed makes equal outcomes look different, one too many hides a difference; so an
// expression counts only by what feeds its value (feeding.h).
#include "replay/generated.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.h"
#include "replay/called_statements.h"
#include "replay/client_variables.h"
#include "replay/feeding.h"
#include "replay/generated_sources.h"
#include "replay/observe/store_statements.h"

namespace heddle {
namespace {

// Whether the statement can insert rows into the table.
bool may_insert(const Statement& statement, const TableUse& use) {
  if (!use.written) return false;
  switch (statement.kind) {
    case StatementKind::insert:
    case StatementKind::merge:
    case StatementKind::copy:
      return true;
    default:  // a WITH clause can hold an INSERT
      return to_lower(statement.text).find("insert") != std::string::npos;
  }
}

bool is_default(const WrittenValue& value) {
  return equal_ignoring_case(trim(value.expression), "default");
}

class GeneratedSearch {
 public:
  GeneratedSearch(const std::vector<CatalogueTable>& catalogue, const Scenario& scenario,
                  const std::vector<std::vector<Statement>>& statements,
                  const std::vector<Dialect>& dialects)
      : catalogue_(catalogue), scenario_(scenario), statements_(statements), dialects_(dialects) {
    for (const CatalogueTable& table : catalogue_) {
      std::vector<std::string>& columns = generated_.columns_of[table.name];
      for (const CatalogueColumn& column : table.columns) columns.push_back(column.name);
    }
    for (const Step& step : scenario_.steps) generated_.session_of_step.push_back(step.session);
  }

  GeneratedColumns run() {
    for (const CatalogueTable& table : catalogue_) {
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (table.columns[i].type == "boolean") never_.insert(source_of(table, i));
        follow_default(table, i);
      }
    }
    do {
      changed_ = false;
      for (std::size_t i = 0; i < statements_.size(); ++i) follow_step(i);
      for (std::size_t i = 0; i < scenario_.sessions.size(); ++i) follow_call(SessionId(i));
      for (const CatalogueTable& table : catalogue_) follow_table(table);
    } while (changed_);
    for (auto& [source, domain] : generated_.domains) domain = root_of(source);
    return std::move(generated_);
  }

 private:
  static std::string source_of(const CatalogueTable& table, std::size_t column) {
    return column_source(table.name, table.columns[column].name);
  }

  // The name of the domain so far: the first name in it.
  std::string root_of(const std::string& source) {
    std::string root = source;
    while (generated_.domains.emplace(root, root).first->second != root) {
      root = generated_.domains[root];
    }
    return root;
  }

  void join(const std::string& fed, const std::vector<std::string>& sources) {
    if (sources.empty() || never_.contains(fed)) return;
    changed_ = changed_ || !generated_.domains.contains(fed);
    for (const std::string& source : sources) {
      const auto [first, second] = std::minmax({root_of(fed), root_of(source)});
      if (first == second) continue;
      generated_.domains[second] = first;
      changed_ = true;
    }
  }

  void follow_default(const CatalogueTable& table, std::size_t index) {
    const CatalogueColumn& column = table.columns[index];
    if (column.computed || !is_default_used(table, index)) return;
    const std::string source = source_of(table, index);
    const FeedingParts parts = feeding_parts(column.default_expression);
    join(source, {parts.generators.begin(), parts.generators.end()});
    if (column.identity) {
      join(source, {sequence_generator(table.name + "_" + column.name + "_seq")});
    }
  }

  // Where no step inserts rows, triggers may: then the default counts.
  bool is_default_used(const CatalogueTable& table, std::size_t column) const {
    bool inserted = false;
    for (const auto& step : statements_) {
      for (const Statement& statement : step) {
        for (const WrittenValue& value : statement.values) {
          if (is_default(value) && is_target(value, table, column)) return true;
        }
        for (const TableUse& use : statement.tables) {
          if (!may_insert(statement, use) || !is_use_of(use, table)) continue;
          inserted = true;
          if (!gives_value(statement, use, table, column)) return true;
        }
      }
    }
    return !inserted;
  }

  bool is_use_of(const TableUse& use, const CatalogueTable& table) const {
    const std::vector<std::string> found = find_tables(generated_, use);
    return std::find(found.begin(), found.end(), table.name) != found.end();
  }

  bool is_target(const WrittenValue& value, const CatalogueTable& table, std::size_t column) const {
    const std::vector<std::string> found = find_tables(generated_, value.table);
    if (std::find(found.begin(), found.end(), table.name) == found.end()) return false;
    return value.column.empty() ? value.position == column
                                : value.column == table.columns[column].name;
  }

  bool gives_value(const Statement& statement, const TableUse& use, const CatalogueTable& table,
                   std::size_t column) const {
    const auto& written = use.columns_written;
    const auto names = [&](std::string_view name) {
      return std::find(written.begin(), written.end(), name) != written.end();
    };
    if (names(table.columns[column].name)) return true;
    if (!names("*")) return false;
    bool has_values = false;
    for (const WrittenValue& value : statement.values) {
      if (is_target(value, table, column) || is_all(value.expression)) return true;
      has_values = true;
    }
    return !has_values && to_lower(statement.text).find("default values") == std::string::npos;
  }

  void follow_step(std::size_t index) {
    const Step& step = scenario_.steps[index];
    for (const Statement& statement : statements_[index]) {
      for (const WrittenValue& value : statement.values) {
        follow_value(statement, value, step.session);
      }
    }
    std::size_t next = 0;
    for (const Instruction& instruction : step.instructions) {
      if (instruction.kind != Instruction::Kind::query) continue;
      const std::string text = template_of(scenario_, step, instruction, dialects_);
      const Statement* last = find_last(text, statements_[index], next);
      if (instruction.gset && last != nullptr) {
        follow_gset(*last, instruction.gset_prefix, step.session);
      }
    }
  }

  void follow_call(SessionId session) {
    const Functionality* functionality = called_functionality(scenario_, session);
    if (functionality == nullptr) return;
    const auto& statements = statements_[scenario_.sessions[session.index()].steps.front().index()];
    for (const ValueFlow& flow : value_flows(*functionality)) {
      if (!flow.statement) {
        follow_assignment(flow, session);
      } else if (*flow.statement < statements.size()) {
        follow_columns(flow, statements[*flow.statement], session);
      }
    }
  }

  void follow_assignment(const ValueFlow& flow, SessionId session) {
    static const Statement none;
    join(variable_source(session, flow.into.front()),
         sources_of(generated_, {none, session, flow.expression, {}, false}));
    if (flow.copied.empty()) return;
    const std::string fields = variable_source(session, field_name(flow.copied, ""));
    const std::map<std::string, std::string> known = generated_.domains;
    for (const auto& [source, domain] : known) {
      if (!source.starts_with(fields)) continue;
      join(variable_source(session, field_name(flow.into.front(), source.substr(fields.size()))),
           {source});
    }
  }

  // Each column has a variable of its own, or is a field of one row.
  void follow_columns(const ValueFlow& flow, const Statement& statement, SessionId session) {
    std::size_t number = 0;
    const auto follow = [&](const std::string& name, const std::vector<std::string>& sources) {
      const std::size_t at = number++;
      if (at < flow.into.size()) join(variable_source(session, flow.into[at]), sources);
      if (flow.into.size() == 1) {
        join(variable_source(session, field_name(flow.into.front(), name)), sources);
      }
    };
    for (const OutputColumn& output : statement.output) {
      if (!is_all(output.expression)) {
        const auto sources = sources_of(generated_, {statement, session, output.expression,
                                                     output.columns_read, output.generated});
        follow(output.name, output.is_count ? std::vector<std::string>() : sources);
        continue;
      }
      const std::string_view all = output.expression;
      for (const std::string& table :
           tables_read(generated_, statement, all == "*" ? "" : all.substr(0, all.size() - 2))) {
        for (const std::string& column : generated_.columns_of[table]) {
          const std::string source = column_source(table, column);
          const bool is_generated = generated_.domains.contains(source);
          follow(column, is_generated ? std::vector{source} : std::vector<std::string>());
        }
      }
    }
  }

  // The last statement of an instruction's text, recognised by the texts; `next` moves behind it.
  static const Statement* find_last(const std::string& text,
                                    const std::vector<Statement>& statements, std::size_t& next) {
    const Statement* last = nullptr;
    std::size_t offset = 0;
    for (; next < statements.size(); ++next) {
      const std::size_t found = text.find(statements[next].text, offset);
      if (found == std::string::npos) break;
      offset = found + statements[next].text.size();
      last = &statements[next];
    }
    return last;
  }

  void follow_gset(const Statement& statement, const std::string& prefix, SessionId session) {
    for (const OutputColumn& output : statement.output) {
      if (output.is_count) continue;
      const std::vector<std::string> sources = sources_of(
          generated_,
          {statement, session, output.expression, output.columns_read, output.generated});
      if (!is_all(output.expression)) {
        join(variable_source(session, prefix + output.name), sources);
        continue;
      }
      for (const std::string& source : sources) {
        join(variable_source(session, prefix + std::string(last_part(source))), {source});
      }
    }
  }

  void follow_value(const Statement& statement, const WrittenValue& value, SessionId session) {
    for (const std::string& table : find_tables(generated_, value.table)) {
      const std::vector<std::string>& columns = generated_.columns_of[table];
      if (is_all(value.expression)) {
        follow_copied_columns(statement, value, table);
      } else if (!value.column.empty() || value.position < columns.size()) {
        const std::string& column = value.column.empty() ? columns[value.position] : value.column;
        join(column_source(table, column),
             sources_of(generated_, {statement, session, value.expression, value.columns_read,
                                     value.generated}));
      }
    }
  }

  // INSERT INTO table SELECT *: column by column, as far as one table is read.
  void follow_copied_columns(const Statement& statement, const WrittenValue& value,
                             const std::string& table) {
    const std::vector<std::string> read = tables_read(generated_, statement, "");
    if (read.empty()) return;
    const std::vector<std::string>& from = generated_.columns_of[read.front()];
    const std::vector<std::string>& to = generated_.columns_of[table];
    for (std::size_t i = 0; i < from.size() && value.position + i < to.size(); ++i) {
      const std::string source = column_source(read.front(), from[i]);
      if (!generated_.domains.contains(source)) continue;
      const bool is_named = i == 0 && !value.column.empty();
      join(column_source(table, is_named ? value.column : to[value.position + i]), {source});
      if (!value.column.empty()) return;
    }
  }

  void follow_table(const CatalogueTable& table) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (!table.columns[i].computed) continue;
      for (const std::string& name : feeding_parts(table.columns[i].default_expression).columns) {
        const std::string source = column_source(table.name, name);
        if (generated_.domains.contains(source)) join(source_of(table, i), {source});
      }
    }
    for (const ForeignKey& key : table.foreign_keys) {
      for (std::size_t i = 0; i < key.columns.size() && i < key.referenced.size(); ++i) {
        const std::string source = column_source(display_name(key.table), key.referenced[i]);
        if (generated_.domains.contains(source)) {
          join(column_source(table.name, key.columns[i]), {source});
        }
      }
    }
  }

  const std::vector<CatalogueTable>& catalogue_;
  const Scenario& scenario_;
  const std::vector<std::vector<Statement>>& statements_;
  const std::vector<Dialect>& dialects_;
  GeneratedColumns generated_;
  std::set<std::string> never_;  // boolean columns
  bool changed_ = false;
};

}  // namespace

GeneratedColumns find_generated_columns(const std::vector<CatalogueTable>& catalogue,
                                        const Scenario& scenario,
                                        const std::vector<std::vector<Statement>>& statements,
                                        const std::vector<Dialect>& dialects) {
  return GeneratedSearch(catalogue, scenario, statements, dialects).run();
}

}  // namespace heddle
