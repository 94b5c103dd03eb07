// What java.sql does: connections and statements.
#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "frontend/java/functionality_reader.h"
#include "frontend/java/sql_text.h"

namespace heddle::java {

namespace {

struct SetterType {
  std::string_view setter;
  std::string_view type;
};

constexpr std::array kSetters = {
    SetterType{"setInt", "int"},
    SetterType{"setLong", "long"},
    SetterType{"setShort", "short"},
    SetterType{"setByte", "byte"},
    SetterType{"setDouble", "double"},
    SetterType{"setFloat", "float"},
    SetterType{"setBigDecimal", "BigDecimal"},
    SetterType{"setBoolean", "boolean"},
    SetterType{"setString", "String"},
    SetterType{"setNString", "String"},
    SetterType{"setTimestamp", "Timestamp"},
    SetterType{"setDate", "LocalDate"},
    SetterType{"setTime", "Time"},
    SetterType{"setBytes", "byte[]"},
    SetterType{"setObject", ""},
    SetterType{"setArray", ""},
    SetterType{"setNull", ""},
};

bool is_query_text(std::string_view sql) {
  const std::string text = to_lower(trim(sql));
  return text.starts_with("select") || text.starts_with("with") || text.starts_with("values") ||
         text.starts_with("(") || text.starts_with("show") ||
         text.find("returning") != std::string::npos;
}

// SELECT ... FOR UPDATE, LOCK IN SHARE MODE
bool locks_rows(const Text& text) {
  return std::ranges::any_of(text, [](const Piece& piece) {
    if (piece.choice) return locks_rows(piece.choice->then) || locks_rows(piece.choice->otherwise);
    const std::string words = to_lower(piece.words);
    return words.find(" for ") != words.npos || words.find(" lock ") != words.npos;
  });
}

std::string first_words(const Text& text) {
  if (text.empty()) return "";
  if (text[0].choice) return first_words(text[0].choice->then);
  std::string all;
  for (const Piece& piece : text) all += piece.words;
  return all;
}

}  // namespace

std::string_view type_of_parameter(std::string_view setter) {
  const auto* const known = std::ranges::find(kSetters, setter, &SetterType::setter);
  return known == kSetters.end() ? std::string_view() : known->type;
}

std::optional<Value> FunctionalityReader::call_on_connection(std::size_t connection,
                                                             const std::string& name,
                                                             const Arguments& arguments,
                                                             const Node& node, Block& out) {
  if (name == "prepareStatement" || name == "prepareCall") {
    Value statement = name == "prepareCall" ? prepare_call(arguments) : prepare(arguments);
    state_.heap.change(statement.object).connection = connection;
    return statement;
  }
  if (name == "createStatement") {
    Object statement;
    statement.kind = ObjectKind::statement;
    statement.connection = connection;
    statement.type = "Statement";
    statement.fields["$rows"] = null_value();
    statement.fields["$texts"] = scalar(empty_array("String"), "String[]");
    return object_value(state_.heap.add(std::move(statement)), "Statement");
  }
  if (name == "commit") {
    end_transaction("COMMIT", connection, node, out);
    return Value();
  }
  if (name == "rollback") {
    if (arguments.empty()) {
      end_transaction("ROLLBACK", connection, node, out);
    } else if (const std::string point = savepoint_name(arguments[0]); !point.empty()) {
      transaction_statement("ROLLBACK TO SAVEPOINT " + point, connection, node, out);
    } else {
      note(node, "which savepoint this rolls back to is not known", "nothing is undone");
    }
    return Value();
  }
  if (name == "setSavepoint") {
    Object savepoint;
    savepoint.kind = ObjectKind::savepoint;
    savepoint.type = "Savepoint";
    const auto known = arguments.empty() ? std::nullopt : known_words(arguments[0].text);
    savepoint.path = known && !known->empty() ? *known : "jdbc_savepoint_" + std::to_string(steps_);
    Value made = object_value(state_.heap.add(savepoint), "Savepoint");
    transaction_statement("SAVEPOINT " + savepoint.path, connection, node, out);
    return made;
  }
  if (name == "releaseSavepoint" && !arguments.empty()) {
    if (const std::string point = savepoint_name(arguments[0]); !point.empty()) {
      transaction_statement("RELEASE SAVEPOINT " + point, connection, node, out);
    }
    return Value();
  }
  if (name == "setAutoCommit" && !arguments.empty()) {
    set_auto_commit(connection, arguments[0], node, out);
    return Value();
  }
  if (name == "setTransactionIsolation" && !arguments.empty()) {
    if (const auto level = known_words(arguments[0].text); level && !level->empty()) {
      transaction_statement("SET TRANSACTION ISOLATION LEVEL " + *level, connection, node, out);
    } else {
      note(node, "this isolation level is not known", "name one of Connection's constants");
    }
    return Value();
  }
  if (name == "getAutoCommit") {
    return scalar(commits_each(connection), "boolean");
  }
  static constexpr std::array<std::string_view, 12> kHarmless = {
      "close",       "isClosed", "setReadOnly",   "setSchema", "setCatalog",  "clearWarnings",
      "getWarnings", "isValid",  "createArrayOf", "unwrap",    "getMetaData", "setClientInfo"};
  if (name == "createArrayOf" && arguments.size() == 2) return arguments[1];
  if (std::ranges::find(kHarmless, name) != kHarmless.end()) return Value();
  return std::nullopt;
}

std::string FunctionalityReader::savepoint_name(const Value& value) const {
  if (value.kind == ValueKind::choice) {
    const std::string name = savepoint_name(value.choice->then);
    return name.empty() ? savepoint_name(value.choice->otherwise) : name;
  }
  if (value.kind != ValueKind::object) return "";
  const Object& object = state_.heap.at(value.object);
  return object.kind == ObjectKind::savepoint ? object.path : "";
}

Value FunctionalityReader::prepare(const Arguments& arguments) {
  Object statement;
  statement.kind = ObjectKind::statement;
  statement.type = "PreparedStatement";
  statement.fields["$rows"] = null_value();
  if (!arguments.empty()) statement.text = as_text(arguments[0]);
  if (arguments.size() > 1) ask_for_keys(statement, arguments[1]);
  return object_value(state_.heap.add(std::move(statement)), "PreparedStatement");
}

// {call f(?)} and {? = call f(?)}, as PostgreSQL's driver sends them.
Value FunctionalityReader::prepare_call(const Arguments& arguments) {
  const Value statement = prepare(arguments);
  Object& object = state_.heap.change(statement.object);
  const auto known = known_words(object.text);
  if (!known) return statement;
  std::string text(trim(*known));
  if (!text.starts_with('{') || !text.ends_with('}')) return statement;
  text = std::string(trim(text.substr(1, text.size() - 2)));
  const std::size_t at = to_lower(text).find("call ");
  if (at == std::string::npos) return statement;
  object.is_call = text.starts_with('?');
  object.text = words("SELECT * FROM " + text.substr(at + 5) + " AS result");
  return statement;
}

namespace {

// 1, 2, ...: the first columns of the table, in its order.
bool are_first_places(const std::vector<Expression>& places) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (to_number(places[i]) != static_cast<long long>(i + 1)) return false;
  }
  return !places.empty();
}

}  // namespace

