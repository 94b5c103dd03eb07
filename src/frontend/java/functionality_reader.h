// FunctionalityReader: a Java method to a Functionality. The method's code is gone through once,
// with symbolic values (value.h); what it does to a database becomes actions, and what it computes
// becomes expressions in them. Calls of methods with source are followed in place.
//
// A path through the code may end in the middle of a method that is followed, or in a `try` whose
// `catch` takes what is thrown. A slot then says so ("$left#7"), and what comes after runs under
// the condition that it does not.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "frontend/java/classes/classes.h"
#include "frontend/java/classes/redis_methods.h"
#include "frontend/java/cut_call.h"
#include "frontend/java/state.h"
#include "heddle/program.h"
#include "heddle/reading.h"

namespace heddle::java {

struct RedisCall;

class FunctionalityReader {
 public:
  FunctionalityReader(const Classes& classes, const Schema& schema, ReadLimits limits)
      : classes_(classes), schema_(schema), limits_(limits) {}

  // The method's functionality, without its name.
  Result<Functionality> read(const Class& of, const Method& method);
  // Whether the last method read asked a store for anything.
  bool reached_store() const { return reached_store_; }
  const std::map<std::string, std::string>& chance_names() const { return chance_; }
  // A functionality that may do anything, for a method that is too long to be followed.
  Functionality opaque(const Method& method, const Diagnostic& trouble);
  // The calls of the last method read that were cut.
  const std::vector<CutCall>& cut_calls() const { return cut_calls_; }
  // The methods whose bodies were read in it, its own among them.
  const std::unordered_set<const Method*>& followed() const { return followed_; }
  std::size_t steps() const { return steps_; }
  // Whether the last method read uses a connection that is taken to be in its caller's transaction.
  bool assumes_transaction() const {
    return assumes_transaction_ && !functionality_.states_boundaries;
  }
  // Places that were not followed, and why.
  const std::vector<std::pair<ReadingReason, SourceLocation>>& passed_over() const {
    return passed_over_;
  }
  // Calls of clients of Redis that were followed.
  const std::vector<SourceLocation>& redis_places() const { return redis_places_; }
  // What was not understood of the methods read.
  const std::vector<Diagnostic>& notes() const { return notes_; }

 private:
  // A method that is being followed.
  struct Frame {
    const Class* owner = nullptr;
    const Method* method = nullptr;
    std::optional<std::size_t> self;
    std::vector<std::map<std::string, std::string>> scopes;  // name -> slot
    std::string result;                                      // slot of what it returns
    std::string left;       // slot: it was left; empty: the functionality itself
    std::size_t loops = 0;  // around its call
  };
  using Mark = ReadingMark;
  using Arguments = std::vector<Value>;

  // functionality_reader.cc
  void bind_parameters(const Class& of, const Method& method);
  void begin_transaction(const Method& method, Block& out);
  std::size_t make_self(const Class& of);
  Value given(const std::string& type, const std::string& path);
  Value parameter_value(const std::string& type, const std::string& path);
  std::string free_name(const std::string& base);
  void note(const Node& node, std::string what, std::string how);
  void pass_over(const Node& node, ReadingReason reason, std::string what, std::string how);
  void fail(const Node& node, std::string what, std::string what_to_do, Trouble trouble);
  bool enter(const Node& node);
  void leave() { --nesting_; }
  Mark mark() const;
  void forget(const Mark& mark);

