// The walk through a functionality's body with symbolic values.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "find/terms/row_effects.h"
#include "find/terms/unfold.h"
#include "program/deciding_changes.h"
#include "program/retries.h"

namespace heddle::find {

// A variable: a value, or the fields of a row.
struct Binding {
  SqlValue value;
  std::map<std::string, SqlValue> fields;
  bool has_any_fields = false;  // of a row that is not known: the others have any value
};
using Bindings = std::map<std::string, Binding>;

struct Point {
  Bindings bindings;
  Term live;                                       // whether the functionality gets here
  std::size_t transaction = 0;                     // that is open here, on connection 0
  std::map<std::size_t, std::size_t> others = {};  // those that are open on other connections
  bool is_begun = false;                           // whether a statement may have run in it
  std::optional<std::size_t> redis_group = {};     // commands of Redis that are executed as one
  std::size_t tears = 0;  // the last Attempt that failed and may have left something behind
};

// StatementForm::takes_what_was_read of a functionality's statements.
void note_what_is_taken(std::vector<FormedStatement>& formed);

// A loop under way.
struct Frame {
  std::string label;
  std::vector<Point> left;   // where it was left
  std::vector<Point> again;  // where its next round was begun early
};

struct CursorState {
  std::size_t event = 0;
  std::size_t fetched = 0;
};

// A variable with a list of what a query gave, of one of its columns.
struct RowList {
  std::string name;
  Term array;
  Term when;  // it has nothing else
  std::size_t event = 0;
  std::size_t output = 0;
};

// The row of a query that is at a place of all lists that one loop over it has filled.
struct RowPlace {
  std::size_t event = 0;
  Term at;
  std::vector<RowKey> keys;
  std::vector<SqlValue> outputs;
};

// In place of a number.
inline constexpr std::size_t kSomeLaterRound = static_cast<std::size_t>(-1);

inline bool ends_transaction(StatementKind kind) {
  return kind == StatementKind::commit || kind == StatementKind::rollback;
}

// One walk of one functionality.
class Unfolder {
 public:
  Unfolder(const Functionality& functionality, const std::vector<FormedStatement>& formed,
           std::string name, Evaluator& evaluator, Rows& rows, const UnfoldOptions& options);
  Unfolding run();

  // array_append(x, ...) to x itself.
  static bool grows(const Assign& assign);

 private:
  Sort declare(const Variable& variable);

  // unfold_values.cc
  Lookup lookup();
  SqlValue look_up(const Expression& leaf);
  SqlValue found();
  SqlValue field(const Expression& leaf);
  Sort element_sort(const std::string& array) const;
  SqlValue element(const Expression& leaf);
  SqlValue value(const Expression& expression) {
    return evaluator_.value(typed(expression), lookup());
  }
  Truth truth(const Expression& expression) {
    return evaluator_.truth(typed(expression), lookup());
  }
  // With constants as what they are beside the variables.
  Expression typed(const Expression& expression) const;

  SqlValue field_of(const Binding& row, const std::string& column);
  Binding merge(Term condition, const Binding& a, const Binding& b);
  Point merge(const Point& a, const Point& b);
  // The same, or any value where it is nested too deeply for a solver.
  Term bounded(Term term);
  void set_found(Term found) {
    now_.bindings["found"] = {.value = evaluator_.known(found), .fields = {}};
  }
  void assign(const Expression& target, const SqlValue& value);

