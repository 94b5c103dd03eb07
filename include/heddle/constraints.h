/// Constraints: what a user knows of a store and of its data beyond isolation levels and schemas.
///
///   Result<Constraints> known = parse_constraints(text, "shop.constraints");
///   FindOptions options{.constraints = *known};
///
/// The format is described in docs/formats/constraints.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/program.h"
#include "heddle/result.h"
#include "heddle/statement.h"

namespace heddle {

/// What a formula about operations says.
enum class OrderFormulaKind : std::uint8_t {
  visible,           ///< vis(a,b): b sees what a writes
  arbitrated,        ///< ar(a,b): where both write, a's is the older version
  session_order,     ///< so(a,b): a precedes b in one session
  same_transaction,  ///< ST(a,b)
  same_store,        ///< same_store(a,b): their tables are kept in one store
  same_row,          ///< same_row(a,b): both write or lock one row
  writes,            ///< write(a)
  reads,             ///< read(a)
  of_functionality,  ///< of(a, NAME): a is a statement of that functionality
  on_table,          ///< on(a, NAME): a reads or writes that table
  negation,          ///< not, of the one part
  conjunction,       ///< and, of all parts
  disjunction,       ///< or, of the parts
  implication,       ///< the first part implies the second
};

/// A formula whose operations are variables of an axiom.
struct OrderFormula {
  OrderFormulaKind kind = OrderFormulaKind::conjunction;
  std::vector<std::size_t> operations = {};  ///< into OrderAxiom::operations
  std::string name = {};                     ///< of the functionality or table
  std::vector<OrderFormula> parts = {};
  SourcePosition position = {};
};

/// Holds of all operations that run, different variables being different operations.
struct OrderAxiom {
  std::string name;
  std::vector<std::string> operations;  ///< the variables, as they come
  OrderFormula formula;
};

/// Holds of the rows that are there before the transactions begin: every value of every row that
/// the query returns is true.
struct InitialFact {
  std::string name;
  Statement query;
  SourcePosition position;  ///< of its name
};

/// The tables that one store keeps.
struct StoreTables {
  std::string name;
  std::vector<std::string> tables;
  std::vector<SourcePosition> positions;  ///< of the tables
};

/// A call of a session: what is given to the functionality. Values are literals as SQL writes them;
/// names stand for values that are the same wherever they are given in the session.
struct SessionCall {
  std::string functionality;
  std::optional<std::vector<Expression>> arguments;  ///< literals and variables; none: any values
  SourcePosition position;                           ///< of the functionality's name
};

/// Calls that one user makes one after the other.
struct CallSession {
  std::string name;
  std::vector<SessionCall> calls;
  SourcePosition position;  ///< of its name
};

/// A parameter that a requirement speaks of.
struct RequiredParameter {
  std::string name;
  SourcePosition position;
};

/// What all callers of a functionality keep: a condition that is true of the arguments of each
/// call.
struct CallRequirement {
  std::string functionality;
  Expression condition;  ///< over the parameters
  std::vector<RequiredParameter> parameters;
  SourcePosition position;  ///< of the functionality's name
};

struct Constraints {
  std::string file;  ///< as the user named it
  std::vector<OrderAxiom> axioms;
  std::vector<InitialFact> facts;
  std::vector<StoreTables> stores;  ///< tables that none of them has are together in one more
  std::vector<CallSession> sessions = {};
  std::vector<CallRequirement> requirements = {};
  std::vector<std::string> own_rows = {};  ///< tables that begin_with_own_rows() has added

  /// Whether there are neither axioms nor facts.
  bool empty() const { return axioms.empty() && facts.empty(); }
};

/// Reads constraints; SQL is PostgreSQL's. Errors: bad_input with the position in the file.
Result<Constraints> parse_constraints(std::string_view text, std::string_view file);

/// Adds the fact that a table has no rows at first for each table into which the program inserts
/// rows, unless a fact speaks of it already: then all its rows are made by calls.
void begin_with_own_rows(const Program& program, Constraints& constraints);

}  // namespace heddle
