// Loops. What changes from round to round lives in a variable of its own, assigned before the loop
// and at the end of each round.
#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "frontend/java/functionality_reader.h"

namespace heddle::java {

namespace {

constexpr std::size_t kMostAttempts = 8;

// Whether a text has known words first that it began with before.
bool begins_with(const Text& text, const Text& beginning) {
  if (beginning.empty() || text.size() < beginning.size()) return false;
  for (std::size_t i = 0; i + 1 < beginning.size(); ++i) {
    if (!(text[i] == beginning[i])) return false;
  }
  const Piece& last = beginning.back();
  const Piece& now = text[beginning.size() - 1];
  const bool are_words = !last.value && !last.choice && !now.value && !now.choice;
  return are_words ? now.words.starts_with(last.words) : now == last;
}

}  // namespace

std::string FunctionalityReader::read_loop(const Node& node, const std::string& label,
                                           std::vector<Node> updates, Block& before, Block& body,
                                           const Way& read_body) {
  LoopPlace place;
  place.label = label;
  place.updates = std::move(updates);
  place.frame = frames_.size();
  place.finally_blocks = finally_.size();
  std::vector<Carried> carried;
  const State entry = state_;
  for (std::size_t attempt = 0; attempt < kMostAttempts && !trouble_; ++attempt) {
    const Mark start = mark();
    std::vector<Carried> found;
    Block scratch;
    begin_carrying(carried, node, scratch);
    const State head = state_;
    place.before = &head;
    place.found = &found;
    place.carried = carried;
    loops_.push_back(place);
    read_body(scratch);
    if (!state_.is_dead) add_changed(head, state_, found);
    loops_.pop_back();
    forget(start);
    state_ = entry;
    const std::size_t known = carried.size();
    for (Carried& one : found) {
      const bool is_known = std::ranges::any_of(carried, [&](const Carried& other) {
        return other.slot == one.slot && other.object == one.object && other.part == one.part;
      });
      if (!is_known) carried.push_back(std::move(one));
    }
    if (carried.size() == known) break;
  }
  begin_carrying(carried, node, before);
  State head = state_;
  place.before = nullptr;
  place.found = nullptr;
  place.carried = carried;
  loops_.push_back(place);
  read_body(body);
  if (!state_.is_dead) carry(carried, node, body);
  std::string name = loops_.back().name;
  loops_.pop_back();
  state_ = std::move(head);
  return name;
}

void FunctionalityReader::add_changed(const State& before, const State& after,
                                      std::vector<Carried>& carried) const {
  const bool may_differ = !before.locals.is_same(after.locals);
  for (const auto& [slot, value] : before.locals.all()) {
    const Value* now = may_differ ? after.locals.find(slot) : nullptr;
    if (now == nullptr || *now == value) continue;
    const bool is_followed = is_single(value) && is_single(*now);
    Carried one;
    one.slot = slot;
    if (is_followed) one.type = value.type.empty() ? now->type : value.type;
    one.appends = value.kind == ValueKind::text && now->kind == ValueKind::text &&
                  begins_with(now->text, value.text);
    carried.push_back(std::move(one));
  }
  for (const std::size_t id : changed_objects(before.heap, after.heap)) {
    add_changed_parts(id, before, after, carried);
  }
}

void FunctionalityReader::add_changed_parts(std::size_t id, const State& before, const State& after,
                                            std::vector<Carried>& carried) const {
  const Object& old = before.heap.at(id);
  const Object& now = after.heap.at(id);
  const auto changes = [&](std::string part, std::string type) {
    carried.push_back({.slot = "",
                       .object = id,
                       .part = std::move(part),
                       .type = std::move(type),
                       .variable = {},
                       .appends = false,
                       .beginning = {}});
  };
  if (old.text != now.text) {
    changes("text", "String");
    carried.back().appends = begins_with(now.text, old.text);
  }
  if (old.row != now.row) changes("row", "ResultSet");
  if (old.last_null != now.last_null) changes("last_null", "boolean");
  if (old.count != now.count) changes("count", "int");
  if (old.has_row != now.has_row) changes("has_row", "boolean");
  if (old.many != now.many) changes("many", now.many_type);
  if (old.settings != now.settings) changes("settings", "");
  if (old.last_rows != now.last_rows) changes("last_rows", "");
  if (old.items != now.items) changes("items", "");
  if (old.element != now.element) changes("element " + now.element, "");
  for (const auto& [name, value] : now.fields) {
    const Value* first = before.heap.field(id, name);
    if (first != nullptr && *first == value) continue;
    // A list's array, or a batch's, that is not there yet is empty.
    const bool grows = first == nullptr && value.type.ends_with("[]") && is_single(value);
    const bool is_followed = first != nullptr && is_single(*first) && is_single(value);
    changes("." + name, grows         ? value.type
                        : is_followed ? (value.type.empty() ? first->type : value.type)
                                      : "");
  }
}

namespace {

// A text that a loop only appends to is what it was before, and what the loop appends.
Text without_beginning(const Text& text, const Text& beginning) {
  if (beginning.empty() || text.size() < beginning.size() ||
      !std::equal(beginning.begin(), beginning.end(), text.begin())) {
    return text;
  }
  return {text.begin() + static_cast<std::ptrdiff_t>(beginning.size()), text.end()};
}

}  // namespace

Value FunctionalityReader::carried_value(const Carried& one) const {
  if (!one.slot.empty()) {
    Value value = state_.locals.get(one.slot);
    if (value.kind == ValueKind::text) value.text = without_beginning(value.text, one.beginning);
    return value;
  }
  const Object& object = state_.heap.at(one.object);
  if (one.part == "text") return string_value(without_beginning(object.text, one.beginning));
  if (one.part == "row") return scalar(object.row, one.type);
  if (one.part == "last_null") return scalar(object.last_null, one.type);
  if (one.part == "count") return scalar(object.count, one.type);
  if (one.part == "has_row") return scalar(object.has_row, one.type);
  if (one.part == "many") {
    const bool is_empty = object.many_type.empty();
    return scalar(is_empty ? empty_array(element_type(one.type)) : object.many, one.type);
  }
  if (one.part.starts_with('.')) {
    const Value* value = state_.heap.field(one.object, one.part.substr(1));
    if (value != nullptr) return *value;
    return one.type.ends_with("[]") ? scalar(empty_array(element_type(one.type)), one.type)
                                    : Value();
  }
  return {};
}

// What it is from now on: the variable's value, or not known.
void FunctionalityReader::set_carried(const Carried& one) {
  Value value;
  if (!one.type.empty()) {
    value = scalar(one.variable, one.type);
    if (is_string(one.type)) {
      value = string_value(
          {Piece{.words = "", .value = one.variable, .is_string = true, .choice = nullptr}});
      value.type = one.type;
      if (!one.beginning.empty()) {
        Text whole = one.beginning;
        append(whole, value.text);
        value.text = std::move(whole);
      }
    }
  }
  if (!one.slot.empty()) {
    state_.locals.set(one.slot, std::move(value));
    return;
  }
  Object& object = state_.heap.change(one.object);
  if (one.part == "text") object.text = std::move(value.text);
  if (one.part == "row") {
    object.row = one.variable;
    state_.rows.insert(one.variable.text);
  }
  if (one.part == "last_null") object.last_null = one.variable;
  if (one.part == "count") object.count = one.variable;
  if (one.part == "has_row") object.has_row = one.variable;
  if (one.part == "many") {
    object.many = one.variable;
    object.many_type = one.type;
  }
  if (one.part == "settings")
    std::erase_if(object.settings,
                  [](const Setting& setting) { return setting.condition.has_value(); });
  if (one.part == "last_rows") object.last_rows = 0;
  if (one.part.starts_with("element ")) object.element = one.part.substr(8);
  if (one.part == "items" && object.kind == ObjectKind::list) {
    object.items.clear();
    object.fields = {{"", scalar(unknown("a list"), "[]")}};
  }
  if (one.part == "items") object.items.assign(object.items.size(), Value());
  if (one.part.starts_with('.')) object.fields[one.part.substr(1)] = std::move(value);
}

namespace {

bool uses(const Expression& expression, const std::string& variable) {
  std::vector<const Expression*> open = {&expression};
  while (!open.empty()) {
    const Expression& one = *open.back();
    open.pop_back();
    if (one.kind == ExpressionKind::variable && one.text == variable) return true;
    for (const Expression& operand : one.operands) open.push_back(&operand);
  }
  return false;
}

}  // namespace

void FunctionalityReader::begin_carrying(std::vector<Carried>& carried, const Node& node,
                                         Block& out) {
  for (Carried& one : carried) {
    if (!one.type.empty()) {
      if (one.appends) one.beginning = beginning_of(one);
      const std::string hint = !one.slot.empty() ? one.slot : one.part;
      const Value now = carried_value(one);
      one.variable = {.kind = ExpressionKind::variable,
                      .text = new_variable(hint, variable_type(one.type)),
                      .operands = {}};
      if (!is_literal(to_expression(now), "null") || one.type != "ResultSet") {
        add(out, node, Assign{.target = one.variable, .value = to_expression(now)});
      }
    }
  }
  for (const Carried& one : carried) set_carried(one);
}

// The text as it is now, where the loop only appends to it.
Text FunctionalityReader::beginning_of(const Carried& one) const {
  if (one.part == "text") return state_.heap.at(one.object).text;
  return state_.locals.get(one.slot).text;
}

// All at once: a value that uses a variable which is assigned before is kept first.
void FunctionalityReader::carry(const std::vector<Carried>& carried, const Node& node, Block& out) {
  std::vector<std::pair<Expression, Expression>> assigned;
  for (const Carried& one : carried) {
    if (one.type.empty()) continue;
    Expression value = to_expression(carried_value(one));
    if (value != one.variable) assigned.emplace_back(one.variable, std::move(value));
  }
  for (std::size_t i = 0; i < assigned.size(); ++i) {
    const bool is_late = std::any_of(
        assigned.begin(), assigned.begin() + static_cast<std::ptrdiff_t>(i),
        [&](const auto& earlier) { return uses(assigned[i].second, earlier.first.text); });
    if (!is_late) continue;
    const auto target =
        std::ranges::find(functionality_.variables, assigned[i].first.text, &Variable::name);
    const std::string type = target == functionality_.variables.end() ? "text" : target->type;
    Expression copy{.kind = ExpressionKind::variable,
                    .text = new_variable(assigned[i].first.text, type),
                    .operands = {}};
    add(out, node, Assign{.target = copy, .value = assigned[i].second});
    assigned[i].second = std::move(copy);
  }
  for (auto& [variable, value] : assigned) {
    add(out, node, Assign{.target = std::move(variable), .value = std::move(value)});
  }
}

// A loop of few rounds, all known, that puts a text together or sets parameters is read once for
// each of them.
bool FunctionalityReader::is_unrolled(const Node& body, std::size_t rounds) const {
  static constexpr std::size_t kMostRounds = 64;
  if (rounds > kMostRounds) return false;
  bool builds = false;
  std::vector<Node> open = {body};
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    if (node.is("break_statement") || node.is("continue_statement")) return false;
    const std::string_view name = node.is("method_invocation") ? node.field_text("name") : "";
    const bool names_column =
        name.starts_with("get") && node.field("arguments").first_child().is("binary_expression");
    builds = builds || names_column || name == "append" ||
             (name.starts_with("set") && name.size() > 3) ||
             (node.is("assignment_expression") && node.field_text("operator") == "+=");
    for (const Node& child : node.children()) open.push_back(child);
  }
  return builds;
}

