// Finds for each column of a result where its values come from: the store names the table of a
// plain column; of an expression the text of the statement tells.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "replay/called_statements.h"
#include "replay/generated.h"
#include "replay/generated_sources.h"
#include "replay/observe/store_statements.h"

namespace heddle {
namespace {

// Which expression of the statement a column of its result comes from; none: not known.
const OutputColumn* output_of(const Statement& statement, const std::vector<Column>& columns,
                              std::size_t index) {
  const std::vector<OutputColumn>& output = statement.output;
  const auto is_star = [](const OutputColumn& column) { return is_all(column.expression); };
  const auto stars = std::count_if(output.begin(), output.end(), is_star);
  if (stars == 0 && output.size() == columns.size()) return &output[index];
  if (stars == 1 && columns.size() + 1 >= output.size()) {
    const auto star = static_cast<std::size_t>(std::find_if(output.begin(), output.end(), is_star) -
                                               output.begin());
    const std::size_t after = output.size() - star - 1;
    if (index < star) return &output[index];
    if (index >= columns.size() - after) return &output[index + output.size() - columns.size()];
    return nullptr;
  }
  const auto found = std::find_if(output.begin(), output.end(), [&](const OutputColumn& column) {
    return column.name == columns[index].name;
  });
  return found == output.end() ? nullptr : &*found;
}

bool is_truth(const Cell& value) {
  constexpr auto kTruths = std::to_array<std::string_view>({"t", "f", "true", "false"});
  return !value || std::find(kTruths.begin(), kTruths.end(), *value) != kTruths.end();
}

// The domain of a column that the store knows to come from a table: of that table, or, as a view
// is not in the catalogue, of any table with a generated column of that name.
std::optional<std::string> domain_of_origin(const GeneratedColumns& generated,
                                            const Column& column) {
  const std::vector<std::string> tables = find_tables(generated, column.table);
  for (const std::string& table : tables) {
    if (auto domain = domain_of(generated, table, column.source)) return domain;
  }
  if (!tables.empty()) return std::nullopt;
  for (const auto& [table, columns] : generated.columns_of) {
    if (auto domain = domain_of(generated, table, column.source)) return domain;
  }
  return std::nullopt;
}

std::optional<std::string> domain_of_output(const GeneratedColumns& generated,
                                            const Statement& statement, SessionId session,
                                            const OutputColumn& output) {
  if (output.is_count) return std::nullopt;
  const std::vector<std::string> sources = sources_of(
      generated, {statement, session, output.expression, output.columns_read, output.generated});
  if (sources.empty()) return std::nullopt;
  const auto found = generated.domains.find(sources.front());
  return found == generated.domains.end() ? sources.front() : found->second;
}

void mark_result(ResultSet& result, const GeneratedColumns& generated, const Statement* statement,
                 SessionId session) {
  for (std::size_t i = 0; i < result.columns.size(); ++i) {
    Column& column = result.columns[i];
    std::optional<std::string> domain;
    if (!column.table.empty()) {
      domain = domain_of_origin(generated, column);
    } else if (statement != nullptr) {
      const OutputColumn* output = output_of(*statement, result.columns, i);
      const bool is_observation =
          std::all_of(result.rows.begin(), result.rows.end(),
                      [&](const Row& row) { return i >= row.size() || is_truth(row[i]); });
      if (output != nullptr && !is_observation) {
        domain = domain_of_output(generated, *statement, session, *output);
      }
    }
    column.generated = domain.has_value();
    column.domain = domain.value_or("");
  }
}

// Whether the names of a result fit the statement's.
bool fits(const Statement& statement, const ResultSet& result) {
  if (statement.output.empty()) return false;
  for (std::size_t i = 0; i < result.columns.size(); ++i) {
    const OutputColumn* output = output_of(statement, result.columns, i);
    const bool has_name = output != nullptr && !output->name.empty() && !is_all(output->expression);
    if (has_name && output->name != result.columns[i].name) return false;
  }
  return true;
}

// The statement that each reply answers. Replies stop at an error; where \if left statements out
// the names of the columns must tell.
std::vector<const Statement*> align(const std::vector<Reply>& replies,
                                    const std::vector<Statement>& statements) {
  const bool stopped = !replies.empty() && replies.back().error.has_value();
  const bool in_step =
      replies.size() == statements.size() || (stopped && replies.size() < statements.size());
  std::vector<const Statement*> aligned(replies.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    if (!replies[i].result || !replies[i].result->has_rows) continue;
    const ResultSet& result = *replies[i].result;
    if (in_step) {
      aligned[i] = &statements[i];
      continue;
    }
    std::size_t found = next;
    while (found < statements.size() && !fits(statements[found], result)) ++found;
    if (found == statements.size()) continue;
    aligned[i] = &statements[found];
    next = found + 1;
  }
  return aligned;
}

// The statement that each reply of a record answers. Of a call the record says which it is, but for
// questions that heddle asks for it, which are read from what was sent.
class Answered {
 public:
  Answered(const StepRecord& record, const GeneratedColumns& generated,
           const std::vector<std::vector<Statement>>& statements) {
    if (record.statements.empty()) {
      aligned_ = align(record.replies, statements[record.step.index()]);
      return;
    }
    const SessionId session = generated.session_of_step[record.step.index()];
    const auto first = std::ranges::find(generated.session_of_step, session);
    const auto& known =
        statements[static_cast<std::size_t>(first - generated.session_of_step.begin())];
    aligned_.resize(record.replies.size());
    read_.reserve(record.replies.size());
    if (record.statements.size() != record.replies.size()) return;
    for (std::size_t i = 0; i < record.replies.size(); ++i) {
      if (!record.replies[i].result || !record.replies[i].result->has_rows) continue;
      const std::optional<std::size_t> number = record.statements[i];
      if (number && *number < known.size() && known[*number].returns_rows) {
        aligned_[i] = &known[*number];
        continue;
      }
      auto read = parse_statements(record.sent[i], Dialect::postgres);
      if (!read || read->size() != 1) continue;
      aligned_[i] = &read_.emplace_back(std::move(read->front()));
    }
  }