  // statements.cc
  using Way = std::function<void(Block&)>;
  void read_block(const Node& block, Block& out);
  void read_statements(const std::vector<Node>& statements, std::size_t first, Block& out);
  void go_on(const Node& node, const Expression& live, Block& out, const Way& rest);
  void read_statement(const Node& statement, Block& out);
  bool read_loop_statement(const Node& statement, const std::string& label, Block& out);
  void read_other(const Node& statement, Block& out);
  void read_labelled_block(const Node& block, const std::string& label, Block& out);
  void read_declaration(const Node& declaration, Block& out);
  void read_if(const Node& statement, Block& out);
  void read_return(const Node& statement, Block& out);
  void read_leave(const Node& statement, Block& out);
  void leave_method(Value value, const Node& node, Block& out);
  std::vector<Expression> returned_values(const Value& value, std::vector<std::string>& types);
  void learn_return_type(const std::vector<std::string>& types);
  void leave_loops(std::size_t count, const Node& node, Block& out);
  void leave_loop(std::size_t index, bool next, const Node& node, Block& out);
  void begin_part(const std::string& slot);
  void end_part();
  void branch(const Node& node, const Expression& asked, Block& out, const Way& then,
              const Way& otherwise);
  void add_branch(const Node& node, const Expression& condition, TakenWay then, TakenWay otherwise,
                  Block& out);
  Expression live_condition() const;
  Expression left_condition(const std::string& slot) const;

  // switch.cc
  void read_switch(const Node& statement, Block& out);
  void read_yield(const Node& statement, Block& out);
  Value read_switch_value(const Node& expression, Block& out);
  void read_cases(const std::vector<Node>& groups, const std::vector<Node>& all, std::size_t at,
                  const Value& subject, Block& out);
  void read_case_body(const std::vector<Node>& all, const Node& group, Block& out);
  Expression case_condition(const Node& group, const Value& subject);

  // loops.cc
  void read_while(const Node& statement, const std::string& label, Block& out);
  void read_do(const Node& statement, const std::string& label, Block& out);
  void read_for(const Node& statement, const std::string& label, Block& out);
  bool read_count_loop(const Node& statement, const std::string& label, Block& out);
  void read_for_each(const Node& statement, const std::string& label, Block& out);
  // Of what is gone through: its name and label, and whether each element may be read on its own.
  struct Elements {
    std::string name;
    std::string label;
    bool may_unroll = false;   // where the body puts a text together
    std::size_t unrolled = 0;  // where there are at most so many, and known
  };
  using EachElement = std::function<void(Value, Block&)>;
  void read_elements(const Node& node, const Value& list, const Elements& what,
                     const EachElement& each, Block& out);
  using Round = std::function<void(std::size_t, Block&)>;
  void read_rounds(const Node& node, std::size_t first, std::size_t last, const Round& round,
                   Block& out);
  bool is_unrolled(const Node& body, std::size_t rounds) const;
  void leave_unless(const Node& condition, Block& out);
  // Reads the body as often as it takes to know what changes in it; returns the loop's label.
  std::string read_loop(const Node& node, const std::string& label, std::vector<Node> updates,
                        Block& before, Block& body, const Way& read_body);
  void add_changed(const State& before, const State& after, std::vector<Carried>& carried) const;
  void add_changed_parts(std::size_t id, const State& before, const State& after,
                         std::vector<Carried>& carried) const;
  void begin_carrying(std::vector<Carried>& carried, const Node& node, Block& out);
  void carry(const std::vector<Carried>& carried, const Node& node, Block& out);
  Text beginning_of(const Carried& one) const;
  Value carried_value(const Carried& one) const;
  void set_carried(const Carried& one);
  bool is_assigned(const Node& body, std::string_view name) const;

  // exceptions.cc
  void read_try(const Node& statement, Block& out);
  void read_attempt(const Node& statement, Block& out);
  void read_recovery(const Node& statement, const State& entry, Attempt attempt, Block& out);
  void enter_recovery(const Node& clause, const Node& left_body, const State& entry,
                      const State& after_body, Block& out);
  Value kept_in_recovery(const Value& value, const State& after_body);
  Value store_error(const Node& clause, Block& out);
  void meet_after_attempt(const Node& node, State after_body, Block& body, Block& recovery);
  void read_catch_body(const Node& clause, const Value& exception, Block& out);
  void read_resources(const Node& statement, Block& out);
  void read_finally(const Node& clause, Block& out);
  void run_finally_blocks(std::size_t down_to, Block& out);
  void read_throw(const Node& statement, Block& out);
  void raise(const Node& node, const Value& exception, Block& out);
  bool catches(const std::vector<std::string>& caught, std::string_view type) const;
  std::vector<std::string> caught_types(const Node& clause) const;
  static std::string thrown_type(const Value& thrown);
  std::vector<std::string> conditions_of(const std::vector<std::string>& types, const Node& clause);
  bool asks_postgres() const;

