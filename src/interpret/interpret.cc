// One run from its arguments to its outcome.
#include "heddle/interpret.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "interpret/machine.h"
#include "program/connections.h"

namespace heddle {

namespace interpreter {

namespace {

bool begins_itself(const Functionality& functionality) {
  return std::ranges::any_of(list_statements(functionality), [](const ListedStatement& listed) {
    return listed.statement->statement.kind == StatementKind::begin;
  });
}

}  // namespace

Result<Interpretation> Machine::run(const std::vector<Cell>& arguments) {
  begins_itself_ = functionality_.states_boundaries && begins_itself(functionality_);
  source_ = &functionality_.source;
  Way way = set_arguments(arguments);
  lines_.resize(program::connection_count(functionality_));
  for (std::size_t i = 0; i < lines_.size() && way == Way::on && !begins_itself_; ++i) {
    way = cross(Boundary::begin, i);
  }
  if (way == Way::on) way = run_block(functionality_.body);
  source_ = &functionality_.source;
  if (way == Way::leave || way == Way::again) {
    way = give_up(fmt::format("there is no loop {} to leave", label_), Trouble::bad_input);
  }
  const bool lacks_value = way == Way::on && functionality_.returns && !returns_set_ &&
                           !has_returned_ && functionality_.returns != "void";
  if (lacks_value) way = fail("2F005", "control reached end of function without RETURN");
  close_transactions(way);
  if (trouble_) return *trouble_;
  if (error_) {
    result_.error = std::move(error_);
    result_.returned.clear();
    result_.columns.clear();
  }
  return std::move(result_);
}

}  // namespace interpreter

Result<Interpretation> interpret(const Program& program, const Functionality& functionality,
                                 const std::vector<Cell>& arguments, StatementRunner& runner,
                                 const InterpretOptions& options) {
  return interpreter::Machine(program, functionality, runner, options).run(arguments);
}

}  // namespace heddle
