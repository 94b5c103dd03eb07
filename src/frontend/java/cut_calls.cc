// Calls that are not followed in their place, because the functionality would grow without end: a
// method that branches in forty places and calls the next one in each of them, ten deep, has more
// ways through it than anybody can list. Such a call leaves a mark in the body (outline.h puts the
// method's own body there), may have changed what it could get at, and returns any value.
#include <algorithm>
#include <array>
#include <ranges>
#include <set>
#include <utility>

#include "base/interrupt.h"
#include "frontend/java/functionality_reader.h"
#include "frontend/java/sql_text.h"
#include "program/text.h"

namespace heddle::java {

Expression call_place() { return unknown("$call"); }

ProgramStatement anything_statement(const std::string& what, const SourceLocation& source) {
  ProgramStatement result;
  result.source = source;
  auto statements = parse_once("SELECT " + std::string(program::kUnknownFunction) + "(" +
                               program::string_text(what) + ")");
  if (statements && statements->size() == 1) result.statement = std::move(statements->front());
  result.statement.kind = StatementKind::other;
  result.approximated = {what};
  return result;
}

bool FunctionalityReader::cuts_calls() const {
  return limits_.cuts_always || (limits_.cuts_when_late && steps_ > late_);
}

// What takes a few steps is followed all the same: most of what is called asks or sets a field.
Value FunctionalityReader::follow_or_cut(const Method& method, std::optional<std::size_t> self,
                                         const Arguments& arguments, const Node& node, Block& out) {
  const bool is_short =
      !long_ones_.contains(&method) && !calls_itself(method) && frames_.size() < limits_.depth;
  if (is_short) {
    if (std::optional<Value> value = try_to_follow(method, self, arguments, node, out)) {
      return *std::move(value);
    }
  }
  if (trouble_) return {};
  return cut(method, self, arguments, node, out);
}

// Nothing of it stays where it takes too many steps.
std::optional<Value> FunctionalityReader::try_to_follow(const Method& method,
                                                        std::optional<std::size_t> self,
                                                        const Arguments& arguments,
                                                        const Node& node, Block& out) {
  constexpr std::size_t kMostSteps = 300;
  const State before = state_;
  const Mark start = mark();
  const std::size_t actions = out.size();
  const std::size_t nesting = nesting_;
  const std::size_t escaped = escaped_.size();
  const std::size_t calls = cut_calls_.size();
  const bool reached_store = reached_store_;
  const std::set<const Class*> initialised = initialised_;
  const std::size_t bound = most_steps_;
  const bool has_all_steps = steps_ + kMostSteps <= bound;
  most_steps_ = std::min(bound, steps_ + kMostSteps);
  Value value = follow_in_place(method, self, arguments, node, out);
  most_steps_ = bound;
  if (!trouble_) return value;
  if (steps_ > bound || interrupted()) return std::nullopt;
  trouble_.reset();
  if (has_all_steps) long_ones_.insert(&method);
  state_ = before;
  nesting_ = nesting;
  reached_store_ = reached_store;
  initialised_ = initialised;
  escaped_.resize(escaped);
  cut_calls_.resize(calls);
  out.erase(out.begin() + static_cast<std::ptrdiff_t>(actions), out.end());
  undo_variables(start);
  return std::nullopt;
}

// Their names may be given again, to variables of which other things are known.
void FunctionalityReader::undo_variables(const Mark& mark) {
  for (std::size_t i = mark.variables; i < functionality_.variables.size(); ++i) {
    const std::string begin = functionality_.variables[i].name + ".";
    for (auto one = columns_.lower_bound(begin);
         one != columns_.end() && one->first.starts_with(begin);) {
      one = columns_.erase(one);
    }
  }
  forget(mark);
}

Value FunctionalityReader::cut(const Method& method, std::optional<std::size_t> self,
                               const Arguments& arguments, const Node& node, Block& out) {
  if (method.may_reach_store) {
    add(out, node,
        Assign{.target = call_place(), .value = number(static_cast<long long>(cut_calls_.size()))});
    cut_calls_.push_back({.method = &method, .is_in_try = !tries_.empty()});
  }
  call_back(method.name, arguments, node, out);
  if (state_.is_dead || trouble_) return {};
  may_throw(method, node, out);
  if (state_.is_dead || trouble_) return {};
  std::vector<std::size_t> objects;
  if (self) objects.push_back(*self);
  for (const Value& argument : arguments) {
    if (argument.kind == ValueKind::object) objects.push_back(argument.object);
  }
  for (const auto& [field, value] : static_objects_) {
    if (value.kind == ValueKind::object) objects.push_back(value.object);
  }
  forget_all(std::move(objects));
  return any_result(method, node, out);
}

// Whatever a `try` around the call catches, the method may throw.
void FunctionalityReader::may_throw(const Method& method, const Node& node, Block& out) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> types;
  for (const TryPlace& place : std::views::reverse(tries_)) {
    for (const std::string& type : place.caught) {
      const bool is_new = std::ranges::find(types, type) == types.end();
      if (is_new && types.size() < kMost) types.push_back(type);
    }
  }
  for (const std::string& type : types) {
    if (state_.is_dead || trouble_) return;
    const Expression throws =
        kept(unknown("whether " + method.name + "() throws"), "throws", "boolean", node, out);
    branch(
        node, throws, out,
        [&](Block& block) {
          Value exception;
          exception.type = type;
          raise(node, exception, block);
        },
        [](Block&) {});
  }
}