  // errors.cc: what exceptions say
  std::optional<Value> call_on_exception(const Value& exception, const std::string& name,
                                         const Arguments& arguments);
  void learn_exception(Object& exception, const Arguments& arguments) const;
  Text exception_text(const Object& exception) const;
  Raise raise_of(const Value& exception) const;
  bool is_optimistic(const std::string& type) const;

  // expressions.cc
  Value read(const Node& expression, Block& out);
  Value read_one(const Node& expression, Block& out);
  Value read_literal(const Node& expression) const;
  Value read_name(const Node& name, Block& out);
  Value read_field(const Node& access, Block& out);
  static std::optional<Value> library_constant(const std::string& type, const std::string& name);
  Value constant_field(const Class& owner, const Field& field);
  void run_static_blocks(const Class& owner);
  static bool is_kept(const Class& owner, const Field& field);
  Value read_initial(const Class& owner, std::optional<std::size_t> self, const Field& field);
  Value property(const Value& value, const std::string& name);
  void set_property(std::size_t object, const std::string& name, Value value);
  void set_property_of(const Value& object, const std::string& name, const Value& value);
  Value chosen(const Expression& condition, const Value& then, const Value& otherwise) const;
  Value read_binary(const Node& expression, Block& out);
  Value read_logic(const Node& expression, Block& out);
  Value read_comparison(const Node& node, const std::string& name, const Value& a, const Value& b);
  Value read_sum(const Node& expression, Block& out);
  static std::string arithmetic_name(std::string_view java);
  Value arithmetic(const std::string& name, const Value& a, const Value& b) const;
  Value is_null(const Value& value) const;
  bool may_be_null(const Value& value) const;
  Value read_unary(const Node& expression, Block& out);
  Value read_update(const Node& expression, Block& out);
  Value read_assignment(const Node& expression, Block& out);
  void assign(const Node& target, Value value, Block& out);
  Value read_choice(const Node& expression, Block& out);
  Value read_cast(const Node& expression, Block& out);
  Value converted(Value value, const std::string& declared) const;
  Expression condition_of(const Node& expression, Block& out);

  // creation.cc
  Value read_creation(const Node& expression, Block& out);
  Value create_exception(const std::string& type, const Class* known, const Arguments& arguments,
                         const Node& node, Block& out);
  Value create_instance(const Class& of, const Arguments& arguments, const Node& node, Block& out);
  void initialise(const Value& made, const Node& creation, Block& out);
  std::optional<Value> create_known(const std::string& simple, const std::string& type,
                                    const Arguments& arguments);
  Value read_array(const Node& expression, Block& out);
  Value read_array_access(const Node& expression, Block& out);