// RETURN_GENERATED_KEYS, or the columns' names or places.
void FunctionalityReader::ask_for_keys(Object& statement, const Value& which) {
  if (which.kind == ValueKind::scalar && which.type == "Statement") {
    statement.keys = "*";
  } else if (which.kind == ValueKind::scalar && which.type == "PreparedStatement") {
    statement.keys = "*";
  } else if (which.kind == ValueKind::object) {
    const auto& fields = state_.heap.at(which.object).fields;
    const auto only = fields.find("");
    if (only == fields.end()) return;
    if (are_first_places(only->second.expression.operands)) {
      statement.keys = "*";
      return;
    }
    for (const Expression& column : only->second.expression.operands) {
      if (column.kind != ExpressionKind::literal || column.text.size() < 2) continue;
      if (!statement.keys.empty()) statement.keys += ", ";
      statement.keys += column.text.substr(1, column.text.size() - 2);
    }
  }
}

// new SQLStmt("SELECT ... IN (??)", 3): `??` stands for that many parameters.
Value FunctionalityReader::prepare_sql(const Arguments& arguments) {
  Object sql;
  sql.kind = ObjectKind::sql;
  sql.type = "SQLStmt";
  if (!arguments.empty()) sql.text = as_text(arguments[0]);
  std::size_t next = 1;
  for (Piece& piece : sql.text) {
    for (std::size_t at = piece.words.find("??"); at != std::string::npos;
         at = piece.words.find("??", at)) {
      const auto count = next < arguments.size() && is_single(arguments[next])
                             ? to_number(to_expression(arguments[next]))
                             : std::nullopt;
      ++next;
      if (!count || *count < 1 || *count > 10'000) break;
      std::string marks = "?";
      for (long long i = 1; i < *count; ++i) marks += ",?";
      piece.words.replace(at, 2, marks);
      at += marks.size();
    }
  }
  return object_value(state_.heap.add(std::move(sql)), "SQLStmt");
}

// getPreparedStatement(connection, sql, values...); with ReturnKeys behind that the columns of keys
// come first
Value FunctionalityReader::prepare_with_values(const Arguments& arguments, const Node& node,
                                               Block& out) {
  if (arguments.size() < 2) return {};
  const bool asks_for_keys = node.field_text("name") == "getPreparedStatementReturnKeys";
  const std::size_t first = asks_for_keys ? 3 : 2;
  const std::size_t given = std::min(first, arguments.size());
  const Value statement = prepare({arguments.begin() + 1, arguments.begin() + given});
  if (arguments[0].kind == ValueKind::object) {
    state_.heap.change(statement.object).connection = arguments[0].object;
  }
  std::size_t index = 0;
  for (std::size_t i = first; i < arguments.size(); ++i) {
    set_parameter(statement.object, scalar(number(static_cast<long long>(++index)), "int"),
                  arguments[i], node, out);
  }
  return statement;
}

void FunctionalityReader::set_parameter(std::size_t statement, const Value& index,
                                        const Value& value, const Node& node, Block& out) {
  static_cast<void>(out);
  if (!is_single(index)) {
    note(node, "which parameter this sets is not known", "its values are taken as not known");
    return;
  }
  const Expression place = to_expression(index);
  Object& object = state_.heap.change(statement);
  if (to_number(place) || is_constant_choice(place)) {
    const bool replaces = to_number(place).has_value();
    if (replaces) {
      std::erase_if(object.settings,
                    [&](const Setting& old) { return !old.condition && old.index == place; });
    }
    Setting setting;
    setting.index = place;
    setting.value = value;
    object.settings.push_back(std::move(setting));
    return;
  }
  // One by one in a loop: they make up an array.
  const std::string type = value.type.empty() ? "String" : value.type;
  if (object.many_type.empty()) {
    object.many_type = type + "[]";
    object.many = empty_array(type);
  }
  object.many = appended(object.many, to_expression(value));
}

std::optional<Value> FunctionalityReader::call_on_statement(const Value& statement,
                                                            const std::string& name,
                                                            const Arguments& arguments,
                                                            const Node& node, Block& out) {
  const std::size_t id = statement.object;
  const auto* const setter = std::ranges::find(kSetters, name, &SetterType::setter);
  if (setter != kSetters.end() && arguments.size() >= 2) {
    Value value = name == "setNull" ? null_value() : arguments[1];
    if (!setter->type.empty()) value = converted(std::move(value), std::string(setter->type));
    Value index = arguments[0];
    if (state_.heap.at(id).is_call && is_single(index)) {
      index.expression = folded("-", {to_expression(index), number(1)});
    }
    set_parameter(id, index, value, node, out);
    return Value();
  }
  if (name.starts_with("execute")) {
    if (name == "executeBatch" || name == "executeLargeBatch") {
      return execute_batch(id, node, out);
    }
    return execute(id, name, arguments, node, out);
  }
  if (name == "addBatch") {
    add_batch(id, arguments, node);
    return Value();
  }
  if (name == "clearBatch") {
    clear_batch(id);
    return Value();
  }
  if (name == "clearParameters") {
    state_.heap.change(id).settings.clear();
    return Value();
  }
  if (name == "getGeneratedKeys" || name == "getResultSet") {
    const Value* rows = state_.heap.field(id, "$rows");
    if (rows == nullptr || rows->kind == ValueKind::nothing) return std::nullopt;
    return settled(state_, *rows);
  }
  if (name == "getUpdateCount" || name == "getLargeUpdateCount") {
    return scalar(state_.heap.at(id).count, "int");
  }
  // A result of a call is the only column of its only row.
  if (state_.heap.at(id).is_call && name.starts_with("get")) {
    const Value* rows = state_.heap.field(id, "$rows");
    if (rows != nullptr && rows->kind == ValueKind::object) {
      refuse_missing_row(rows->object, node, out);
      if (state_.is_dead) return Value();
      return column(rows->object, name, scalar(number(1), "int"), node);
    }
  }
  if (name == "getConnection") {
    const std::size_t connection = state_.heap.at(id).connection;
    return connection == 0 ? new_connection(false) : object_value(connection, "Connection");
  }
  static constexpr std::array<std::string_view, 9> kHarmless = {
      "close",    "setFetchSize",  "setQueryTimeout",   "setMaxRows",          "setFetchDirection",
      "isClosed", "clearWarnings", "closeOnCompletion", "registerOutParameter"};
  if (std::ranges::find(kHarmless, name) != kHarmless.end()) return Value();
  return std::nullopt;
}

// Where a text is a query on one way and none on the other, they are executed apart.
bool FunctionalityReader::execute_choice(std::size_t statement, const std::string& name,
                                         const Arguments& arguments, const Node& node, Block& out,
                                         Value& value) {
  Text text = arguments.empty() ? state_.heap.at(statement).text : as_text(arguments[0]);
  text = settled(state_, text);
  if (text.empty() || !text[0].choice || name != "execute") return false;
  const TextChoice texts = *text[0].choice;
  if (is_query_text(first_words(texts.then)) == is_query_text(first_words(texts.otherwise))) {
    return false;
  }
  const std::string slot = new_slot("$value");
  const Way one = [&](Block& block) {
    Value made = execute(statement, name, arguments, node, block);
    state_.locals.set(slot, std::move(made));
  };
  branch(node, texts.condition, out, one, one);
  if (!state_.is_dead) value = state_.locals.take(slot);
  return true;
}

Value FunctionalityReader::execute(std::size_t statement, const std::string& name,
                                   const Arguments& arguments, const Node& node, Block& out) {
  Object object = state_.heap.at(statement);
  object.text = settled(state_, arguments.empty() ? object.text : as_text(arguments[0]));
  if (!arguments.empty()) {
    object.settings.clear();
    if (arguments.size() > 1) ask_for_keys(object, arguments[1]);
  }
  Value chosen_value;
  if (execute_choice(statement, name, arguments, node, out, chosen_value)) return chosen_value;
  Execution execution;
  execution.text = object.text;
  execution.settings = object.settings;
  execution.connection = object.connection;
  if (!object.many_type.empty()) {
    execution.many = object.many;
    execution.many_type = element_type(object.many_type);
  }
  const bool asks = name == "executeQuery" || (name == "execute" && object.keys.empty() &&
                                               is_query_text(first_words(object.text)));
  Object rows;
  rows.kind = ObjectKind::rows;
  rows.type = "ResultSet";
  if (asks) {
    execution.cursor = new_variable("rows", "refcursor");
    rows.cursor = execution.cursor;
  } else if (!object.keys.empty()) {
    execution.returning = object.keys;
    execution.row = new_variable("keys", "record");
    rows.row = {.kind = ExpressionKind::variable, .text = execution.row, .operands = {}};
    state_.rows.insert(execution.row);
  }
  const Executed executed = run(execution, node, out);
  rows.columns = executed.columns;
  if (asks) {
    after_statement(object.connection, !locks_rows(object.text), node, out);
    const std::size_t made = state_.heap.add(std::move(rows));
    Object& asked = state_.heap.change(statement);
    asked.fields["$rows"] = object_value(made, "ResultSet");
    asked.count = number(-1);
    if (object.is_call) next_row(made, node, out);
    if (name == "execute") return scalar(literal("true"), "boolean");
    return object_value(made, "ResultSet");
  }
  Expression count{
      .kind = ExpressionKind::variable, .text = new_variable("count", "integer"), .operands = {}};
  add(out, node, CountRows{.target = count});
  if (!object.keys.empty()) {
    rows.has_row = kept({.kind = ExpressionKind::variable, .text = "found", .operands = {}},
                        "found_keys", "boolean", node, out);
    const std::size_t made = state_.heap.add(std::move(rows));
    state_.heap.change(statement).fields["$rows"] = object_value(made, "ResultSet");
  } else {
    state_.heap.change(statement).fields["$rows"] = null_value();
  }
  state_.heap.change(statement).count = count;
  after_statement(object.connection, false, node, out);
  if (name == "execute") return scalar(literal("false"), "boolean");
  return scalar(std::move(count), "int");
}

}  // namespace heddle::java
