#include "format/program_json.h"

#include "format/coverage_json.h"
#include "format/json/json.h"
#include "program/redis_commands.h"

namespace heddle {

namespace {

Json write_position(const SourceLocation& source) {
  return {{"file", text_json(source.file)},
          {"line", source.position.line},
          {"column", source.position.column}};
}

Json write_table_use(const TableUse& use) {
  Json table = {{"table", text_json(use.table)}};
  if (!use.schema.empty()) table["schema"] = text_json(use.schema);
  table["reads"] = texts_json(use.columns_read);
  table["writes"] = texts_json(use.columns_written);
  if (use.locking != LockingClause::none) table["locks"] = to_string(use.locking);
  if (use.wait_policy != WaitPolicy::wait) table["waits"] = to_string(use.wait_policy);
  return table;
}

Json write_guard(const Guard& guard) {
  return {{"condition", text_json(print_expression(guard.condition))},
          {"holds", guard.holds},
          {"line", guard.source.position.line}};
}

Json write_statement(const ListedStatement& listed) {
  const ProgramStatement& program_statement = *listed.statement;
  const Statement& statement = program_statement.statement;
  Json json = write_position(program_statement.source);
  json["kind"] = to_string(statement.kind);
  if (!program_statement.store.empty()) json["store"] = text_json(program_statement.store);
  json["text"] = text_json(program::shown_statement(program_statement));
  json["tables"] = Json::array();
  for (const TableUse& use : statement.tables) json["tables"].push_back(write_table_use(use));
  json["predicate"] = text_json(named_text(statement.predicate, program_statement.arguments));
  json["guards"] = Json::array();
  for (const Guard& guard : listed.guards) json["guards"].push_back(write_guard(guard));
  json["loops"] = listed.loops;
  json["exact"] = program_statement.approximated.empty();
  json["approximated"] = texts_json(program_statement.approximated);
  return json;
}

Json write_variables(const std::vector<Variable>& variables) {
  Json list = Json::array();
  for (const Variable& variable : variables) {
    list.push_back({{"name", text_json(variable.name)}, {"type", text_json(variable.type)}});
  }
  return list;
}

}  // namespace

std::string to_json(const Program& program) {
  Json document = {{"heddle", "statements/1"}};
  document["functionalities"] = Json::array();
  for (const Functionality& functionality : program.functionalities) {
    Json json = {{"name", text_json(functionality.name)}};
    json.update(write_position(functionality.source));
    json["parameters"] = write_variables(functionality.parameters);
    json["states_boundaries"] = functionality.states_boundaries;
    json["statements"] = Json::array();
    for (const ListedStatement& listed : list_statements(functionality)) {
      json["statements"].push_back(write_statement(listed));
    }
    document["functionalities"].push_back(std::move(json));
  }
  document["notes"] = Json::array();
  for (const Diagnostic& note : program.notes) {
    document["notes"].push_back(text_json(to_string(note)));
  }
  document["coverage"] = coverage_json(program.coverage);
  return print_json(document);
}

}  // namespace heddle