  // calls.cc
  Value read_call(const Node& invocation, Block& out);
  Value call_plain(const Node& invocation, const std::string& name, const Arguments& arguments,
                   Block& out);
  Value call_on(const Value& object, const std::string& name, const Arguments& arguments,
                const Node& node, Block& out);
  std::optional<Value> call_known(const Value& object, const std::string& name,
                                  const Arguments& arguments, const Node& node, Block& out);
  std::optional<Value> call_on_object(const Value& object, const std::string& name);
  bool has_own_method(const Value& object, const std::string& name,
                      const Arguments& arguments) const;
  Value call_on_choice(const Value& object, const std::string& name, const Arguments& arguments,
                       const Node& node, Block& out);
  Value follow(const Method& method, std::optional<std::size_t> self, const Arguments& arguments,
               const Node& node, Block& out);
  Value follow_in_place(const Method& method, std::optional<std::size_t> self,
                        const Arguments& arguments, const Node& node, Block& out);
  bool calls_itself(const Method& method) const;
  void forget_contents(const Value& value);
  void refuse_null(const Expression& is_null, const Node& node, Block& out);
  Value one_of(std::size_t object, const Class& of, const Node& node, Block& out);
  std::optional<Value> call_on_unknown_store(const Value& object, const std::string& name,
                                             const Arguments& arguments, const Node& node,
                                             Block& out);
  std::optional<Value> wrapped(const std::string& name, const Arguments& arguments) const;
  Value unknown_call(const Value& object, const std::string& name, const Arguments& arguments,
                     const Node& node, Block& out);
  Arguments read_arguments(const Node& list, Block& out, std::string_view second = {});
  bool touches_store(const Value& value) const;
  std::vector<Expression> read_unseen(const Value& rows, const Node& node, Block& out);
  std::optional<Value> chance_of(const Value& object, const std::string& name,
                                 const Arguments& arguments, const Node& node, Block& out);
  void name_chance(const Value& value, const std::string& name);

  // cut_calls.cc
  bool cuts_calls() const;
  Value follow_or_cut(const Method& method, std::optional<std::size_t> self,
                      const Arguments& arguments, const Node& node, Block& out);
  std::optional<Value> try_to_follow(const Method& method, std::optional<std::size_t> self,
                                     const Arguments& arguments, const Node& node, Block& out);
  void undo_variables(const Mark& mark);
  Value cut(const Method& method, std::optional<std::size_t> self, const Arguments& arguments,
            const Node& node, Block& out);
  void may_throw(const Method& method, const Node& node, Block& out);
  void forget_all(std::vector<std::size_t> objects);
  void forget_fields(std::size_t object, std::vector<std::size_t>& further);
  Value any_result(const Method& method, const Node& node, Block& out);

  // overloads.cc
  const Method* find_called(const Class& of, const std::string& name, const Arguments& arguments,
                            const Node& node);
  const Method* choose_method(const std::vector<const Method*>& methods, const std::string& name,
                              const Arguments& arguments, const Node& node);
  void construct(const Class& of, std::size_t id, const Arguments& arguments, const Node& node,
                 Block& out);
  void read_constructor_call(const Node& statement, Block& out);
  std::string static_type(const Node& node, const Value& value, std::size_t depth = 0);
  std::string static_sum_type(const Node& node, const Value& value, std::size_t depth);

  // callbacks.cc: code that is given to others
  Value make_lambda(const Node& expression, Block& out);
  std::shared_ptr<const Captured> capture(bool with_variables);
  std::optional<std::size_t> self_of(const Class& owner) const;
  const Class& class_of_this() const;
  Value value_of_this() const;
  std::optional<Value> call_on_this(const std::string& name, const Arguments& arguments,
                                    const Node& node, Block& out);
  bool is_lambda(const Value& value) const;
  Value invoke(const Value& function, const Arguments& arguments, const Node& node, Block& out);
  Value call_function(const Value& function, const std::string& name, const Arguments& arguments,
                      const Node& node, Block& out);
  Value call_lambda(std::size_t lambda, const Arguments& arguments, const Node& node, Block& out);
  Value call_reference(std::size_t lambda, const Arguments& arguments, const Node& node,
                       Block& out);
  Value create(const std::string& type, const Arguments& arguments, const Node& expression,
               Block& out);
  void call_back(const std::string& name, const Arguments& arguments, const Node& node, Block& out);
  void note_escape(const Value& value);
  void run_escaped(const Value& object, const std::string& name, const Arguments& arguments,
                   const Node& node, Block& out);
  void run_unknown_times(const Node& node, Block& out, const Way& code);

