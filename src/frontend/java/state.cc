#include "frontend/java/state.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace heddle::java {

std::size_t Heap::add(Object object) {
  const std::size_t id = common_->next++;
  objects_.change()[id] = std::make_shared<Object>(std::move(object));
  return id;
}

std::size_t Heap::add_initial(Object object) {
  const std::size_t id = common_->next++;
  common_->initial[id] = std::make_shared<Object>(std::move(object));
  return id;
}

void Heap::set_initial_field(std::size_t id, const std::string& name, const Value& value) {
  common_->fields[{id, name}] = value;
}

void Heap::make_initial(std::size_t first) {
  Objects& objects = objects_.change();
  for (auto own = objects.lower_bound(first); own != objects.end();) {
    common_->initial[own->first] = own->second;
    own = objects.erase(own);
  }
}

const Object& Heap::at(std::size_t id) const {
  const auto own = objects_->find(id);
  return own != objects_->end() ? *own->second : *common_->initial.at(id);
}

Object& Heap::change(std::size_t id) {
  std::shared_ptr<Object>& mine = objects_.change()[id];
  if (mine == nullptr) {
    mine = std::make_shared<Object>(*common_->initial.at(id));
  } else if (mine.use_count() > 1) {
    mine = std::make_shared<Object>(*mine);
  }
  return *mine;
}

const Value* Heap::field(std::size_t id, const std::string& name) const {
  const Object& object = at(id);
  if (const auto own = object.fields.find(name); own != object.fields.end()) return &own->second;
  const auto initial = common_->fields.find({id, name});
  return initial == common_->fields.end() ? nullptr : &initial->second;
}

std::vector<std::size_t> changed_objects(const Heap& before, const Heap& after) {
  std::vector<std::size_t> changed;
  if (before.objects_.is_same(after.objects_)) return changed;
  for (const auto& [id, object] : *after.objects_) {
    const auto own = before.objects_->find(id);
    if (own != before.objects_->end()) {
      if (own->second != object && !(*own->second == *object)) changed.push_back(id);
    } else if (after.common_->initial.contains(id)) {
      changed.push_back(id);
    }
  }
  return changed;
}

namespace {

std::optional<bool> known_truth(const State& state, const Expression& condition) {
  if (condition.kind == ExpressionKind::literal) return std::nullopt;
  const Expression opposite = negation(condition);
  for (const Fact& fact : state.facts) {
    if (fact.condition == condition) return fact.holds;
    if (fact.condition == opposite) return !fact.holds;
  }
  return std::nullopt;
}

}  // namespace

namespace {

// What is left of a known "a or b" where a does not hold, or of a refuted "a and b" where a does.
void add_what_is_left(State& state) {
  for (std::size_t i = 0; i < state.facts.size(); ++i) {
    const Fact fact = state.facts[i];
    const bool is_open = fact.condition.kind == ExpressionKind::call &&
                         fact.condition.text == (fact.holds ? "or" : "and");
    if (!is_open) continue;
    const Expression* left = nullptr;
    bool is_one = true;
    for (const Expression& operand : fact.condition.operands) {
      const auto truth = known_truth(state, operand);
      if (truth && *truth != fact.holds) continue;
      is_one = is_one && left == nullptr && !truth;
      left = &operand;
    }
    if (is_one && left != nullptr) add_fact(state, *left, fact.holds);
  }
}

}  // namespace

void add_fact(State& state, const Expression& condition, bool holds) {
  if (condition.kind == ExpressionKind::literal) return;
  const bool is_call = condition.kind == ExpressionKind::call;
  if (is_call && condition.text == "not") return add_fact(state, condition.operands[0], !holds);
  state.facts.push_back({condition, holds});
  if (is_call && condition.text == (holds ? "and" : "or")) {
    for (const Expression& operand : condition.operands) add_fact(state, operand, holds);
  }
  add_what_is_left(state);
}

