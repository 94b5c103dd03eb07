// Information flow as Denning and Denning (1977) certify it: what values of a functionality's
// statements go into, through variables, and through what decides which way it takes.
//
// Variables are taken together for the whole body, whatever is assigned to a part of one belongs to
// the whole of it, and the walk is made again until they hold no more than before.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/program.h"

namespace heddle::program {

// Statements of the functionality that values come from; the pointers are into it.
using Origins = std::set<const ProgramStatement*>;

void add_origins(Origins& to, const Origins& from);

class InformationFlow {
 public:
  virtual ~InformationFlow() = default;
  // What is seen is told again and again, and grows.
  void follow(const Functionality& functionality);

 protected:
  // Whether what the statement gives, its rows or their number, is what is asked about.
  virtual bool is_origin(const ProgramStatement& statement) const = 0;
  // What a value may be of that was not understood, besides its operands.
  virtual Origins of_unknown() const { return {}; }
  // Whether it may be an error for what it finds.
  virtual bool may_fail(const ProgramStatement& /*statement*/) const { return false; }
  // `origins`: what decides that it runs, and its values.
  virtual void see_statement(const ProgramStatement& /*statement*/, const Origins& /*origins*/) {}
  // `origins`: what decides that it is reached.
  virtual void see_raise(const Raise& /*raise*/, const Origins& /*origins*/) {}
  // `origins`: what decides that something else is an error.
  virtual void see_failure(const Origins& /*origins*/) {}

 private:
  // What was decided on the ways that left.
  struct Left {
    Origins functionality;                               // for good
    std::vector<std::pair<std::string, Origins>> loops;  // by label; empty: the innermost
  };

  std::size_t size() const;
  Origins origins_of(const Expression& expression);
  void assign(const Expression& target, const Origins& origins);
  Left walk(const Block& block, Origins control);
  void run(const ProgramStatement& statement, const std::vector<Expression>& into,
           const Origins& control);
  Left see(const RunStatement& what, const Origins& control);
  Left see(const OpenRows& what, const Origins& control);
  Left see(const FetchRow& what, const Origins& control);
  Left see(const CloseRows& what, const Origins& control);
  Left see(const Assign& what, const Origins& control);
  Left see(const CountRows& what, const Origins& control);
  Left see(const Branch& what, const Origins& control);
  Left loop(const Block& body, const std::string& label, Origins control);
  Left see(const Loop& what, const Origins& control);
  Left see(const RowLoop& what, const Origins& control);
  Left see(const CountLoop& what, const Origins& control);
  Left see(const ElementLoop& what, const Origins& control);
  Left see(const LeaveLoop& what, const Origins& control);
  Left see(const Return& what, const Origins& control);
  Left see(const ReturnRow& what, const Origins& control);
  Left see(const Raise& what, const Origins& control);
  Left see(const Attempt& what, const Origins& control);

  std::map<std::string, Origins> variables_;
  std::map<std::string, Origins> cursors_;
  std::map<const Raise*, Origins> raised_;
  Origins last_;    // of what the last statement gave
  Origins failed_;  // what may have been an error in the action at hand
};

}  // namespace heddle::program
