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

// What copies have in common until one of them changes it. A copy costs nothing.
template <class T>
class Shared {
 public:
  Shared() : value_(std::make_shared<T>()) {}

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  // This copy's own.
  T& change() {
    if (value_.use_count() > 1) value_ = std::make_shared<T>(*value_);
    return *value_;
  }
  // Whether neither of the two was changed since one was copied from the other.
  bool is_same(const Shared& other) const { return value_ == other.value_; }

 private:
  std::shared_ptr<T> value_;
};

// Local variables by slots: every declaration has its own.
class Locals {
 public:
  using Values = std::map<std::string, Value>;

  bool contains(const std::string& slot) const { return values_->contains(slot); }
  // nullptr: there is none.
  const Value* find(const std::string& slot) const {
    const auto known = values_->find(slot);
    return known == values_->end() ? nullptr : &known->second;
  }
  // The value, or one that is not known.
  Value get(const std::string& slot) const {
    const Value* value = find(slot);
    return value == nullptr ? Value() : *value;
  }
  Value& set(const std::string& slot, Value value) {
    return values_.change()[slot] = std::move(value);
  }
  void erase(const std::string& slot) {
    if (contains(slot)) values_.change().erase(slot);
  }
  Value take(const std::string& slot) {
    Value value = get(slot);
    erase(slot);
    return value;
  }
  const Values& all() const { return *values_; }
  std::size_t size() const { return values_->size(); }
  bool is_same(const Locals& other) const { return values_.is_same(other.values_); }

 private:
  Shared<Values> values_;
};

// Objects by their numbers. States share an object until one of them changes it. What was there
// before the method began, and is looked at when it is first used, is the same on every path: it is
// put into what all heaps of the method share.
class Heap {
 public:
  Heap() : common_(std::make_shared<Common>()) {}

  std::size_t add(Object object);
  std::size_t add_initial(Object object);
  void set_initial_field(std::size_t id, const std::string& name, const Value& value);
  std::size_t size() const { return objects_->size(); }
  std::size_t next() const { return common_->next; }
  // The objects from `first` on are the same on every path.
  void make_initial(std::size_t first);
  // An object of another path, by its number there.
  void put(std::size_t id, const Object& object) {
    if (!contains(id)) objects_.change()[id] = std::make_shared<Object>(object);
  }
  bool contains(std::size_t id) const {
    return objects_->contains(id) || common_->initial.contains(id);
  }
  const Object& at(std::size_t id) const;
  Object& change(std::size_t id);
  // The value of an object's field on this path, or what it was at first, or nullptr.
  const Value* field(std::size_t id, const std::string& name) const;

 private:
  using Objects = std::map<std::size_t, std::shared_ptr<Object>>;
  struct Common {
    Objects initial;
    std::map<std::pair<std::size_t, std::string>, Value> fields;
    std::size_t next = 1;
  };

  Shared<Objects> objects_;
  std::shared_ptr<Common> common_;
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
  Locals locals;
  std::set<std::string> rows;  // records that were fetched on every way here
  std::vector<Fact> facts;     // that the ways here have in common
  Heap heap;
  bool is_dead = false;  // nothing comes here: the functionality or loop was left
};

// A way through the method that meets another one: what is known at its end, and what it did.
struct TakenWay {
  State state;
  Block block;
};

// What a merge asks of whoever runs it.
struct MergeServices {
  // A new variable of the program.
  std::function<Expression(const std::string& hint, const std::string& type)> new_variable;
  // Assigns it at the end of the one way or the other.
  std::function<void(const Expression& variable, const Expression& value, bool in_then)> assign;
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
// The same of all values that it may be.
bool is_single_choice(const Value& value);

// Places in a method that code inside of them leaves.

// What changes in a loop, and so lives in a variable while it is read: a slot, or a part of an
// object.
struct Carried {
  std::string slot;
  std::size_t object = 0;
  std::string part;  // of the object: a member, or "." and a field
  std::string type;  // Java's; empty: not to be followed
  Expression variable;
  bool appends = false;  // a text that only becomes longer
  Text beginning;        // of it, before the loop: the variable is the rest
};

struct LoopPlace {
  std::string label;  // Java's
  std::string name;   // the program's label; empty while nothing needs one
  std::vector<Carried> carried;
  std::vector<Node> updates;  // of a `for`
  std::string left;           // of a switch or labelled block: the slot that says it was left
  bool is_block = false;      // a labelled block: only its label leaves it
  std::size_t frame = 0;
  std::size_t finally_blocks = 0;
  const State* before = nullptr;          // while looking for what changes
  std::vector<Carried>* found = nullptr;  // and where that goes
};

struct TryPlace {
  std::string left;    // slot: something was thrown in it
  std::string thrown;  // slot: what
  std::size_t loops = 0;
  std::vector<std::string> caught;  // simple names of classes
};

struct FinallyPlace {
  Node clause;
  std::size_t frame = 0;
};

}  // namespace heddle::java
