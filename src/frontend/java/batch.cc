// Batches: what is added waits in arrays, one for each parameter, or one of texts.
#include <utility>

#include "frontend/java/functionality_reader.h"

namespace heddle::java {

void FunctionalityReader::add_batch(std::size_t statement, const Arguments& arguments,
                                    const Node& node) {
  if (!arguments.empty()) {
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
    const bool waits = name.starts_with("$batch ") || name == "$texts";
    if (waits) column = scalar(empty_array(element_type(column.type)), column.type);
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

// The number of rows of each statement, in a list.
Value FunctionalityReader::execute_batch(std::size_t statement, const Node& node, Block& out) {
  const Object object = state_.heap.at(statement);
  const Expression counts{.kind = ExpressionKind::variable,
                          .text = new_variable("counts", "integer[]"),
                          .operands = {}};
  add(out, node, Assign{.target = counts, .value = empty_array("int")});
  const Value made = new_list("int", {});
  state_.heap.change(made.object).fields[""] = scalar(counts, "int[]");
  clear_batch(statement);
  const auto run_one = [&](const Execution& execution, Block& block) {
    run(execution, node, block);
    const Expression count{
        .kind = ExpressionKind::variable, .text = new_variable("count", "integer"), .operands = {}};
    add(block, node, CountRows{.target = count});
    add(block, node, Assign{.target = counts, .value = call("array_append", {counts, count})});
    after_statement(node, block);
  };
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
