// Statements of Java, and how paths part and meet.
#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "base/text.h"
#include "frontend/java/functionality_reader.h"

namespace heddle::java {

Expression FunctionalityReader::left_condition(const std::string& slot) const {
  const Value* known = state_.locals.find(slot);
  return known == nullptr ? literal("false") : settled(state_, to_expression(*known));
}

// When control is here, and not beyond a part of the code that was left.
Expression FunctionalityReader::live_condition() const {
  Expression live = literal("true");
  for (const std::string& label : labels_) {
    live = conjunction(std::move(live), negation(left_condition(label)));
  }
  return live;
}

void FunctionalityReader::read_block(const Node& block, Block& out) {
  enter_scope();
  if (block.is("block") || block.is("constructor_body") || block.is("switch_block")) {
    read_statements(block.children(), 0, out);
  } else if (block.is_present()) {
    read_statement(block, out);
  }
  leave_scope();
}

void FunctionalityReader::read_statements(const std::vector<Node>& statements, std::size_t first,
                                          Block& out) {
  for (std::size_t i = first; i < statements.size(); ++i) {
    read_statement(statements[i], out);
    if (state_.is_dead || trouble_) return;
    if (i + 1 == statements.size()) return;
    const Expression live = live_condition();
    if (is_true(live)) continue;
    return go_on(statements[i], live, out,
                 [&](Block& block) { read_statements(statements, i + 1, block); });
  }
}

// What comes where no part of the code was left.
void FunctionalityReader::go_on(const Node& node, const Expression& live, Block& out,
                                const Way& rest) {
  branch(
      node, live, out,
      [&](Block& block) {
        for (const std::string& label : labels_) {
          state_.locals.set(label, scalar(literal("false"), "boolean"));
        }
        rest(block);
      },
      [](Block&) {});
}

void FunctionalityReader::add_branch(const Node& node, const Expression& condition, TakenWay then,
                                     TakenWay otherwise, Block& out) {
  steps_ += (then.state.locals.size() + then.state.heap.size()) / 2;
  if (then.state.is_dead || otherwise.state.is_dead) {
    const bool is_dead = then.state.is_dead && otherwise.state.is_dead;
    state_ = then.state.is_dead ? std::move(otherwise.state) : std::move(then.state);
    state_.is_dead = is_dead;
  } else {
    MergeServices services;
    services.condition = [&] { return condition; };
    services.new_variable = [&](const std::string& hint, const std::string& type) {
      Expression variable{.kind = ExpressionKind::variable,
                          .text = new_variable(hint, variable_type(type)),
                          .operands = {}};
      if (type == "ResultSet") {
        then.state.rows.insert(variable.text);
        otherwise.state.rows.insert(variable.text);
      }
      return variable;
    };
    services.assign = [&](const Expression& variable, const Expression& value, bool in_then) {
      add(in_then ? then.block : otherwise.block, node, Assign{.target = variable, .value = value});
    };
    state_ = merge_states(then.state, otherwise.state, services);
  }
  if (then.block.empty() && otherwise.block.empty()) return;
  add(out, node,
      Branch{.condition = condition,
             .then = std::move(then.block),
             .otherwise = std::move(otherwise.block)});
}

void FunctionalityReader::branch(const Node& node, const Expression& asked, Block& out,
                                 const Way& then, const Way& otherwise) {
  Expression condition = settled(state_, asked);
  constexpr std::size_t kLargest = 24;
  if (is_larger(condition, kLargest))
    condition = kept(condition, "condition", "boolean", node, out);
  if (is_true(condition)) return then(out);
  if (is_false(condition)) return otherwise(out);
  const State before = state_;
  add_fact(state_, condition, true);
  Block then_block;
  then(then_block);
  State after_then = std::exchange(state_, before);
  add_fact(state_, condition, false);
  Block otherwise_block;
  otherwise(otherwise_block);
  State after_otherwise = std::move(state_);
  add_branch(node, condition, {std::move(after_then), std::move(then_block)},
             {std::move(after_otherwise), std::move(otherwise_block)}, out);
}

void FunctionalityReader::read_statement(const Node& statement, Block& out) {
  if (!enter(statement)) return;
  using Reader = void (FunctionalityReader::*)(const Node&, Block&);
  struct Row {
    std::string_view kind;
    Reader reader;
  };
  static constexpr std::array kReaders = {
      Row{"local_variable_declaration", &FunctionalityReader::read_declaration},
      Row{"block", &FunctionalityReader::read_block},
      Row{"if_statement", &FunctionalityReader::read_if},
      Row{"return_statement", &FunctionalityReader::read_return},
      Row{"throw_statement", &FunctionalityReader::read_throw},
      Row{"break_statement", &FunctionalityReader::read_leave},
      Row{"continue_statement", &FunctionalityReader::read_leave},
      Row{"try_statement", &FunctionalityReader::read_try},
      Row{"try_with_resources_statement", &FunctionalityReader::read_try},
      Row{"switch_expression", &FunctionalityReader::read_switch},
      Row{"yield_statement", &FunctionalityReader::read_yield},
  };
  const auto* const known = std::ranges::find(kReaders, statement.kind(), &Row::kind);
  if (known != kReaders.end()) {
    (this->*known->reader)(statement, out);
  } else if (!read_loop_statement(statement, "", out)) {
    read_other(statement, out);
  }
  leave();
}

bool FunctionalityReader::read_loop_statement(const Node& statement, const std::string& label,
                                              Block& out) {
  if (statement.is("while_statement")) {
    read_while(statement, label, out);
  } else if (statement.is("do_statement")) {
    read_do(statement, label, out);
  } else if (statement.is("for_statement")) {
    read_for(statement, label, out);
  } else if (statement.is("enhanced_for_statement")) {
    read_for_each(statement, label, out);
  } else {
    return false;
  }
  return true;
}

void FunctionalityReader::read_other(const Node& statement, Block& out) {
  if (statement.is("expression_statement")) {
    read(statement.first_child(), out);
  } else if (statement.is("labeled_statement")) {
    const std::vector<Node> parts = statement.children();
    if (parts.size() < 2) return;
    const std::string label(parts[0].text());
    if (!read_loop_statement(parts[1], label, out)) read_labelled_block(parts[1], label, out);
  } else if (statement.is("synchronized_statement")) {
    read_block(statement.field("body"), out);
  } else if (statement.is("explicit_constructor_invocation")) {
    read_constructor_call(statement, out);
  }
}

// label: { ... break label; ... }
void FunctionalityReader::read_labelled_block(const Node& block, const std::string& label,
                                              Block& out) {
  LoopPlace place;
  place.label = label;
  place.left = new_slot("$left");
  place.is_block = true;
  place.frame = frames_.size();
  place.finally_blocks = finally_.size();
  begin_part(place.left);
  loops_.push_back(place);
  read_block(block, out);
  loops_.pop_back();
  end_part();
}

// A part of the code that may be left in its middle.
void FunctionalityReader::begin_part(const std::string& slot) {
  state_.locals.set(slot, scalar(literal("false"), "boolean"));
  labels_.push_back(slot);
}

void FunctionalityReader::end_part() {
  state_.locals.erase(labels_.back());
  labels_.pop_back();
}

void FunctionalityReader::read_declaration(const Node& declaration, Block& out) {
  const std::string type(declaration.field_text("type"));
  for (const Node& each : declaration.children()) {
    if (!each.is("variable_declarator")) continue;
    const std::string full = type + std::string(each.field_text("dimensions"));
    Value value;
    if (const Node initial = each.field("value"); initial.is_present()) {
      expected_type_ = full;
      value = read(initial, out);
      expected_type_.clear();
      if (type != "var") value = converted(std::move(value), full);
      value = bounded(std::move(value), std::string(each.field_text("name")), each, out);
      name_chance(value, std::string(each.field_text("name")));
    } else {
      value = null_value();
      value.type = full;
    }
    declare(std::string(each.field_text("name")), std::move(value), full);
  }
}

void FunctionalityReader::read_if(const Node& statement, Block& out) {
  enter_scope();  // of `x instanceof T t`
  const Expression condition = condition_of(statement.field("condition"), out);
  branch(
      statement, condition, out,
      [&](Block& block) { read_block(statement.field("consequence"), block); },
      [&](Block& block) { read_block(statement.field("alternative"), block); });
  leave_scope();
}

void FunctionalityReader::read_return(const Node& statement, Block& out) {
  Value value;
  if (const Node result = statement.first_child(); result.is_present()) {
    expected_type_ = frame().method != nullptr ? frame().method->type : "";
    value = read(result, out);
    expected_type_.clear();
    if (frame().method != nullptr) value = converted(std::move(value), frame().method->type);
  }
  leave_method(std::move(value), statement, out);
}

void FunctionalityReader::leave_method(Value value, const Node& node, Block& out) {
  if (trouble_ || state_.is_dead) return;
  if (!frame().left.empty()) {
    if (!frame().result.empty()) state_.locals.set(frame().result, std::move(value));
    state_.locals.set(frame().left, scalar(literal("true"), "boolean"));
    leave_loops(frame().loops, node, out);
    return;
  }
  run_finally_blocks(0, out);
  if (state_.is_dead) return;
  Return end;
  if (value.kind != ValueKind::nothing || functionality_.returns) {
    std::vector<std::string> types;
    end.values = returned_values(value, types);
    learn_return_type(types);
  }
  add(out, node, std::move(end));
  state_.is_dead = true;
}

// An object's properties, one after the other; a list's arrays.
std::vector<Expression> FunctionalityReader::returned_values(const Value& value,
                                                             std::vector<std::string>& types) {
  std::vector<Expression> values;
  std::vector<Value> open = {value};
  constexpr std::size_t kMost = 100;
  while (!open.empty() && values.size() < kMost) {
    const Value one = settled(state_, open.back());
    open.pop_back();
    if (one.kind == ValueKind::object) {
      const Object& object = state_.heap.at(one.object);
      const bool has_parts = object.kind == ObjectKind::instance ||
                             object.kind == ObjectKind::list || object.kind == ObjectKind::map;
      if (has_parts && open.size() < kMost) {
        for (const auto& [name, field] : std::views::reverse(object.fields)) {
          open.push_back(field);
        }
        continue;
      }
    }
    if (one.kind == ValueKind::choice && one.choice->then.kind == ValueKind::null) {
      open.push_back(one.choice->otherwise);
      continue;
    }
    if (one.kind == ValueKind::choice && one.choice->otherwise.kind == ValueKind::null) {
      open.push_back(one.choice->then);
      continue;
    }
    const std::string element = element_type(one.type);
    types.push_back(one.type.ends_with("[]") && one.type != "byte[]" ? column_type(element) + "[]"
                                                                     : column_type(one.type));
    values.push_back(to_expression(one));
  }
  return values;
}

// One type, a record of several, or what the method declares.
void FunctionalityReader::learn_return_type(const std::vector<std::string>& types) {
  if (types.empty()) return;
  if (functionality_.returns && *functionality_.returns != "text") return;
  if (types.size() > 1) {
    functionality_.returns = "record";
  } else if (!functionality_.returns) {
    functionality_.returns = types[0].empty() || types[0] == "[]" ? "text" : types[0];
  }
}

// Out of all loops but the outermost `count`, to go on behind them.
void FunctionalityReader::leave_loops(std::size_t count, const Node& node, Block& out) {
  for (std::size_t i = count; i < loops_.size(); ++i) {
    if (!loops_[i].left.empty()) continue;
    run_finally_blocks(loops_[i].finally_blocks, out);
    if (!state_.is_dead) leave_loop(i, false, node, out);
    return;
  }
}

void FunctionalityReader::leave_loop(std::size_t index, bool next, const Node& node, Block& out) {
  LoopPlace& place = loops_[index];
  if (next) {
    for (const Node& update : place.updates) read(update, out);
  }
  if (place.found != nullptr) add_changed(*place.before, state_, *place.found);
  carry(place.carried, node, out);
  const bool is_innermost =
      std::none_of(loops_.begin() + static_cast<std::ptrdiff_t>(index) + 1, loops_.end(),
                   [](const LoopPlace& inner) { return inner.left.empty(); });
  if (!is_innermost && place.name.empty()) {
    place.name = (place.label.empty() ? "loop" : place.label) + "_" + std::to_string(index + 1);
  }
  add(out, node, LeaveLoop{.next = next, .label = is_innermost ? "" : place.name});
  state_.is_dead = true;
}

// break, continue
void FunctionalityReader::read_leave(const Node& statement, Block& out) {
  const std::string label(statement.first_child().text());
  const bool next = statement.is("continue_statement");
  for (std::size_t i = loops_.size(); i-- > 0;) {
    LoopPlace& place = loops_[i];
    if (place.frame != frames_.size()) return;
    const bool is_meant =
        label.empty() ? !(next && !place.left.empty()) && !place.is_block : place.label == label;
    if (!is_meant) continue;
    if (place.left.empty()) {
      run_finally_blocks(place.finally_blocks, out);
      if (!state_.is_dead) leave_loop(i, next, statement, out);
      return;
    }
    state_.locals.set(place.left, scalar(literal("true"), "boolean"));
    return leave_loops(i + 1, statement, out);
  }
}

}  // namespace heddle::java