Expression settled(const State& state, Expression expression) {
  if (state.facts.empty() || expression.operands.empty()) {
    const bool is_truth = expression.kind == ExpressionKind::variable && !state.facts.empty();
    const auto truth = is_truth ? known_truth(state, expression) : std::nullopt;
    return truth ? literal(*truth ? "true" : "false") : expression;
  }
  if (expression.kind == ExpressionKind::call || expression.kind == ExpressionKind::choice) {
    if (const auto truth = known_truth(state, expression)) {
      return literal(*truth ? "true" : "false");
    }
  }
  if (expression.kind == ExpressionKind::field) return expression;
  for (Expression& operand : expression.operands) operand = settled(state, std::move(operand));
  if (expression.kind == ExpressionKind::choice && expression.operands.size() == 3) {
    return choice(expression.operands[0], expression.operands[1], expression.operands[2]);
  }
  if (expression.kind != ExpressionKind::call) return expression;
  if (expression.text == "not") return negation(std::move(expression.operands[0]));
  if (expression.text == "and" || expression.text == "or") {
    Expression result = std::move(expression.operands[0]);
    for (std::size_t i = 1; i < expression.operands.size(); ++i) {
      result = expression.text == "and"
                   ? conjunction(std::move(result), std::move(expression.operands[i]))
                   : disjunction(std::move(result), std::move(expression.operands[i]));
    }
    return result;
  }
  return expression;
}

Text settled(const State& state, const Text& text) {
  Text result;
  for (const Piece& piece : text) {
    if (piece.choice) {
      const Expression condition = settled(state, piece.choice->condition);
      if (is_true(condition) || is_false(condition)) {
        append(result,
               settled(state, is_true(condition) ? piece.choice->then : piece.choice->otherwise));
        continue;
      }
    }
    append(result, {piece});
    if (piece.value) result.back().value = settled(state, *piece.value);
  }
  return result;
}

Value settled(const State& state, Value value) {
  if (state.facts.empty()) return value;
  while (value.kind == ValueKind::choice) {
    const Expression condition = settled(state, value.choice->condition);
    if (!is_true(condition) && !is_false(condition)) return value;
    Value next = is_true(condition) ? value.choice->then : value.choice->otherwise;
    value = std::move(next);
  }
  if (value.kind == ValueKind::scalar) {
    value.expression = settled(state, std::move(value.expression));
  }
  if (value.kind == ValueKind::text) value.text = settled(state, value.text);
  return value;
}

bool is_constant_choice(const Expression& expression) {
  if (expression.kind == ExpressionKind::literal) return true;
  if (expression.kind != ExpressionKind::choice || expression.operands.size() != 3) return false;
  return is_constant_choice(expression.operands[1]) && is_constant_choice(expression.operands[2]);
}

bool is_single(const Value& value) {
  return value.kind == ValueKind::scalar || value.kind == ValueKind::text ||
         value.kind == ValueKind::null;
}

bool is_single_choice(const Value& value) {
  if (value.kind != ValueKind::choice) return is_single(value);
  return is_single_choice(value.choice->then) && is_single_choice(value.choice->otherwise);
}

Expression to_expression(const Value& value) {
  switch (value.kind) {
    case ValueKind::scalar:
      return value.expression;
    case ValueKind::text:
      return text_value(value.text);
    case ValueKind::choice:
      if (is_larger(value, kMostWays)) break;
      return choice(value.choice->condition, to_expression(value.choice->then),
                    to_expression(value.choice->otherwise));
    case ValueKind::null:
      return literal("null");
    case ValueKind::nothing:
    case ValueKind::object:
      break;
  }
  return unknown(value.type.empty() ? "a value" : value.type);
}

class Merger {
 public:
  Merger(const State& then, const State& otherwise, const MergeServices& services)
      : then_(then), otherwise_(otherwise), services_(services) {}

  State merge() {
    State merged;
    std::ranges::set_intersection(then_.rows, otherwise_.rows,
                                  std::inserter(merged.rows, merged.rows.end()));
    for (const Fact& fact : then_.facts) {
      if (std::ranges::find(otherwise_.facts, fact) != otherwise_.facts.end()) {
        merged.facts.push_back(fact);
      }
    }
    merge_locals(merged);
    merge_heaps(merged);
    if (kept_.empty()) return merged;
    Heap::Objects& objects = merged.heap.objects_.change();
    for (auto& [id, object] : kept_) objects[id] = std::make_shared<Object>(std::move(object));
    return merged;
  }

 private:
  // A variable that was declared in one way only is not seen afterwards.
  void merge_locals(State& merged) {
    merged.locals = then_.locals;
    if (then_.locals.is_same(otherwise_.locals)) return;
    for (const auto& [slot, value] : then_.locals.all()) {
      const Value* other = otherwise_.locals.find(slot);
      if (other == nullptr) {
        merged.locals.erase(slot);
      } else if (!(value == *other)) {
        merged.locals.set(slot, merge_values(value, *other, hint_of(slot)));
      }
    }
    for (const auto* one : {&then_.locals, &otherwise_.locals}) {
      for (const auto& [slot, value] : one->all()) {
        if (is_of_connection(slot) && !merged.locals.contains(slot)) merged.locals.set(slot, value);
      }
    }
  }

