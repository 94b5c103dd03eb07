// Batches: what is added waits in arrays, one for each parameter, or one of texts.
#include <algorithm>
#include <array>
#include <utility>

#include "frontend/java/functionality_reader.h"

namespace heddle::java {

namespace {

struct JavaType {
  std::string_view column;
  std::string_view java;
};

// Of what may be a piece of a text.
std::string java_type(std::string_view column) {
  static constexpr std::array kTypes = {
      JavaType{"integer", "int"},    JavaType{"bigint", "long"},
      JavaType{"smallint", "short"}, JavaType{"numeric", "BigDecimal"},
      JavaType{"text", "String"},    JavaType{"double precision", "double"},
  };
  const auto* const known = std::ranges::find(kTypes, column, &JavaType::column);
  return known == kTypes.end() ? "" : std::string(known->java);
}

}  // namespace

// Texts that a loop adds and that differ in values only are one statement, whose values wait. Not
// behind others: they would change places.
bool FunctionalityReader::add_batch_values(std::size_t statement, const Text& text) {
  const bool is_in_loop =
      std::ranges::any_of(loops_, [](const LoopPlace& place) { return place.left.empty(); });
  const auto& fields = state_.heap.at(statement).fields;
  const auto texts = fields.find("$texts");
  const bool is_first = texts != fields.end() && texts->second.kind == ValueKind::scalar &&
                        texts->second.expression.kind == ExpressionKind::cast;
  if (!is_in_loop || !is_first) return false;
  Text pattern = text;
  std::vector<Value> values;
  for (Piece& piece : pattern) {
    if (piece.choice) return false;
    if (!piece.value) continue;
    piece.words = java_type(piece.is_string ? "text" : declared_type(*piece.value));
    if (piece.words.empty()) return false;
    values.push_back(scalar(*piece.value, piece.words));
    piece.value = number(static_cast<long long>(values.size()));
  }
  if (values.empty() || batch_patterns_.try_emplace(statement, pattern).first->second != pattern) {
    return false;
  }
  Object& object = state_.heap.change(statement);
  for (std::size_t i = 0; i < values.size(); ++i) {
    Value& column = object.fields["$piece " + std::to_string(i + 1)];
    if (column.kind != ValueKind::scalar) {
      column = scalar(empty_array(values[i].type), values[i].type + "[]");
    }
    column.expression = appended(column.expression, values[i].expression);
  }
  return true;
}

void FunctionalityReader::add_batch(std::size_t statement, const Arguments& arguments,
                                    const Node& node) {
  if (!arguments.empty()) {
    if (add_batch_values(statement, as_text(arguments[0]))) return;
    Value& texts = state_.heap.change(statement).fields["$texts"];
    if (texts.kind != ValueKind::scalar) texts = scalar(empty_array("String"), "String[]");
    texts.expression = appended(texts.expression, text_value(as_text(arguments[0])));
    return;
  }
  const std::vector<Setting> settings = state_.heap.at(statement).settings;
  Object& object = state_.heap.change(statement);
  for (const Setting& setting : settings) {
    const auto place = to_number(setting.index);
    if (setting.condition || !place) {
      note(node, "which parameters this batch sets is not known",
           "its values are taken as not known");
      continue;
    }
    const std::string name = "$batch " + std::to_string(*place);
    Value& column = object.fields[name];
    const std::string type = setting.value.type.empty() ? "String" : setting.value.type;
    if (column.kind != ValueKind::scalar) column = scalar(empty_array(type), type + "[]");
    const Expression value =
        is_single(setting.value) ? to_expression(setting.value) : unknown("a value");
    column.expression = appended(column.expression, value);
  }
}

void FunctionalityReader::clear_batch(std::size_t statement) {
  for (auto& [name, column] : state_.heap.change(statement).fields) {
    const bool waits =
        name.starts_with("$batch ") || name.starts_with("$piece ") || name == "$texts";
    if (waits && column.kind == ValueKind::scalar)
      column = scalar(empty_array(element_type(column.type)), column.type);
  }
}

// Runs the statement for each place of the array.
void FunctionalityReader::run_entries(const Expression& array, const Node& node, Block& out,
                                      const RunEntry& run_entry) {
  if (array.kind == ExpressionKind::cast) return;  // empty
  if (array.kind == ExpressionKind::call && array.text == "array") {
    for (std::size_t i = 1; i <= array.operands.size(); ++i) {
      run_entry(number(static_cast<long long>(i)), out);
    }
    return;
  }
  CountLoop loop;
  loop.first = number(1);
  loop.last = call("cardinality", {array});
  loop.variable = new_variable("entry", "integer");
  run_entry({.kind = ExpressionKind::variable, .text = loop.variable, .operands = {}}, loop.body);
  add(out, node, std::move(loop));
}

namespace {

// What an array has at a place.
Expression entry_of(const Expression& array, const Expression& at) {
  const auto place = to_number(at);
  const bool is_known = array.kind == ExpressionKind::call && array.text == "array" && place;
  if (is_known) return array.operands[static_cast<std::size_t>(*place) - 1];
  return {.kind = ExpressionKind::element, .text = "", .operands = {array, at}};
}

}  // namespace

// The statement with the arrays of what waits in variables.
Object FunctionalityReader::waiting_batch(std::size_t statement, const Node& node, Block& out) {
  Object object = state_.heap.at(statement);
  for (auto& [name, column] : object.fields) {
    const bool is_made = name.starts_with('$') && column.kind == ValueKind::scalar &&
                         column.expression.kind == ExpressionKind::call &&
                         column.expression.text != "array";
    if (!is_made) continue;
    column.expression = kept(column.expression, name, variable_type(column.type), node, out);
  }
  return object;
}

// The number of rows of each statement, in a list.
Value FunctionalityReader::execute_batch(std::size_t statement, const Node& node, Block& out) {
  const Object object = waiting_batch(statement, node, out);
  const Expression counts{.kind = ExpressionKind::variable,
                          .text = new_variable("counts", "integer[]"),
                          .operands = {}};
  add(out, node, Assign{.target = counts, .value = empty_array("int")});
  const Value made = new_list("int", {});
  state_.heap.change(made.object).fields[""] = scalar(counts, "int[]");
  clear_batch(statement);
  const auto run_one = [&](Execution& execution, Block& block) {
    execution.connection = object.connection;
    run(execution, node, block);
    const Expression count{
        .kind = ExpressionKind::variable, .text = new_variable("count", "integer"), .operands = {}};
    add(block, node, CountRows{.target = count});
    add(block, node, Assign{.target = counts, .value = call("array_append", {counts, count})});
    after_statement(object.connection, false, node, block);
  };
  const auto pieces = object.fields.find("$piece 1");
  if (pieces != object.fields.end() && pieces->second.kind == ValueKind::scalar) {
    run_entries(pieces->second.expression, node, out, [&](const Expression& at, Block& block) {
      Execution execution;
      execution.text = batch_patterns_.at(statement);
      for (Piece& piece : execution.text) {
        if (!piece.value) continue;
        const Value& column = object.fields.at("$piece " + piece.value->text);
        piece.value = entry_of(column.expression, at);
        piece.words.clear();
      }
      run_one(execution, block);
    });
  }
  const auto texts = object.fields.find("$texts");
  if (texts != object.fields.end() && texts->second.kind == ValueKind::scalar) {
    const Expression& array = texts->second.expression;
    run_entries(array, node, out, [&](const Expression& at, Block& block) {
      Execution execution;
      execution.text = text_pieces(entry_of(array, at));
      run_one(execution, block);
    });
  }
  const auto first = object.fields.lower_bound("$batch ");
  if (first == object.fields.end() || !first->first.starts_with("$batch ")) return made;
  run_entries(first->second.expression, node, out, [&](const Expression& at, Block& block) {
    Execution execution;
    execution.text = object.text;
    for (const auto& [name, column] : object.fields) {
      if (!name.starts_with("$batch ")) continue;
      Setting setting;
      setting.index = literal(name.substr(std::string_view("$batch ").size()));
      setting.value = scalar(entry_of(column.expression, at), element_type(column.type));
      execution.settings.push_back(std::move(setting));
    }
    run_one(execution, block);
  });
  return made;
}

}  // namespace heddle::java
