// What is said of a cause wherever it is shown: on a terminal, in an editor.
#pragma once

#include <string>
#include <vector>

#include "heddle/find.h"
#include "heddle/program.h"

namespace heddle {

// The words for causes of one program.
class CauseText {
 public:
  // The program must outlive it.
  explicit CauseText(const Program& program);

  // "newOrder and payment", "payment twice, after open": each functionality with its number of
  // transactions, and what was called before.
  std::string transactions(const FoundCycle& cycle) const;
  // Those on which its transactions meet, sorted.
  static std::vector<std::string> tables(const FoundCycle& cycle);
  // ", only with equal arguments"; empty: with others, too.
  static std::string condition(const FoundCause& cause);
  // "payer = payee in T1".
  static std::string equal_arguments(const FoundCycle& cycle);
  // "lost update: payment twice, on customer".
  std::string title(const FoundCause& cause) const;
  // "T1 (line 9) reads account (balance) without what T2 (line 16) writes".
  std::string sentence(const FoundCycle& cycle, const FoundEdge& edge) const;
  // "confirmed on PostgreSQL 15.4 (throwaway), internal: the final rows differ"; "possible".
  std::string status(const FoundCause& cause) const;
  // With the client's names: "UPDATE account SET balance = balance - amount WHERE id = source".
  std::string statement_text(const FoundNode& node) const;
  const ProgramStatement& statement(const FoundNode& node) const {
    return *statements_[node.functionality][node.statement].statement;
  }
  const std::string& name(std::size_t functionality) const {
    return program_.functionalities[functionality].name;
  }

 private:
  std::string after(const FoundCycle& cycle) const;
  std::string place(const FoundNode& node) const;

  const Program& program_;
  std::vector<std::vector<ListedStatement>> statements_;  // by functionality
  // Of each statement in loops whether these make attempts, the outermost first.
  std::map<const ProgramStatement*, std::vector<bool>> attempts_;
};

// Each statement of the cycle once, by transactions and in program order.
std::vector<FoundNode> nodes_in_order(const FoundCycle& cycle);

}  // namespace heddle