  // What is known of a connection: where the other way does not have it, it is as on this one.
  static bool is_of_connection(const std::string& slot) {
    return slot.starts_with("$each#") || slot.starts_with("$pending#") ||
           slot.starts_with("$holds#");
  }

  void merge_heaps(State& merged) {
    merged.heap = then_.heap;
    if (then_.heap.objects_.is_same(otherwise_.heap.objects_)) return;
    Heap::Objects& objects = merged.heap.objects_.change();
    const Heap::Objects& initial = then_.heap.common_->initial;
    for (const auto& [id, object] : *otherwise_.heap.objects_) {
      merge_object(objects, id, object);
    }
    for (const auto& [id, object] : *then_.heap.objects_) {
      if (otherwise_.heap.objects_->contains(id) || !initial.contains(id)) continue;
      objects[id] = std::make_shared<Object>(merge_objects(id, *object, otherwise_.heap.at(id)));
    }
  }
  void merge_object(Heap::Objects& merged, std::size_t id, const std::shared_ptr<Object>& other) {
    const Heap::Objects& initial = then_.heap.common_->initial;
    std::shared_ptr<Object>& mine = merged[id];
    if (mine != nullptr) {
      if (mine == other || *mine == *other) return;
      mine = std::make_shared<Object>(merge_objects(id, *mine, *other));
    } else if (const auto first = initial.find(id); first != initial.end()) {
      mine = std::make_shared<Object>(merge_objects(id, *first->second, *other));
    } else {
      mine = other;
    }
  }

  static std::string hint_of(const std::string& slot) { return slot.substr(0, slot.find('#')); }

  static bool is_one_value(const Text& text) {
    return text.size() == 1 && text[0].value.has_value();
  }
  // Whether no words of the code are in them, or a record that one way does not have: they are not
  // to be kept apart for SQL.
  bool are_values(const Text& a, const Text& b) const {
    const auto has_words = [](const Piece& piece) { return !piece.value; };
    const bool are_bare = std::ranges::none_of(a, has_words) && std::ranges::none_of(b, has_words);
    return are_bare || !has_rows_of(otherwise_, text_value(a)) ||
           !has_rows_of(then_, text_value(b));
  }
  static bool is_plain(const Value& value) {
    return value.kind == ValueKind::scalar || value.kind == ValueKind::null ||
           (value.kind == ValueKind::text && is_one_value(value.text));
  }

  Value merge_values(const Value& a, const Value& b, const std::string& hint) {
    if (a == b) return a;
    if (a.kind == ValueKind::nothing || b.kind == ValueKind::nothing) {
      Value unknown_one;
      unknown_one.type = a.type.empty() ? b.type : a.type;
      return unknown_one;
    }
    if (a.kind == ValueKind::text && b.kind == ValueKind::text &&
        (!is_one_value(a.text) || !is_one_value(b.text)) && !are_values(a.text, b.text)) {
      Value merged = string_value(merge_texts(a.text, b.text));
      merged.type = a.type.empty() ? b.type : a.type;
      return merged;
    }
    const bool are_texts = a.kind == ValueKind::text && b.kind == ValueKind::text;
    if (are_texts || (is_plain(a) && is_plain(b))) {
      const bool is_text = a.kind == ValueKind::text || b.kind == ValueKind::text;
      const std::string type = a.type.empty() ? b.type : a.type;
      Expression merged = merge_expressions(to_expression(a), to_expression(b), hint, type);
      if (!is_text) return scalar(std::move(merged), type);
      Value text =
          string_value({Piece{.words = "", .value = merged, .is_string = true, .choice = {}}});
      text.type = type.empty() ? text.type : type;
      return text;
    }
    Value value;
    value.kind = ValueKind::choice;
    value.type = a.type.empty() ? b.type : a.type;
    // Of more of them nobody asks.
    const bool is_asked = !is_larger(a, kMostWays) && !is_larger(b, kMostWays);
    value.choice = std::make_shared<ValueChoice>(
        ValueChoice{services_.condition(), is_asked ? without_rows(a, hint, true) : a,
                    is_asked ? without_rows(b, hint, false) : b});
    return value;
  }