// One after the other, each only where the ones before did not leave.
void FunctionalityReader::read_rounds(const Node& node, std::size_t first, std::size_t last,
                                      const Round& round, Block& out) {
  for (std::size_t i = first; i < last && !state_.is_dead && !trouble_; ++i) {
    const Expression live = live_condition();
    if (is_true(live)) {
      round(i, out);
      continue;
    }
    return go_on(node, live, out, [&](Block& block) { read_rounds(node, i, last, round, block); });
  }
}

// Leaves the innermost loop where the condition does not hold.
void FunctionalityReader::leave_unless(const Node& condition, Block& out) {
  const Expression holds = condition_of(condition, out);
  if (state_.is_dead) return;
  branch(
      condition, holds, out, [](Block&) {},
      [&](Block& block) { leave_loop(loops_.size() - 1, false, condition, block); });
}

void FunctionalityReader::read_while(const Node& statement, const std::string& label, Block& out) {
  Loop loop;
  loop.label = read_loop(statement, label, {}, out, loop.body, [&](Block& body) {
    leave_unless(statement.field("condition"), body);
    if (!state_.is_dead) read_block(statement.field("body"), body);
  });
  add(out, statement, std::move(loop));
}

void FunctionalityReader::read_do(const Node& statement, const std::string& label, Block& out) {
  Loop loop;
  loop.label = read_loop(statement, label, {}, out, loop.body, [&](Block& body) {
    read_block(statement.field("body"), body);
    if (!state_.is_dead) leave_unless(statement.field("condition"), body);
  });
  add(out, statement, std::move(loop));
}

