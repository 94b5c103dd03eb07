// Where transactions begin and end. A connection commits after each statement until the code turns
// that off, if the code itself opens it; one that it is given is taken to be in a transaction of
// its caller, unless the user says otherwise.
//
// Where two connections have transactions open at the same time, one is cut where the other ends,
// as long as it has only read; else each statement says on which connection it runs.
#include <algorithm>
#include <array>
#include <utility>

#include "frontend/java/functionality_reader.h"
#include "frontend/java/sql_text.h"

namespace heddle::java {

namespace {

constexpr std::string_view kEach = "$each#";        // whether each statement commits
constexpr std::string_view kPending = "$pending#";  // whether there is anything to commit
constexpr std::string_view kHolds = "$holds#";      // whether that holds locks

std::string slot_of(std::string_view what, std::size_t connection) {
  return std::string(what) + std::to_string(connection);
}

template <class See>
void for_each_inside(const Node& root, See see) {
  std::vector<Node> open = {root};
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    see(node);
    for (const Node& child : node.children()) open.push_back(child);
  }
}

// What is known of a value that a field gets.
struct GivenConnection {
  bool is_opened = false;
  bool is_off = false;  // its auto-commit is turned off where it is made
};

void see_switching_off(const Node& node, GivenConnection& made) {
  if (!node.is("method_invocation") || node.field_text("name") != "setAutoCommit") return;
  made.is_off = made.is_off || node.field("arguments").first_child().text() == "false";
}

// `depth`: of methods with source that give what others open.
GivenConnection look_at(const Node& value, const Class& owner, const Classes& classes,
                        std::size_t depth) {
  GivenConnection made;
  if (!value.is("method_invocation") || depth == 0) return made;
  const std::string_view name = value.field_text("name");
  const Node on = value.field("object");
  const Class* of = on.is_present() ? classes.find(on.text(), &owner) : &owner;
  const Method* method =
      of == nullptr ? nullptr
                    : classes.find_method(*of, name, value.field("arguments").children().size());
  if (method == nullptr) {
    made.is_opened = name == "getConnection";
    return made;
  }
  for_each_inside(method->node.field("body"), [&](const Node& node) {
    see_switching_off(node, made);
    if (made.is_opened || !node.is("method_invocation")) return;
    const GivenConnection inner = look_at(node, *of, classes, depth - 1);
    made.is_opened = inner.is_opened;
    made.is_off = made.is_off || inner.is_off;
  });
  return made;
}

}  // namespace

Value FunctionalityReader::new_connection(bool is_opened) {
  Object connection;
  connection.kind = ObjectKind::connection;
  connection.type = "Connection";
  connection.is_opened = is_opened;
  const std::size_t made = state_.heap.add(std::move(connection));
  begin_connection(made);
  return object_value(made, "Connection");
}

// Nothing has been done on it yet.
void FunctionalityReader::begin_connection(std::size_t connection) {
  for (const std::string_view what : {kPending, kHolds}) {
    set_of_connection(what, connection, literal("false"));
  }
}

// A field that other methods set: opened, where all that they set it to is opened by the code.
Value FunctionalityReader::connection_field(const Class& owner, const std::string& field,
                                            const std::string& path) {
  constexpr std::size_t kDepth = 4;
  GivenConnection all;
  bool is_given = !owner.assigned.contains(field);
  for (const Method& method : owner.methods) {
    bool is_set = false;
    GivenConnection here;
    for_each_inside(method.node.field("body"), [&](const Node& node) {
      see_switching_off(node, here);
      if (!node.is("assignment_expression")) return;
      const Node left = node.field("left");
      const Node right = node.field("right");
      const auto name = left.is("field_access") ? left.field_text("field") : left.text();
      if (name != field || right.is("null_literal")) return;
      is_set = true;
      const GivenConnection made = look_at(right, owner, classes_, kDepth);
      is_given = is_given || !made.is_opened;
      here.is_off = here.is_off || made.is_off;
    });
    all.is_opened = all.is_opened || is_set;
    all.is_off = all.is_off || (is_set && here.is_off);
  }
  if (is_given || !all.is_opened) return given("Connection", path);
  const Value made = new_connection(true);
  if (all.is_off) {
    state_.heap.change(made.object).fields["$each"] = scalar(literal("false"), "boolean");
  }
  return made;
}

Expression FunctionalityReader::commits_each(std::size_t connection) const {
  if (const Value* known = state_.locals.find(slot_of(kEach, connection))) {
    return settled(state_, known->expression);
  }
  if (connection != 0) {
    if (const Value* first = state_.heap.field(connection, "$each")) return first->expression;
  }
  const bool is_opened = connection != 0 && state_.heap.at(connection).is_opened;
  return literal(limits_.autocommit.value_or(is_opened && !is_annotated_) ? "true" : "false");
}