  // unfold.cc
  void walk(const Block& block);
  void step(const RunStatement& run);
  void run_statement(const RunStatement& run);
  bool steps_over_group_edge(const ProgramStatement& statement);
  void step(const Assign& assignment);
  void step(const CountRows& count);
  void step(const Branch& branch);
  void note_borders(const Expression& condition, const Lookup& lookup);
  void note_borders(const Event& event);
  void step(const Loop& loop);
  void step(const CountLoop& loop);
  void step(const ElementLoop& loop);
  void step(const RowLoop& loop);
  void step(const OpenRows& open);
  void step(const FetchRow& fetch);
  void step(const CloseRows& close) { cursors_.erase(close.cursor); }
  void step(const LeaveLoop& leave);
  void step(const Return& /*end*/);
  void step(const ReturnRow& /*next*/) {}
  void step(const Raise& raise);
  // From the store: a client may catch it, too.
  enum class Origin : std::uint8_t { program, store };
  // Goes on where the condition does not hold.
  void raise_where(Term condition, const std::string& state, bool is_refusal,
                   Origin origin = Origin::program);
  // An error that arises there, on its way out.
  struct Raised {
    Point point;
    std::string state;  // SQLSTATE
    bool is_refusal = false;
  };
  void send_out(Raised raised, Origin origin = Origin::program);
  SqlValue value_of_part(std::size_t statement, const PartValue& found);
  std::size_t& transaction_on(std::size_t connection);
  std::size_t joined_transaction(std::size_t a, std::size_t b);
  void note_spans();
  void undo(std::size_t transaction, Term when);
  Term gave_up(const Raise& raise);
  void step(const Attempt& attempt);
  bool commits_in_the_middle(std::size_t first) const;
  // `enter` says whether there is another round, and sets its variables; of kSomeLaterRound it
  // says only what is so of any of them.
  void run_rounds(const Block& body, const std::string& label,
                  const std::function<Term(std::size_t)>& enter);
  // unfold_retries.cc
  // A round of a loop under way.
  struct Round {
    const Block& body;
    const std::function<Term(std::size_t)>& enter;
    Point start;
    std::size_t events = 0;  // before it
    std::size_t tears = 0;   // likewise
  };
  const program::Retry* retry_of(const Block& body);
  void forget(const std::set<std::string>& counters);
  void leave_out_attempt(const program::Retry& retry, const Round& round);
  void give_up_after(const program::Retry& retry, const Round& round);
  Term is_unchanged(const program::Retry& retry, const Point& start);
  Term is_same(const Binding& a, const Binding& b);
  Term is_same(const SqlValue& a, const SqlValue& b);
  Term keeps_something(std::size_t first);

  void havoc(const std::vector<Expression>& targets);
  void havoc_assigned(const Block& body);

  // unfold_statements.cc
  // Null: there are too many.
  Event* add_event(const ProgramStatement& statement);
  std::vector<SqlValue> outputs(const Event& event, const std::vector<RowKey>& keys);
  SqlValue lock_result(const Event& event, const Expression& output);
  Lookup lookup_found(const Event& event, const std::vector<RowKey>& keys);
  std::vector<RowKey> fresh_keys(const Event& event);
  void take_group(Event& event);
  void take_row(Event& event, const std::vector<Expression>& into);
  void add_row_in_its_way(Event& event);
  void check_keys(std::size_t index);
  Term meets_row(std::size_t index, SourceRole role, const std::string& symbol);
  void refuse_where(Term condition, const std::string& state);
  void take_inserted(Event& event, const std::vector<Expression>& into);
  void store(Event& event, const std::vector<Expression>& into, const std::vector<RowKey>& keys,
             Term exists);
  SqlValue aggregate(const Event& event, std::size_t output);
  bool is_row(const Expression& target) const;
  // Whether there is another row of the event's query.
  Term next_row(std::size_t index, const std::vector<Expression>& into, std::size_t round);

  // unfold_same_rows.cc
  bool gives_same_rows(const StatementForm& form) const;
  static bool gives_rows_once(const StatementForm& form);
  Term of_query(const Event& event, const std::string& what, Sort sort,
                std::optional<Term> place = std::nullopt);
  void note_same_rows(const Event& event, const std::vector<RowKey>& keys, Term exists,
                      std::size_t round);
  void note_place(const Event& event, const std::vector<RowKey>& keys, Term is_there, Term place);
  bool orders_all(const StatementForm& form) const;
  void note_list(const RowLoop& loop, std::size_t index, const Point& before);
  void note_element(const std::string& name, const SqlValue& array, const SqlValue& place,
                    const SqlValue& element);
  RowPlace row_place(std::size_t index, Term at);

  const Functionality& functionality_;
  const std::vector<FormedStatement>& formed_;
  std::string name_;
  Evaluator& evaluator_;
  Terms& terms_;
  Rows& rows_;
  RowEffects effects_;
  const UnfoldOptions& options_;

  std::map<const ProgramStatement*, std::size_t> numbers_;
  std::map<std::string, std::string> types_;
  Point now_;
  std::vector<Point> ends_;
  std::vector<Frame> frames_;
  std::vector<std::size_t> rounds_;
  // An Attempt under way, and what arose in it.
  struct Trial {
    bool by_client = false;
    std::vector<Raised> raised;
  };
  std::vector<Trial> attempts_;
  std::map<std::string, CursorState> cursors_;
  std::vector<RowList> lists_;
  std::vector<RowPlace> places_;
  std::optional<program::DecidingChanges> deciding_;  // once somebody has asked
  std::optional<program::Retries> retries_;           // likewise
  // While only ways are followed that come to no statement: when there is one on the way.
  std::optional<Term> cut_;
  std::size_t tears_ = 0;         // the highest number of an Attempt
  std::size_t transactions_ = 0;  // the highest number of one
  std::set<std::size_t> parted_;  // those that may have ended, or go on under another number
  bool is_single_ = false;        // the last statement found or changed one row at most
  Unfolding result_;
};

}  // namespace heddle::find