namespace {

std::vector<Node> fields_of(const Node& statement, std::string_view before) {
  // The grammar gives several fields of one name; their order tells them apart.
  std::vector<Node> result;
  const Node first = statement.field(before);
  if (!first.is_present()) return result;
  const Node body = statement.field("body");
  for (const Node& child : statement.children()) {
    if (child.offset() >= first.offset() && child.offset() < body.offset()) result.push_back(child);
  }
  return result;
}

}  // namespace

void FunctionalityReader::read_for(const Node& statement, const std::string& label, Block& out) {
  enter_scope();
  if (!read_count_loop(statement, label, out)) {
    const Node condition = statement.field("condition");
    const std::vector<Node> updates = fields_of(statement, "update");
    const std::size_t end = condition.is_present() ? condition.offset()
                            : updates.empty()      ? statement.field("body").offset()
                                                   : updates.front().offset();
    for (const Node& initial : statement.children()) {
      if (initial.offset() >= end) break;
      if (initial.is("local_variable_declaration")) {
        read_declaration(initial, out);
      } else {
        read(initial, out);
      }
    }
    Loop loop;
    loop.label = read_loop(statement, label, updates, out, loop.body, [&](Block& body) {
      if (condition.is_present()) leave_unless(condition, body);
      if (!state_.is_dead) read_block(statement.field("body"), body);
      if (state_.is_dead) return;
      for (const Node& update : updates) read(update, body);
    });
    add(out, statement, std::move(loop));
  }
  leave_scope();
}