  // enumerations.cc: their constants are texts, whose fields an object of each holds
  const Class* find_enumeration(const std::string& type) const;
  bool is_string(const std::string& type) const;
  Value typed(Expression expression, const std::string& type) const;
  Value constant_value(const Class& of, const std::string& name) const;
  std::size_t constant_object(const Class& of, std::size_t place);
  std::optional<Value> find_constant(const std::string& name) const;
  using Chosen = std::function<Value(std::size_t, Block&)>;
  Value for_constant(const Class& of, const Value& value, const Node& node, Block& out,
                     const Chosen& chosen);
  Value for_constants(const Class& of, const Value& value, std::size_t first, const Node& node,
                      Block& out, const Chosen& chosen);
  std::optional<Value> call_on_constant(const Value& value, const Class& of,
                                        const std::string& name, const Arguments& arguments,
                                        const Node& node, Block& out);
  std::optional<Value> call_on_enumeration(const Class& of, const std::string& name,
                                           const Arguments& arguments, const Node& node,
                                           Block& out);
  Value constant_of_name(const Class& of, const Value& name, const Node& node, Block& out);
  Value told(const Value& value, const Node& node, Block& out);

  // maps.cc: one array of keys, and one for each property of the values
  std::optional<Value> call_on_map(const Value& map, const std::string& name,
                                   const Arguments& arguments, const Node& node, Block& out);
  Value new_map(const std::string& type, const Arguments& arguments);
  Value given_map(const std::string& type, const std::string& path);
  std::optional<Value> static_map(const std::string& type, const std::string& name,
                                  const Arguments& arguments);
  std::optional<Value> call_with_key(std::size_t map, const std::string& name,
                                     const Arguments& arguments, const Node& node, Block& out);
  Expression place_in_map(std::size_t map, const Value& key, const Node& node, Block& out);
  bool has_items(const Object& map) const;
  Value entry_value(std::size_t map, const Expression& place);
  Value value_or_null(std::size_t map, const Expression& place);
  std::optional<Value> ask_known_keys(std::size_t map, const std::string& name,
                                      const Arguments& arguments, const Node& node);
  void append_to_map(std::size_t map, const Value& key, const Value& value);
  void spread_items(std::size_t map);
  void put_in_map(std::size_t map, const Value& key, const Expression& place, const Value& value,
                  const Node& node, Block& out);
  void replace_in_map(std::size_t map, const Expression& place, const Value& value,
                      const Node& node, Block& out);
  void remove_from_map(std::size_t map, const Expression& place, const Node& node, Block& out);
  Value change_in_map(std::size_t map, const std::string& name, const Arguments& arguments,
                      const Node& node, Block& out);
  Value add_list(Object list);
  Value list_of_map(std::size_t map, const std::string& part, const Node& node, Block& out);
  void sort_map(std::size_t map, const Node& node, Block& out);

  // streams.cc: loops through a list
  std::optional<Value> call_on_stream(const Value& stream, const std::string& name,
                                      const Arguments& arguments, const Node& node, Block& out);
  Value new_stream(const Value& list);
  std::optional<Value> static_stream(const std::string& type, const std::string& name,
                                     const Arguments& arguments);
  std::optional<Value> finish_stream(const Value& stream, const std::string& name,
                                     const Arguments& arguments, const Node& node, Block& out);
  using Each = std::function<void(const Value&, Block&)>;
  // One way through a stream: what its steps count, and the loop that it leaves when it ends early.
  struct Walk {
    const Object* stream = nullptr;
    std::vector<std::string> slots;
    std::size_t loop = 0;
  };
  void read_stream(const Value& stream, const Node& node, Block& out, const Each& each,
                   std::size_t unrolled = 0);
  void read_steps(const Walk& walk, std::size_t step, const Value& element, const Node& node,
                  Block& out, const Each& each);
  std::optional<Value> collected(const Value& stream, const Value& collector, const Node& node,
                                 Block& out);
  Value collect_list(const Value& stream, bool is_set, const Node& node, Block& out);
  std::optional<Value> collect_map(const Value& stream, const Object& collector, const Node& node,
                                   Block& out);
  Value joined(const Value& stream, const Arguments& arguments, const Node& node, Block& out);
  Value reduced(const Value& stream, Value first, const Node& node, Block& out,
                const std::function<Value(const Value&, const Value&, Block&)>& step);
  Value matched(const Value& stream, const std::string& name, const Value& predicate,
                const Node& node, Block& out);
  Value first_of(const Value& stream, const Node& node, Block& out);
  bool is_natural(const Arguments& arguments) const;
  Expression condition_of_call(const Value& predicate, const Arguments& arguments, const Node& node,
                               Block& out);
  std::optional<Value> map_optional(const Value& value, const std::string& name,
                                    const Arguments& arguments, const Node& node, Block& out);

