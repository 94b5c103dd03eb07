#include "frontend/java/functionality_reader.h"

#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "program/connections.h"
#include "program/redis_commands.h"

namespace heddle::java {

Result<Functionality> FunctionalityReader::read(const Class& of, const Method& method) {
  functionality_ = {};
  functionality_.source = method.node.location();
  state_ = {};
  frames_.clear();
  loops_.clear();
  tries_.clear();
  finally_.clear();
  store_errors_.clear();
  batch_patterns_.clear();
  labels_.clear();
  static_objects_.clear();
  constant_objects_.clear();
  declared_types_.clear();
  initialised_.clear();
  escaped_.clear();
  captured_slots_.clear();
  taken_.clear();
  last_numbers_.clear();
  columns_.clear();
  trouble_.reset();
  nesting_ = steps_ = next_slot_ = 0;
  late_ = limits_.steps + method.node.text().size() * limits_.steps_per_byte;
  most_steps_ = limits_.cuts_when_late ? 2 * late_ : late_;
  cut_calls_.clear();
  passed_over_.clear();
  redis_places_.clear();
  followed_ = {&method};
  long_ones_.clear();
  reached_store_ = false;
  frames_.push_back({.owner = &of,
                     .method = &method,
                     .self = {},
                     .scopes = {{}},
                     .result = "",
                     .left = "",
                     .loops = 0});
  steered_.clear();
  are_open_together_ = is_annotated_ = false;
  assumes_transaction_ = false;
  frame().self = make_self(of);
  bind_parameters(of, method);
  Block body;
  begin_transaction(method, body);
  if (!column_type(method.type).empty()) functionality_.returns = column_type(method.type);
  read_block(method.node.field("body"), body);
  if (trouble_) return *trouble_;
  functionality_.body = std::move(body);
  // Each statement keeps the connection that it runs on only where that decides something.
  const auto is_given = [&](std::size_t connection) {
    return state_.heap.contains(connection) && !state_.heap.at(connection).is_opened;
  };
  if (are_open_together_ || count_held({}) > 1 ||
      program::are_open_together(functionality_, is_given)) {
    program::number_connections(functionality_);
  } else {
    program::join_connections(functionality_);
  }
  return std::move(functionality_);
}

Functionality FunctionalityReader::opaque(const Method& method, const Diagnostic& trouble) {
  Functionality functionality;
  functionality.source = method.node.location();
  functionality.states_boundaries = true;
  notes_.push_back({.what = trouble.what + ": " + method.name + "()",
                    .what_to_do = "it is taken to read and write anything",
                    .file = functionality.source.file,
                    .position = functionality.source.position});
  RunStatement run{.statement = opaque_statement(method.name + "()", method.node), .into = {}};
  add(functionality.body, method.node, std::move(run));
  return functionality;
}

// @Transactional(isolation = Isolation.SERIALIZABLE)
void FunctionalityReader::begin_transaction(const Method& method, Block& out) {
  for (const Node& annotation : method.owner->node.child("modifiers").children()) {
    const bool is_of_class = simple_type(annotation.field_text("name")) == "Transactional";
    is_annotated_ = is_annotated_ || is_of_class;
  }
  for (const Node& annotation : method.node.child("modifiers").children()) {
    if (simple_type(annotation.field_text("name")) != "Transactional") continue;
    is_annotated_ = true;
    const std::string text(annotation.field_text("arguments"));
    for (const char* level :
         {"SERIALIZABLE", "REPEATABLE_READ", "READ_COMMITTED", "READ_UNCOMMITTED"}) {
      if (text.find(level) == std::string::npos) continue;
      std::string name = level;
      std::ranges::replace(name, '_', ' ');
      transaction_statement("SET TRANSACTION ISOLATION LEVEL " + name, 0, annotation, out);
    }
  }
}

void FunctionalityReader::bind_parameters(const Class& of, const Method& method) {
  static_cast<void>(of);
  for (const Parameter& parameter : method.parameters) {
    declare(parameter.name, given(parameter.type, parameter.name), parameter.type);
  }
}

// The object whose method is read. Its fields are looked at when they are first used.
std::size_t FunctionalityReader::make_self(const Class& of) {
  Object self;
  self.kind = ObjectKind::instance;
  self.type = of.name;
  self.path = "";
  return state_.heap.add_initial(std::move(self));
}

// What a caller gives, or what a field holds that nothing in sight sets.
Value FunctionalityReader::given(const std::string& type, const std::string& path) {
  const std::string simple = simple_type(type);
  Object object;
  object.type = type;
  object.path = path;
  if (simple == "Connection") {
    object.kind = ObjectKind::connection;
    const std::size_t connection = state_.heap.add_initial(std::move(object));
    if (loops_.empty()) begin_connection(connection);
    return object_value(connection, type);
  }
  const bool is_redis = redis_part(simple) != RedisPart::none;
  if (is_redis && program::has_redis_table(schema_)) {
    object.kind = ObjectKind::parameter;
  } else if (simple == "PreparedStatement" || simple == "Statement") {
    object.kind = ObjectKind::statement;
  } else if (const std::string column = column_type(type); !column.empty()) {
    return parameter_value(type, path);
  } else if (is_map_type(type)) {
    return given_map(type, path);
  } else if (is_builder_type(type)) {
    object.kind = ObjectKind::builder;
    object.text = parameter_value("String", path).text;
  } else if (const std::string element = element_type(type);
             !element.empty() && !is_function_type(type)) {
    if (simple == "Optional") return given(element, path);
    object.kind = ObjectKind::list;
    if (!column_type(element).empty()) {
      object.fields[""] = parameter_value(type, path);
      object.fields[""].type = element + "[]";
    }
  } else if (const Class* known = classes_.find(type, frame().owner)) {
    if (!known->constants.empty()) {
      Value constant = parameter_value("String", path);
      constant.type = known->name;
      return constant;
    }
    object.kind = ObjectKind::instance;
  } else {
    object.kind = ObjectKind::parameter;
  }
  return object_value(state_.heap.add_initial(std::move(object)), type);
}

Value FunctionalityReader::parameter_value(const std::string& type, const std::string& path) {
  std::string name = path;
  std::ranges::replace(name, '.', '_');
  const std::string element = element_type(type);
  const std::string column =
      column_type(type).empty() ? column_type(element) + "[]" : column_type(type);
  name = free_name(name);
  functionality_.parameters.push_back({name, column});
  Expression variable{.kind = ExpressionKind::variable, .text = name, .operands = {}};
  if (column != "text") return scalar(std::move(variable), type);
  return string_value(
      {Piece{.words = "", .value = std::move(variable), .is_string = true, .choice = nullptr}});
}

// Numbers are given once; those that are left over are made good when variables get their last
// names.
std::string FunctionalityReader::free_name(const std::string& base) {
  static constexpr std::array<std::string_view, 3> kReserved = {"found", "sqlstate", "sqlerrm"};
  std::string name = base;
  while (std::ranges::find(kReserved, name) != kReserved.end() || taken_.contains(name)) {
    name = base + "_" + std::to_string(++last_numbers_[base] + 1);
  }
  taken_.insert(name);
  return name;
}

std::string FunctionalityReader::new_variable(const std::string& hint, const std::string& type) {
  std::string base = hint.substr(0, hint.find('#'));
  std::erase_if(base, [](char c) { return c == '$' || c == '.'; });
  std::ranges::replace(base, ' ', '_');
  if (base.empty()) base = "value";
  std::string name = free_name(base);
  ++steps_;
  functionality_.variables.push_back({name, type});
  return name;
}

std::string FunctionalityReader::new_slot(const std::string& name) {
  return name + "#" + std::to_string(++next_slot_);
}

std::string* FunctionalityReader::find_slot(std::string_view name) {
  for (auto& scope : std::views::reverse(frame().scopes)) {
    const auto found = scope.find(std::string(name));
    if (found != scope.end() && state_.locals.contains(found->second)) return &found->second;
  }
  return nullptr;
}

void FunctionalityReader::enter_scope() { frame().scopes.emplace_back(); }

// What was declared in it is not kept, so that states stay small; only code may still use it.
void FunctionalityReader::leave_scope() {
  for (const auto& [name, slot] : frame().scopes.back()) {
    if (!captured_slots_.contains(slot)) state_.locals.erase(slot);
  }
  frame().scopes.pop_back();
}

// Code of a class outside of its methods, such as the value of a field.
void FunctionalityReader::enter_class(const Class& owner, std::optional<std::size_t> self) {
  frames_.push_back({.owner = &owner,
                     .method = nullptr,
                     .self = self,
                     .scopes = {{}},
                     .result = "",
                     .left = "$never",
                     .loops = loops_.size()});
}

// The end of a method or lambda that was followed in its place; what it returned.
Value FunctionalityReader::leave_followed(const std::string& left, const std::string& result) {
  leave_scope();
  frames_.pop_back();
  end_part();
  if (state_.is_dead) return {};
  Value value = state_.locals.take(result);
  state_.locals.erase(left);
  return value;
}

Value& FunctionalityReader::declare(const std::string& name, Value value, const std::string& type) {
  const std::string slot = new_slot(name);
  if (!type.empty() && type != "var") declared_types_[slot] = type;
  frame().scopes.back()[name] = slot;
  return state_.locals.set(slot, std::move(value));
}

// The value as it is now, in a variable of its own.
Expression FunctionalityReader::kept(const Expression& value, const std::string& hint,
                                     const std::string& type, const Node& node, Block& out) {
  if (value.kind == ExpressionKind::variable && value.text != "found") return value;
  if (value.kind == ExpressionKind::literal) return value;
  Expression variable{.kind = ExpressionKind::variable,
                      .text = new_variable(hint, type.empty() ? "text" : type),
                      .operands = {}};
  add(out, node, Assign{.target = variable, .value = value});
  return variable;
}

// What is used several times must not be written out each time: x = x * x + x, thirty times, would
// be longer than any memory.
Value FunctionalityReader::bounded(Value value, const std::string& hint, const Node& node,
                                   Block& out) {
  constexpr std::size_t kLargest = 64;
  constexpr std::size_t kMostPieces = 1000;
  if (value.kind == ValueKind::scalar && is_larger(value.expression, kLargest)) {
    value.expression = kept(value.expression, hint, variable_type(value.type), node, out);
  }
  if (value.kind != ValueKind::text) return value;
  count_cost(value.text);
  if (value.text.size() > kMostPieces) {
    value.text = {Piece{.words = "",
                        .value = kept(text_value(value.text), hint, "text", node, out),
                        .is_string = true,
                        .choice = nullptr}};
  }
  for (Piece& piece : value.text) {
    if (!piece.value || !piece.is_string || !is_larger(*piece.value, kLargest)) continue;
    piece.value = kept(*piece.value, hint, "text", node, out);
  }
  return value;
}

void FunctionalityReader::count_cost(const Text& text) {
  constexpr std::size_t kPiecesPerStep = 64;
  constexpr std::size_t kCharactersPerStep = 4096;
  steps_ += text.size() / kPiecesPerStep;
  for (const Piece& piece : text) steps_ += piece.words.size() / kCharactersPerStep;
}

void FunctionalityReader::note(const Node& node, std::string what, std::string how) {
  const SourceLocation place = node.location();
  Diagnostic diagnostic{.what = std::move(what),
                        .what_to_do = std::move(how),
                        .file = place.file,
                        .position = place.position};
  const bool is_said = std::ranges::any_of(notes_, [&](const Diagnostic& other) {
    return other.what == diagnostic.what && other.file == diagnostic.file &&
           other.position == diagnostic.position;
  });
  if (!is_said) notes_.push_back(std::move(diagnostic));
}

void FunctionalityReader::pass_over(const Node& node, ReadingReason reason, std::string what,
                                    std::string how) {
  passed_over_.emplace_back(reason, node.location());
  note(node, std::move(what), std::move(how));
}

void FunctionalityReader::fail(const Node& node, std::string what, std::string what_to_do,
                               Trouble trouble) {
  if (trouble_) return;
  const SourceLocation place = node.location();
  trouble_ = Diagnostic{.what = std::move(what),
                        .what_to_do = std::move(what_to_do),
                        .file = place.file,
                        .position = place.position,
                        .trouble = trouble};
}

bool FunctionalityReader::enter(const Node& node) {
  if (trouble_) return false;
  constexpr std::size_t kStepsBetweenLooks = 256;
  if (++steps_ % kStepsBetweenLooks == 0 && interrupted()) {
    fail(node, "reading was ended here", "", Trouble::bound);
    return false;
  }
  if (steps_ > most_steps_) {
    fail(node, "what this method does is too long to be followed", "", Trouble::bound);
    return false;
  }
  if (nesting_ >= limits_.nesting) {
    fail(node, "the code is nested too deeply to be followed", "", Trouble::bound);
    return false;
  }
  ++nesting_;
  return true;
}

FunctionalityReader::Mark FunctionalityReader::mark() const {
  return {.variables = functionality_.variables.size(),
          .notes = notes_.size(),
          .states_boundaries = functionality_.states_boundaries};
}

void FunctionalityReader::forget(const Mark& mark) {
  for (std::size_t i = mark.variables; i < functionality_.variables.size(); ++i) {
    taken_.erase(functionality_.variables[i].name);
  }
  functionality_.variables.resize(mark.variables);
  notes_.resize(mark.notes);
  functionality_.states_boundaries = mark.states_boundaries;
}

}  // namespace heddle::java