namespace {

// Whether the rounds of a loop are attempts at one thing rather than parts of it: they end
// transactions, or one may be the last, and what they call does not depend on their number.
bool are_attempts(const Node& body, std::string_view number) {
  static constexpr std::array<std::string_view, 3> kEnds = {"commit", "rollback", "setAutoCommit"};
  bool ends = false;
  std::vector<std::pair<Node, bool>> open = {{body, false}};
  while (!open.empty()) {
    const auto [node, is_argument] = open.back();
    open.pop_back();
    if (is_argument && node.is("identifier") && node.text() == number) return false;
    const std::string_view called = node.is("method_invocation") ? node.field_text("name") : "";
    ends = ends || std::ranges::find(kEnds, called) != kEnds.end() || node.is("return_statement") ||
           node.is("break_statement");
    const bool has_arguments = node.is("argument_list") || node.is("array_access");
    for (const Node& child : node.children()) {
      open.emplace_back(child, (is_argument || has_arguments) && called != "sleep");
    }
  }
  return ends;
}

}  // namespace

bool FunctionalityReader::is_assigned(const Node& body, std::string_view name) const {
  std::vector<Node> open = {body};
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    const bool assigns = (node.is("assignment_expression") && node.field_text("left") == name) ||
                         (node.is("update_expression") && node.first_child().text() == name);
    if (assigns) return true;
    for (const Node& child : node.children()) open.push_back(child);
  }
  return false;
}

// for (int i = a; i < b; i++) where nothing else changes i, and b stays what it is.
bool FunctionalityReader::read_count_loop(const Node& statement, const std::string& label,
                                          Block& out) {
  const Node initial = statement.field("init");
  const Node condition = statement.field("condition");
  const std::vector<Node> updates = fields_of(statement, "update");
  if (!initial.is("local_variable_declaration") || !condition.is("binary_expression")) return false;
  const Node declarator = initial.child("variable_declarator");
  const std::string type(initial.field_text("type"));
  const std::string name(declarator.field_text("name"));
  const std::string relation(condition.field_text("operator"));
  const Node body = statement.field("body");
  const bool is_up = relation == "<" || relation == "<=";
  const bool is_down = relation == ">" || relation == ">=";
  if ((type != "int" && type != "long" && type != "short") || updates.size() != 1 ||
      !declarator.field("value").is_present() || initial.children().size() != 2 ||
      condition.field_text("left") != name || (!is_up && !is_down) ||
      !updates[0].is("update_expression") || updates[0].first_child().text() != name ||
      updates[0].has_token(is_up ? "--" : "++") || is_assigned(body, name)) {
    return false;
  }
  const Node bound = condition.field("right");
  std::vector<Node> open = {bound};
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    const bool is_call = node.is("method_invocation");
    const std::string_view called = is_call ? node.field_text("name") : "";
    if (is_call && called != "size" && called != "length") return false;
    if (is_call && (body.text().find(".add(") != std::string_view::npos ||
                    body.text().find(".remove(") != std::string_view::npos)) {
      return false;
    }
    if (node.is("identifier") && is_assigned(body, node.text())) return false;
    for (const Node& child : node.children()) open.push_back(child);
  }
  CountLoop loop;
  loop.first = to_expression(read(declarator.field("value"), out));
  loop.last = to_expression(read(bound, out));
  if (relation == "<") loop.last = folded("-", {loop.last, number(1)});
  if (relation == ">") loop.last = folded("+", {loop.last, number(1)});
  loop.reverse = is_down;
  const auto first = to_number(loop.first);
  const auto last = to_number(loop.last);
  if (first && last && is_up && *last - *first < 64 && !are_attempts(body, name) &&
      is_unrolled(body, static_cast<std::size_t>(std::max(*last - *first + 1, 0LL)))) {
    const Round round = [&](std::size_t i, Block& block) {
      enter_scope();
      declare(name, scalar(number(*first + static_cast<long long>(i)), type));
      read_block(body, block);
      leave_scope();
    };
    read_rounds(statement, 0, static_cast<std::size_t>(std::max(*last - *first + 1, 0LL)), round,
                out);
    return true;
  }
  const std::string column = column_type(type);
  loop.variable = new_variable(name, column);
  declare(name,
          scalar({.kind = ExpressionKind::variable, .text = loop.variable, .operands = {}}, type));
  loop.label = read_loop(statement, label, {}, out, loop.body,
                         [&](Block& block) { read_block(body, block); });
  add(out, statement, std::move(loop));
  return true;
}