  // What the other way has no record for is kept in variables: who asks which way was taken names
  // both. So is what an object holds that the other way does not have.
  Value without_rows(Value value, const std::string& hint, bool is_then) {
    const State& other = is_then ? otherwise_ : then_;
    switch (value.kind) {
      case ValueKind::choice: {
        const ValueChoice& choice = *value.choice;
        value.choice = std::make_shared<ValueChoice>(
            ValueChoice{choice.condition, without_rows(choice.then, hint, is_then),
                        without_rows(choice.otherwise, hint, is_then)});
        return value;
      }
      case ValueKind::scalar: {
        if (value.type == "ResultSet" || has_rows_of(other, value.expression)) return value;
        value.expression = assigned(hint, value.type, value.expression, is_then);
        return value;
      }
      case ValueKind::text: {
        const Expression text = text_value(value.text);
        if (has_rows_of(other, text)) return value;
        const Expression kept = assigned(hint, "String", text, is_then);
        value.text = {Piece{.words = "", .value = kept, .is_string = true, .choice = {}}};
        return value;
      }
      case ValueKind::object:
        keep_fields(value.object, is_then);
        return value;
      case ValueKind::null:
      case ValueKind::nothing:
        return value;
    }
    return value;
  }

  Expression assigned(const std::string& hint, const std::string& type, const Expression& value,
                      bool in_then) {
    Expression variable = services_.new_variable(hint, type);
    services_.assign(variable, value, in_then);
    return variable;
  }

  void keep_fields(std::size_t id, bool is_then) {
    const Heap& mine = is_then ? then_.heap : otherwise_.heap;
    const Heap& other = is_then ? otherwise_.heap : then_.heap;
    if (other.contains(id) || !mine.objects_->contains(id)) return;
    if (!kept_.try_emplace(id, mine.at(id)).second) return;
    for (const auto& [name, value] : mine.at(id).fields) {
      Value kept = without_rows(value, name, is_then);
      kept_.at(id).fields[name] = std::move(kept);
    }
    for (std::size_t i = 0; i < mine.at(id).items.size(); ++i) {
      Value kept = without_rows(mine.at(id).items[i], "item", is_then);
      kept_.at(id).items[i] = std::move(kept);
    }
  }

  Expression merge_expressions(Expression a, Expression b, const std::string& hint,
                               const std::string& type) {
    if (a == b) return a;
    // What may grow with each merge is kept in a variable.
    constexpr std::size_t kLargest = 24;
    const bool is_small = !is_larger(a, kLargest) && !is_larger(b, kLargest) &&
                          has_rows_of(otherwise_, a) && has_rows_of(then_, b);
    const bool is_null = is_literal(a, "null") || is_literal(b, "null");
    const bool is_choice = is_null ? type != "ResultSet" && !type.empty()
                                   : (is_constant_choice(a) && is_constant_choice(b)) ||
                                         (column_type(type) == "boolean" && hint.starts_with('$'));
    if (is_choice && is_small) {
      return choice(services_.condition(), std::move(a), std::move(b));
    }
    Expression variable = services_.new_variable(hint, type);
    services_.assign(variable, a, true);
    services_.assign(variable, b, false);
    return variable;
  }

  // PL/pgSQL refuses a field of a record that was never fetched, even where it is not taken.
  static bool has_rows_of(const State& state, const Expression& expression) {
    std::vector<const Expression*> open = {&expression};
    while (!open.empty()) {
      const Expression& one = *open.back();
      open.pop_back();
      const bool is_field = one.kind == ExpressionKind::field;
      if (is_field && !state.rows.contains(one.operands[0].text)) return false;
      for (const Expression& operand : one.operands) open.push_back(&operand);
    }
    return true;
  }

  // What both begin with stays outside of the choice.
  Text merge_texts(const Text& a, const Text& b) {
    if (a == b) return a;
    std::size_t same = 0;
    while (same < a.size() && same < b.size() && a[same] == b[same]) ++same;
    Text merged(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(same));
    Text rest_a(a.begin() + static_cast<std::ptrdiff_t>(same), a.end());
    Text rest_b(b.begin() + static_cast<std::ptrdiff_t>(same), b.end());
    const bool both_words = !rest_a.empty() && !rest_b.empty() && !rest_a[0].value &&
                            !rest_b[0].value && !rest_a[0].choice && !rest_b[0].choice;
    if (both_words) {
      const auto [end_a, end_b] = std::ranges::mismatch(rest_a[0].words, rest_b[0].words);
      const auto shared = static_cast<std::size_t>(end_a - rest_a[0].words.begin());
      append(merged, words(rest_a[0].words.substr(0, shared)));
      static_cast<void>(end_b);
      cut_words(rest_a, shared);
      cut_words(rest_b, shared);
    }
    Piece piece;
    piece.choice = std::make_shared<TextChoice>(
        TextChoice{services_.condition(), std::move(rest_a), std::move(rest_b)});
    merged.push_back(std::move(piece));
    return merged;
  }
  static void cut_words(Text& text, std::size_t count) {
    text[0].words.erase(0, count);
    if (text[0].words.empty()) text.erase(text.begin());
  }