// What may have been changed through one of the objects. That fields go on to hold the objects they
// held is taken for granted: their contents are not known any more, but their classes are.
void FunctionalityReader::forget_all(std::vector<std::size_t> objects) {
  constexpr std::size_t kMost = 1000;
  std::set<std::size_t> seen;
  while (!objects.empty() && seen.size() < kMost) {
    const std::size_t id = objects.back();
    objects.pop_back();
    if (!seen.insert(id).second) continue;
    forget_fields(id, objects);
    forget_contents(object_value(id, ""));
  }
}

void FunctionalityReader::forget_fields(std::size_t object, std::vector<std::size_t>& further) {
  const Object known = state_.heap.at(object);
  const auto note_objects = [&](const Value& value) {
    std::vector<const Value*> open = {&value};
    while (!open.empty() && open.size() < kMostWays) {
      const Value& one = *open.back();
      open.pop_back();
      if (one.kind == ValueKind::object) further.push_back(one.object);
      if (one.kind != ValueKind::choice) continue;
      open.push_back(&one.choice->then);
      open.push_back(&one.choice->otherwise);
    }
  };
  for (const Value& item : known.items) note_objects(item);
  if (known.kind != ObjectKind::instance) return;
  for (const auto& [name, value] : known.fields) {
    if (!is_single(value)) {
      note_objects(value);
      continue;
    }
    Value any;
    any.type = value.type;
    const std::string column = column_type(value.type);
    if (column == "text") {
      any = string_value(
          {Piece{.words = "", .value = unknown(name), .is_string = true, .choice = nullptr}});
      any.type = value.type;
    } else if (!column.empty()) {
      any = scalar(unknown(name), value.type);
    }
    state_.heap.change(object).fields[name] = std::move(any);
  }
}

// Any value of the method's type; of a class it may be null, too.
Value FunctionalityReader::any_result(const Method& method, const Node& node, Block& out) {
  const std::string& type = method.type;
  if (type.empty() || type == "void") return {};
  const Class* enumeration = find_enumeration(type);
  const std::string column = enumeration != nullptr ? "text" : column_type(type);
  if (!column.empty()) {
    Expression value = kept(unknown(method.name + "()"), method.name, column, node, out);
    if (column != "text") return scalar(std::move(value), type);
    Value text = string_value(
        {Piece{.words = "", .value = std::move(value), .is_string = true, .choice = nullptr}});
    text.type = enumeration != nullptr ? enumeration->name : type;
    return text;
  }
  const std::size_t first = state_.heap.next();
  Value object = given(type, method.name);
  state_.heap.make_initial(first);
  static constexpr std::array<std::string_view, 6> kNeverNull = {
      "Connection", "PreparedStatement", "Statement", "List", "Set", "Collection"};
  const bool is_there = std::ranges::find(kNeverNull, simple_type(type)) != kNeverNull.end() ||
                        is_map_type(type) || type.ends_with("[]");
  if (is_there || object.kind != ValueKind::object) return object;
  const Expression is_none =
      kept(unknown("whether " + method.name + "() is null"), "none", "boolean", node, out);
  Value value;
  value.kind = ValueKind::choice;
  value.type = type;
  value.choice = std::make_shared<ValueChoice>(ValueChoice{is_none, null_value(), object});
  return value;
}

}  // namespace heddle::java
