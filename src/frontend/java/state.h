// Everything that is known at one place of a method, and how two ways through it meet.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/java/value.h"

namespace heddle::java {

// Objects by their numbers. States share an object until one of them changes it. What was there
// before the method began, and is looked at when it is first used, is the same on every path: it is
// put into what all heaps of the method share.
class Heap {
 public:
  Heap() : shared_(std::make_shared<Shared>()) {}

  std::size_t add(Object object);
  std::size_t add_initial(Object object);
  void set_initial_field(std::size_t id, const std::string& name, const Value& value);
  std::size_t size() const { return objects_.size(); }
  std::size_t next() const { return shared_->next; }
  // The objects from `first` on are the same on every path.
  void make_initial(std::size_t first);
  const Object& at(std::size_t id) const;
  Object& change(std::size_t id);
  // The value of an object's field on this path, or what it was at first, or nullptr.
  const Value* field(std::size_t id, const std::string& name) const;

 private:
  using Objects = std::map<std::size_t, std::shared_ptr<Object>>;
  struct Shared {
    Objects initial;
    std::map<std::pair<std::size_t, std::string>, Value> fields;
    std::size_t next = 1;
  };

  Objects objects_;
  std::shared_ptr<Shared> shared_;
  friend class Merger;
  friend std::vector<std::size_t> changed_objects(const Heap& before, const Heap& after);
};

// The objects of `before` that are different in `after`.
std::vector<std::size_t> changed_objects(const Heap& before, const Heap& after);

// A condition that is known to hold, or not to hold.
struct Fact {
  Expression condition;
  bool holds = true;

  friend bool operator==(const Fact&, const Fact&) = default;
};

struct State {
  std::map<std::string, Value> locals;  // by slots: every declaration has its own
  std::set<std::string> rows;           // records that were fetched on every way here
  std::vector<Fact> facts;              // that the ways here have in common
  Heap heap;
  bool is_dead = false;  // nothing comes here: the functionality or loop was left
};

// What a merge asks of whoever runs it.
struct MergeServices {
  // A variable of the program, assigned in both ways.
  std::function<Expression(const std::string& hint, const std::string& type, const Expression& then,
                           const Expression& otherwise)>
      assign_in_both;
  // The condition as it was where the ways parted, for later use.
  std::function<Expression()> condition;
};

// The state where two ways meet, none of which is dead.
State merge_states(const State& then, const State& otherwise, const MergeServices& services);

// Notes that the condition holds or does not, and what follows for its parts.
void add_fact(State& state, const Expression& condition, bool holds);
// The same where the facts hold.
Expression settled(const State& state, Expression expression);
Text settled(const State& state, const Text& text);
Value settled(const State& state, Value value);

// Whether only constants are in it: true, 5, CASE WHEN a THEN 1 ELSE 2 END.
bool is_constant_choice(const Expression& expression);

// A value where it is used as one thing: strings joined.
Expression to_expression(const Value& value);
// Whether a value is one thing: a number, a string or null.
bool is_single(const Value& value);

}  // namespace heddle::java