void FunctionalityReader::read_for_each(const Node& statement, const std::string& label,
                                        Block& out) {
  const Value list = read(statement.field("value"), out);
  if (state_.is_dead) return;
  const std::string name(statement.field_text("name"));
  const std::string type(statement.field_text("type"));
  const auto read_round = [&](Value element, Block& block) {
    enter_scope();
    if (type != "var") element = converted(std::move(element), type);
    declare(name, std::move(element), type);
    read_block(statement.field("body"), block);
    leave_scope();
  };
  // Each constant of an enumeration says something else.
  const bool is_list =
      list.kind == ValueKind::object && state_.heap.at(list.object).kind == ObjectKind::list;
  const std::string_view body = statement.field("body").text();
  const bool leaves = body.find("break") != body.npos || body.find("continue") != body.npos;
  const bool are_constants =
      is_list && !leaves &&
      find_enumeration(element_type(state_.heap.at(list.object).type)) != nullptr;
  const Elements what{.name = name,
                      .label = label,
                      .may_unroll = true,
                      .unrolled = are_constants ? std::size_t{16} : 0};
  read_elements(statement, list, what, read_round, out);
}

void FunctionalityReader::read_elements(const Node& node, const Value& list, const Elements& what,
                                        const EachElement& each, Block& out) {
  const bool is_known =
      list.kind == ValueKind::object && state_.heap.at(list.object).kind == ObjectKind::list;
  if (!is_known) {
    Loop loop;
    const std::string source(node.field_text("value"));
    loop.condition = unknown((source.empty() ? what.name : source) + " has a next element");
    loop.label = read_loop(node, what.label, {}, out, loop.body,
                           [&](Block& block) { each(Value(), block); });
    add(out, node, std::move(loop));
    return;
  }
  const Object object = state_.heap.at(list.object);
  const auto only = object.fields.find("");
  const auto size = to_number(list_size(list.object));
  const std::size_t count = size ? static_cast<std::size_t>(*size) : 0;
  if (size && ((what.may_unroll && is_unrolled(node.field("body"), count)) ||
               (count > 0 && count <= what.unrolled))) {
    const Round round = [&](std::size_t i, Block& block) {
      each(element_of(list.object, number(static_cast<long long>(i) + 1)), block);
    };
    return read_rounds(node, 0, count, round, out);
  }
  if (object.fields.size() == 1 && only != object.fields.end() && object.items.empty()) {
    ElementLoop loop;
    const std::string element = element_type(only->second.type);
    const std::string column = column_type(element);
    loop.variable = new_variable(what.name, column.empty() ? "text" : column);
    loop.array = to_expression(only->second);
    const Value value =
        typed({.kind = ExpressionKind::variable, .text = loop.variable, .operands = {}}, element);
    loop.label =
        read_loop(node, what.label, {}, out, loop.body, [&](Block& block) { each(value, block); });
    add(out, node, std::move(loop));
    return;
  }
  CountLoop loop;
  loop.first = number(1);
  loop.last = list_size(list.object);
  loop.variable = new_variable(what.name + "_at", "integer");
  const Expression index{.kind = ExpressionKind::variable, .text = loop.variable, .operands = {}};
  loop.label = read_loop(node, what.label, {}, out, loop.body,
                         [&](Block& block) { each(element_of(list.object, index), block); });
  add(out, node, std::move(loop));
}

}  // namespace heddle::java
