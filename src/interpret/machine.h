// Machine: one run of one functionality. It walks the actions; what a statement gives goes into
// variables, what an expression needs comes from them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "heddle/interpret.h"
#include "interpret/evaluate.h"
#include "interpret/value.h"
#include "program/retries.h"

namespace heddle::interpreter {

class Machine {
 public:
  // All must outlive the machine.
  Machine(const Program& program, const Functionality& functionality, StatementRunner& runner,
          const InterpretOptions& options);

  Result<Interpretation> run(const std::vector<Cell>& arguments);

 private:
  // Where to go after an action.
  enum class Way : std::uint8_t {
    on,
    leave,     // out of the loop that label_ names, or of the innermost
    again,     // to the next iteration of it
    ended,     // this loop
    finished,  // the functionality has returned
    failed,    // error_ or trouble_ says why
  };

  struct Cursor {
    bool is_open = false;
    bool is_held = false;   // the client has its rows, whatever becomes of the transaction
    std::size_t depth = 0;  // Attempts around its opening
    std::size_t connection = 0;
    StatementResult result;
    std::size_t next = 0;
  };

  // machine.cc: what steers
  Way run_block(const Block& block);
  Way run_action(const Action& action);
  Way run_one(const RunStatement& run);
  Way run_one(const OpenRows& open);
  Way run_one(const FetchRow& fetch);
  Way run_one(const CloseRows& close);
  Way run_one(const Assign& assign);
  Way run_one(const CountRows& count);
  Way run_one(const Branch& branch);
  Way run_one(const Loop& loop);
  Way run_one(const RowLoop& loop);
  Way run_one(const CountLoop& loop);
  Way run_one(const ElementLoop& loop);
  Way run_one(const LeaveLoop& leave);
  Way run_one(const Return& end);
  Way run_one(const ReturnRow& next);
  Way run_one(const Raise& raise);
  Way run_one(const Attempt& attempt);
  Way run_client_attempt(const Attempt& attempt);
  // One iteration. Way::on: the loop goes on; all others end it, and all but Way::ended more.
  Way iterate(const Block& body, const std::string& label, std::size_t number);
  static Way after_loop(Way way) { return way == Way::ended ? Way::on : way; }
  // Counting loops, and loops over rows and elements, tell whether there was anything.
  Way end_loop(Way way, bool any);
  std::optional<std::optional<bool>> decide(const Expression& condition);
  std::optional<std::int64_t> loop_bound(const Expression& expression, std::string_view what);
  Way count(const CountLoop& loop, std::int64_t first, std::int64_t last, std::int64_t step);
  Way recover(const Attempt& attempt);

  // machine_retries.cc: rounds of loops that are attempts at one thing
  // The transactions of one connection.
  struct Line {
    bool is_open = false;
    bool is_begun = false;    // a statement has run in the open one
    std::size_t pending = 0;  // statements of the open one that wrote something
    std::size_t ended = 0;    // transactions
  };
  // A round under way, and how things stood before it.
  struct Round {
    std::size_t calls = 0;
    std::size_t kept = 0;
    std::vector<Line> lines = {};
    std::map<std::string, Slot> values = {};
  };
  const program::Retry* retry_of(const Block& body);
  Round begin_round(const program::Retry& retry) const;
  bool came_to_nothing(const Round& round) const;
  static bool has_left_something(const Line& before, const Line& now);
  // Before another round, if there was one.
  void go_around(const program::Retry* retry, std::optional<Round>& round);
  // Before each call of the runner.
  void count_call();
  void note_effect(const ProgramStatement& statement, const StatementResult& result);
  void note_boundary(Boundary boundary, bool is_refused, Line& line);

  // machine_statement.cc: the store, cursors, transactions
  std::optional<StatementResult> execute(const ProgramStatement& statement);
  std::optional<ProgramStatement> made_statement(const ProgramStatement& statement);
  Way cross(Boundary boundary, std::size_t connection, const std::string& savepoint = "",
            const ProgramStatement* statement = nullptr);
  // On each of the connections.
  Way cross_all(Boundary boundary, const std::vector<std::size_t>& connections,
                const std::string& savepoint = "");
  std::vector<std::size_t> open_connections_in(const Block& block) const;
  Way run_boundary(const ProgramStatement& statement);
  Way end_and_begin(Boundary boundary, const ProgramStatement& statement);
  void close_transactions(Way way);
  Cursor* open_cursor(const std::string& name);
  Way take_result(const RunStatement& run, const StatementResult& result);

  // machine_variables.cc
  void declare(const Variable& variable, bool is_parameter);
  Way set_arguments(const std::vector<Cell>& arguments);
  Value row_of(const StatementResult& result, std::optional<std::size_t> row, Errors& errors);
  Way store_row(const std::vector<Expression>& into, const StatementResult& result,
                std::optional<std::size_t> row);
  Way assign(const Expression& target, const Value& value);
  void assign_variable(Slot& slot, const Value& value, Errors& errors);
  void assign_field(const Expression& target, const Value& value, Errors& errors);
  void assign_element(const Expression& target, const Value& value, Errors& errors);
  Slot* slot_of(const Expression& target, Errors& errors);
  void set_found(bool found);
  std::optional<Value> value_of(const Expression& expression);
  Way return_row(const std::vector<Expression>& expressions, bool is_last);
  void add_row(const std::vector<std::string>& names, const std::vector<Value>& values);

  Way fail(std::string sqlstate, std::string message);
  // Whether an UPDATE or DELETE that changed no row decided that it is reached.
  bool gives_up(const Raise& raise) const;
  Way refuse(const StoreRefusal& refusal);
  // Way::on when there is no error.
  Way settle(const Errors& errors);
  Way give_up(std::string what, Trouble trouble, std::string what_to_do = "");

  const Program& program_;
  const Functionality& functionality_;
  StatementRunner& runner_;
  const InterpretOptions& options_;

  Variables variables_;
  std::map<std::string, Fields> row_types_;  // of variables whose fields are declared, all null
  std::map<std::string, Cursor> cursors_;
  std::set<std::string> held_cursors_;
  Evaluator evaluator_;
  Interpretation result_;
  bool has_returned_ = false;
  bool returns_set_ = false;
  std::optional<Type> returned_type_;  // none: several columns, or nothing

  bool begins_itself_ = false;  // BEGIN stands in the functionality
  std::vector<Line> lines_;     // of each connection
  std::size_t attempts_ = 0;    // savepoints that are open
  std::size_t savepoints_ = 0;

  const SourceLocation* source_ = nullptr;  // of the action under way
  std::string label_;
  std::size_t steps_ = 0;
  std::size_t depth_ = 0;
  std::size_t last_count_ = 0;
  std::optional<RaisedError> error_;
  bool is_refusal_ = false;  // error_ is what the store refused
  std::optional<Diagnostic> trouble_;
  std::vector<RaisedError> handled_;                        // by the recoveries under way
  std::map<const ProgramStatement*, std::size_t> changed_;  // rows, by the last run of each

  std::optional<program::Retries> retries_;  // once somebody has asked
  std::size_t calls_ = 0;                    // of the runner
  std::size_t kept_ = 0;                     // statements that wrote something and stay
  std::optional<std::size_t>
      nothing_;  // the calls since that one came to nothing, if one comes now
};

}  // namespace heddle::interpreter