  // library.cc: what the Java library does
  std::optional<Value> call_static(const std::string& type, const std::string& name,
                                   const Arguments& arguments);
  std::optional<Value> join_texts(const Arguments& arguments) const;
  std::optional<Value> copies(const Value& number, const Value& of);
  std::optional<Value> call_static_number(const std::string& type, const std::string& name,
                                          const Arguments& arguments);
  std::optional<Value> call_on_text(const Value& value, const std::string& name,
                                    const Arguments& arguments);
  std::optional<Value> call_on_number(const Value& value, const std::string& name,
                                      const Arguments& arguments);
  std::optional<Value> call_on_builder(const Value& builder, const std::string& name,
                                       const Arguments& arguments, const Node& node, Block& out);
  Value set_length(const Value& builder, const Expression& size);
  void refuse_index(const Value& builder, const Expression& index, const Text& message,
                    const Node& node, Block& out);
  Value formatted(const Text& format, const Arguments& arguments, std::size_t first) const;
  Text as_text(const Value& value) const;

  // lists.cc
  std::optional<Value> call_on_list(const Value& list, const std::string& name,
                                    const Arguments& arguments, const Node& node, Block& out);
  std::optional<Value> call_on_optional(const Value& value, const std::string& name,
                                        const Arguments& arguments, const Node& node, Block& out);
  Value new_list(const std::string& element, const Arguments& elements);
  void add_element(std::size_t list, const Value& element);
  void add_element_at(std::size_t list, const std::string& path, const Value& element);
  void add_item(std::size_t list, const Value& element);
  void add_leaves(std::size_t list, const std::string& path, const Value& element,
                  std::vector<std::size_t>& owners);
  void set_element(std::size_t list, const Expression& index, const Value& value, const Node& node,
                   Block& out);
  Value element_of(std::size_t list, const Expression& index);
  Value array_element(const Value& array, const Expression& index) const;
  Value instance_at(std::size_t list, const std::string& prefix, const std::string& type,
                    const Expression& index);
  std::string property_type(const std::string& type, const std::string& name) const;
  Value add_to_set(std::size_t list, const Value& element, const Node& node, Block& out);
  std::optional<Value> go_through_list(const Value& list, const std::string& name,
                                       const Arguments& arguments, const Node& node, Block& out);
  void sort_arrays(std::map<std::string, Value>& arrays, const std::string& by, bool descends,
                   const Node& node, Block& out);
  bool sort_list(const Value& list, const Arguments& comparator, const Node& node, Block& out);
  Expression list_size(std::size_t list) const;
  static Expression empty_array(const std::string& element);
  static Expression appended(const Expression& array, const Expression& value);

  // jdbc.cc: what JDBC does
  std::optional<Value> call_on_connection(std::size_t connection, const std::string& name,
                                          const Arguments& arguments, const Node& node, Block& out);
  std::optional<Value> call_on_statement(const Value& statement, const std::string& name,
                                         const Arguments& arguments, const Node& node, Block& out);
  Value prepare(const Arguments& arguments);
  Value prepare_sql(const Arguments& arguments);
  Value prepare_with_values(const Arguments& arguments, const Node& node, Block& out);
  void ask_for_keys(Object& statement, const Value& which);
  void set_parameter(std::size_t statement, const Value& index, const Value& value,
                     const Node& node, Block& out);
  bool execute_choice(std::size_t statement, const std::string& name, const Arguments& arguments,
                      const Node& node, Block& out, Value& value);
  Value prepare_call(const Arguments& arguments);
  Value execute(std::size_t statement, const std::string& name, const Arguments& arguments,
                const Node& node, Block& out);
  std::string savepoint_name(const Value& value) const;