Expression FunctionalityReader::is_pending(std::size_t connection) const {
  const Value* known = state_.locals.find(slot_of(kPending, connection));
  return known == nullptr ? literal("true") : settled(state_, known->expression);
}

void FunctionalityReader::set_of_connection(std::string_view what, std::size_t connection,
                                            Expression value) {
  state_.locals.set(slot_of(what, connection), scalar(std::move(value), "boolean"));
}

// How many connections besides that one have a transaction with locks, which cannot be cut.
std::size_t FunctionalityReader::count_held(std::optional<std::size_t> besides) const {
  const auto& all = state_.locals.all();
  return static_cast<std::size_t>(std::ranges::count_if(all, [&](const auto& local) {
    const auto& [slot, value] = local;
    return slot.starts_with(kHolds) && !(besides && slot == slot_of(kHolds, *besides)) &&
           !is_false(settled(state_, value.expression));
  }));
}

void FunctionalityReader::transaction_statement(const std::string& text, std::size_t connection,
                                                const Node& node, Block& out) {
  auto statements = parse_once(text);
  if (!statements || statements->size() != 1) return;
  note_apart_from_redis(node, out);
  RunStatement run;
  run.statement.source = node.location();
  run.statement.connection = connection;
  run.statement.statement = std::move(statements->front());
  const StatementKind kind = run.statement.statement.kind;
  const bool ends = kind == StatementKind::commit || kind == StatementKind::rollback;
  if (ends) {
    set_of_connection(kPending, connection, literal("false"));
    set_of_connection(kHolds, connection, literal("false"));
    are_open_together_ = are_open_together_ || count_held(connection) > 0;
  }
  functionality_.states_boundaries = functionality_.states_boundaries || ends;
  reached_store_ = reached_store_ || ends;
  add(out, node, std::move(run));
}

// commit() and rollback(), which drivers refuse where each statement commits by itself.
void FunctionalityReader::end_transaction(const std::string& text, std::size_t connection,
                                          const Node& node, Block& out) {
  const bool is_refused =
      is_true(commits_each(connection)) && !steered_.contains(connection) && !limits_.autocommit;
  if (is_refused) {
    note(node, text + " of a connection that commits after each statement does nothing",
         "say --autocommit=off if whoever gives connections turns that off");
    return;
  }
  transaction_statement(text, connection, node, out);
}

// true commits what is under way, and then each statement by itself.
void FunctionalityReader::set_auto_commit(std::size_t connection, const Value& value,
                                          const Node& node, Block& out) {
  const Expression each =
      is_single(value) ? settled(state_, to_expression(value)) : literal("false");
  if (is_true(each) && !is_false(is_pending(connection))) {
    transaction_statement("COMMIT", connection, node, out);
  }
  steered_.insert(connection);
  set_of_connection(kEach, connection, each);
}

// `is_plain`: a query without locks.
void FunctionalityReader::after_statement(std::size_t connection, bool is_plain, const Node& node,
                                          Block& out) {
  reached_store_ = true;
  const Expression each = commits_each(connection);
  const Way commits = [&](Block& block) {
    transaction_statement("COMMIT", connection, node, block);
  };
  const Way goes_on = [&](Block& /*block*/) {
    set_of_connection(kPending, connection, literal("true"));
    if (!is_plain) set_of_connection(kHolds, connection, literal("true"));
  };
  if (is_true(each)) return commits(out);
  if (!is_false(each)) return branch(node, each, out, commits, goes_on);
  goes_on(out);
  const bool is_said = limits_.autocommit || is_annotated_ || steered_.contains(connection);
  const bool is_opened = connection != 0 && state_.heap.at(connection).is_opened;
  if (!is_said && !is_opened) assumes_transaction_ = true;
}

// What is known of transactions where a `catch` begins. Where each statement commits by itself, one
// that fails is undone by itself.
void FunctionalityReader::undo_failed_statement(const State& after_body, const Node& clause,
                                                Block& out) {
  bool is_open = false;
  bool commits = false;
  std::vector<std::size_t> connections;
  for (const auto& [slot, value] : after_body.locals.all()) {
    if (!slot.starts_with(kPending)) continue;
    const std::size_t connection = std::stoul(slot.substr(kPending.size()));
    const auto* each = after_body.locals.find(slot_of(kEach, connection));
    if (connection != 0 && after_body.heap.contains(connection)) {
      state_.heap.put(connection, after_body.heap.at(connection));
    }
    if (steered_.contains(connection)) {
      const bool was_off = each == nullptr || !is_true(each->expression);
      const bool stays = state_.locals.contains(slot_of(kEach, connection)) && !was_off;
      if (!stays) set_of_connection(kEach, connection, literal("false"));
    }
    if (is_true(commits_each(connection))) {
      commits = true;
      continue;
    }
    is_open = true;
    set_of_connection(kPending, connection, literal("true"));
  }
  if (commits && !is_open) transaction_statement("ROLLBACK", 0, clause, out);
}

}  // namespace heddle::java