  std::vector<Setting> merge_settings(const std::vector<Setting>& a,
                                      const std::vector<Setting>& b) {
    std::size_t same = 0;
    while (same < a.size() && same < b.size() && a[same] == b[same]) ++same;
    std::vector<Setting> merged(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(same));
    if (same == a.size() && same == b.size()) return merged;
    Setting setting;
    setting.condition = services_.condition();
    setting.then.assign(a.begin() + static_cast<std::ptrdiff_t>(same), a.end());
    setting.otherwise.assign(b.begin() + static_cast<std::ptrdiff_t>(same), b.end());
    merged.push_back(std::move(setting));
    return merged;
  }

  static Value empty_like(const Value& array) {
    return scalar({.kind = ExpressionKind::cast,
                   .text = variable_type(array.type),
                   .operands = {literal("'{}'")}},
                  array.type);
  }

  // Elements that are not the same are not known; nor is a list of which there are not as many.
  static void merge_items(const Object& a, const Object& b, Object& merged) {
    if (a.items == b.items) return;
    merged.items.assign(std::min(a.items.size(), b.items.size()), Value());
    for (std::size_t i = 0; i < merged.items.size(); ++i) {
      if (a.items[i] == b.items[i]) merged.items[i] = a.items[i];
    }
    if (a.kind == ObjectKind::list && a.items.size() != b.items.size()) merged.items.clear();
  }

  Object merge_objects(std::size_t id, const Object& a, const Object& b) {
    Object merged = a;
    merged.text = merge_texts(a.text, b.text);
    merged.settings = merge_settings(a.settings, b.settings);
    if (a.last_rows != b.last_rows) merged.last_rows = 0;
    if (a.cursor != b.cursor) merged.cursor.clear();
    if (a.columns != b.columns) merged.columns.clear();
    merged.row = merge_expressions(a.row, b.row, "row", "ResultSet");
    merged.last_null = merge_expressions(a.last_null, b.last_null, "was_null", "boolean");
    merged.count = merge_expressions(a.count, b.count, "count", "int");
    merged.has_row = merge_expressions(a.has_row, b.has_row, "has_row", "boolean");
    if (merged.element.empty()) merged.element = b.element;
    merge_items(a, b, merged);
    std::set<std::string> names;
    for (const auto& [name, value] : a.fields) names.insert(name);
    for (const auto& [name, value] : b.fields) names.insert(name);
    for (const std::string& name : names) {
      const Value* first = then_.heap.field(id, name);
      const Value* second = otherwise_.heap.field(id, name);
      if (first != nullptr && second != nullptr) {
        merged.fields[name] = merge_values(*first, *second, name);
      } else if (is_growing(a, name, first != nullptr ? *first : *second)) {
        // An array that one way does not have yet is empty there.
        const Value none = empty_like(first != nullptr ? *first : *second);
        merged.fields[name] = merge_values(first != nullptr ? *first : none,
                                           second != nullptr ? *second : none, name);
      } else {
        merged.fields[name] = Value();
      }
    }
    const bool is_lost = a.kind == ObjectKind::list && a.items.size() != b.items.size();
    if (is_lost) merged.fields = {{"", scalar(unknown("a list"), "[]")}};
    return merged;
  }

  // Arrays of lists, maps and batches.
  static bool is_growing(const Object& object, const std::string& name, const Value& value) {
    const bool is_batch =
        name.starts_with('$') && value.kind == ValueKind::scalar && value.type.ends_with("[]");
    return is_batch || object.kind == ObjectKind::list || object.kind == ObjectKind::map;
  }

  const State& then_;
  const State& otherwise_;
  const MergeServices& services_;
  std::map<std::size_t, Object> kept_;  // in place of those that one way alone has
};

State merge_states(const State& then, const State& otherwise, const MergeServices& services) {
  return Merger(then, otherwise, services).merge();
}

}  // namespace heddle::java