  // redis.cc: what clients of Redis do
  std::optional<Value> call_on_redis(const Value& object, const std::string& name,
                                     const Arguments& arguments, const Node& node, Block& out);
  std::optional<Value> call_on_redis_group(std::string_view type, const std::string& name,
                                           const Node& node, Block& out);
  Value call_redis_method(RedisPart part, std::string_view type, const std::string& name,
                          const Arguments& arguments, const Node& node, Block& out);
  Value run_redis(const RedisCall& call, const Node& node, Block& out);
  void run_redis_group(const Node& node, Block& out, const Way& commands);
  Value set_in_redis(const RedisCall& call, const Node& node, Block& out);
  std::string redis_word(const Value& value, std::vector<Expression>& arguments, const Node& node,
                         Block& out);
  void add_redis(const std::string& sql, std::vector<Expression> arguments,
                 std::vector<Expression> into, const Node& node, Block& out);
  Value redis_answer(const RedisCall& call, const std::string& given, const Node& node, Block& out);
  void end_redis_group(bool is_discarded, const Node& node, Block& out);
  void note_apart_from_redis(const Node& node, Block& out);

  // boundaries.cc: where transactions begin and end
  Value new_connection(bool is_opened);
  void begin_connection(std::size_t connection);
  Value connection_field(const Class& owner, const std::string& field, const std::string& path);
  Expression commits_each(std::size_t connection) const;
  Expression is_pending(std::size_t connection) const;
  void set_of_connection(std::string_view what, std::size_t connection, Expression value);
  void transaction_statement(const std::string& text, std::size_t connection, const Node& node,
                             Block& out);
  void end_transaction(const std::string& text, std::size_t connection, const Node& node,
                       Block& out);
  void set_auto_commit(std::size_t connection, const Value& value, const Node& node, Block& out);
  void after_statement(std::size_t connection, bool is_plain, const Node& node, Block& out);
  std::size_t count_held(std::optional<std::size_t> besides) const;
  void undo_failed_statement(const State& after_body, const Node& clause, Block& out);

  // batch.cc
  using RunEntry = std::function<void(const Expression& at, Block&)>;
  void add_batch(std::size_t statement, const Arguments& arguments, const Node& node);
  bool add_batch_values(std::size_t statement, const Text& text);
  void clear_batch(std::size_t statement);
  void run_entries(const Expression& array, const Node& node, Block& out,
                   const RunEntry& run_entry);
  Object waiting_batch(std::size_t statement, const Node& node, Block& out);
  Value execute_batch(std::size_t statement, const Node& node, Block& out);

  // rows.cc: what ResultSet does
  std::optional<Value> call_on_rows(const Value& rows, const std::string& name,
                                    const Arguments& arguments, const Node& node, Block& out);
  Value next_row(std::size_t rows, const Node& node, Block& out);
  void refuse_missing_row(std::size_t rows, const Node& node, Block& out);
  Value column(std::size_t rows, const std::string& getter, const Value& which, const Node& node);
  std::vector<std::string> learn_columns(const std::string& rows, const Statement& statement);