  const Statement* statement(std::size_t reply) const { return aligned_[reply]; }

 private:
  std::vector<const Statement*> aligned_;
  std::vector<Statement> read_;
};

void mark_returned(ResultSet& result, const GeneratedColumns& generated, SessionId session) {
  for (std::size_t i = 0; i < result.columns.size(); ++i) {
    Column& column = result.columns[i];
    column.generated = false;
    const bool is_observation =
        std::all_of(result.rows.begin(), result.rows.end(),
                    [&](const Row& row) { return i >= row.size() || is_truth(row[i]); });
    if (is_observation) continue;
    for (const std::string& name : {returned_name(i), field_name(kReturned, column.name)}) {
      const auto found = generated.domains.find(variable_source(session, name));
      if (found == generated.domains.end()) continue;
      column.generated = true;
      column.domain = found->second;
    }
  }
}

bool reads_generated(const GeneratedColumns& generated, const TableUse& use) {
  for (const std::string& table : find_tables(generated, use)) {
    const auto columns = generated.columns_of.find(table);
    for (const std::string& column : use.columns_read) {
      if (domain_of(generated, table, column)) return true;
      if (column == "*" && columns != generated.columns_of.end() &&
          std::any_of(columns->second.begin(), columns->second.end(),
                      [&](const std::string& any) { return domain_of(generated, table, any); })) {
        return true;
      }
    }
  }
  return false;
}

// Whether the order of the rows means something. Where generated values are read they may be what
// the rows are ordered by, and their order differs from run to run as they do.
bool has_meaningful_order(const Statement& statement, const GeneratedColumns& generated) {
  return statement.ordered &&
         std::none_of(statement.output.begin(), statement.output.end(),
                      [](const OutputColumn& column) { return column.generated; }) &&
         std::none_of(statement.tables.begin(), statement.tables.end(),
                      [&](const TableUse& use) { return reads_generated(generated, use); });
}

}  // namespace

std::optional<std::string> domain_of(const GeneratedColumns& generated, const std::string& table,
                                     const std::string& column) {
  const auto found = generated.domains.find(column_source(display_name(table), column));
  if (found == generated.domains.end()) return std::nullopt;
  return found->second;
}

void mark_generated(Run& run, const GeneratedColumns& generated,
                    const std::vector<std::vector<Statement>>& statements) {
  for (StepRecord& record : run.records) {
    const SessionId session = generated.session_of_step[record.step.index()];
    const Answered answered(record, generated, statements);
    for (std::size_t i = 0; i < record.replies.size(); ++i) {
      if (!record.replies[i].result) continue;
      mark_result(*record.replies[i].result, generated, answered.statement(i), session);
    }
    if (record.call_end && record.call_end->result) {
      mark_returned(*record.call_end->result, generated, session);
    }
  }
  mark_generated(run.tables, generated);
}

void mark_ordered(Run& run, const GeneratedColumns& generated,
                  const std::vector<std::vector<Statement>>& statements) {
  for (StepRecord& record : run.records) {
    const Answered answered(record, generated, statements);
    for (std::size_t i = 0; i < record.replies.size(); ++i) {
      if (!record.replies[i].result) continue;
      const Statement* statement = answered.statement(i);
      record.replies[i].result->ordered =
          statement != nullptr && has_meaningful_order(*statement, generated);
    }
  }
}

void mark_generated(std::vector<TableState>& tables, const GeneratedColumns& generated) {
  for (TableState& table : tables) {
    for (Column& column : table.columns) {
      const auto domain = domain_of(generated, table.name, column.name);
      column.generated = domain.has_value();
      column.domain = domain.value_or("");
    }
  }
}

}  // namespace heddle