  // execution.cc: statements with what is known of their text and parameters
  Executed run(const Execution& execution, const Node& node, Block& out);
  std::pair<Execution, std::optional<Expression>> settle(const Execution& execution) const;
  // Whether its text hangs on more conditions than are followed, of which `assumed` are decided.
  bool has_too_many_texts(const Execution& execution, std::size_t assumed);
  void run_assuming(const Execution& execution, const Node& node, Block& out, Executed& executed);
  void add_statement(const Execution& execution, ProgramStatement statement, const Node& node,
                     Block& out);
  ProgramStatement statement_of(const Execution& execution, const Node& node, Block& out,
                                Executed& executed);
  void learn_rows(const std::string& rows, const Statement& statement, Executed& executed);
  ProgramStatement opaque_statement(const std::string& what, const Node& node);
  Expression argument(const Expression& value, const std::string& type, const Node& node,
                      Block& out);
  std::string declared_type(const Expression& value) const;

  // Names.
  std::string new_variable(const std::string& hint, const std::string& type);
  std::string new_slot(const std::string& name);
  std::string* find_slot(std::string_view name);
  void enter_class(const Class& owner, std::optional<std::size_t> self);
  Value leave_followed(const std::string& left, const std::string& result);
  void enter_scope();
  void leave_scope();
  Value& declare(const std::string& name, Value value, const std::string& type = "");
  // A value that is not larger than what a variable is worth.
  Value bounded(Value value, const std::string& hint, const Node& node, Block& out);
  void count_cost(const Text& text);
  Frame& frame() { return frames_.back(); }
  const Frame& frame() const { return frames_.back(); }
  Expression kept(const Expression& value, const std::string& hint, const std::string& type,
                  const Node& node, Block& out);

  template <class What>
  void add(Block& block, const Node& node, What what) {
    block.push_back({.source = node.location(), .what = std::move(what)});
  }

  const Classes& classes_;
  const Schema& schema_;
  ReadLimits limits_;
  Functionality functionality_;
  std::vector<Diagnostic> notes_;
  State state_;
  std::vector<Frame> frames_;
  std::vector<LoopPlace> loops_;
  std::vector<TryPlace> tries_;
  std::vector<FinallyPlace> finally_;
  std::vector<std::size_t> store_errors_;           // objects, of the recoveries that are read
  std::unordered_set<std::string> captured_slots_;  // that code uses which is called later
  std::vector<std::string> labels_;             // slots that say that a part of the code was left
  std::map<std::string, ColumnFacts> columns_;  // by the row's variable and the column: r.balance
  std::map<std::string, std::string> chance_;   // what the code calls values of chance, by variable
  std::map<std::size_t, Text> batch_patterns_;  // of statements, with numbers in place of values
  std::unordered_set<std::string> taken_;       // names of parameters and variables
  std::map<std::string, std::size_t> last_numbers_;  // of names that several have
  std::map<const Field*, Value> constants_;
  std::map<const Field*, Value> static_objects_;  // of the functionality that is read
  std::map<std::pair<const Class*, std::size_t>, std::size_t> constant_objects_;  // of enumerations
  std::vector<Object> escaped_;  // code in lists and maps, whose place may not be known any more
  std::set<const Class*> initialised_;                 // whose static blocks were read
  std::map<std::string, std::string> declared_types_;  // of slots, as the code says
  std::optional<Diagnostic> trouble_;
  std::vector<std::string> switch_results_;  // slots of the values of switches, innermost last
  std::string expected_type_;                // what the expression that is read next is for
  std::size_t nesting_ = 0;
  std::size_t steps_ = 0;
  std::size_t most_steps_ = 0;
  std::size_t late_ = 0;  // steps after which calls are cut
  bool assumes_transaction_ = false;
  bool is_annotated_ = false;       // @Transactional: somebody ends the transaction
  bool are_open_together_ = false;  // transactions of two connections
  std::set<std::size_t> steered_;   // connections whose auto-commit the code sets
  std::vector<CutCall> cut_calls_;
  std::vector<std::pair<ReadingReason, SourceLocation>> passed_over_;
  std::vector<SourceLocation> redis_places_;
  std::unordered_set<const Method*> followed_;
  std::set<const Method*> long_ones_;  // that took more steps than a cut call may
  std::size_t next_slot_ = 0;
  bool reached_store_ = false;
};

}  // namespace heddle::java
