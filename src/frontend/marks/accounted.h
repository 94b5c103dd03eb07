// What of the text the readers account for: where the statements of a program come from.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/program.h"

namespace heddle::marks {

class AccountedLines {
 public:
  explicit AccountedLines(const Program& program);

  // Whether a statement of the program is from one of these lines.
  bool has_statement(const std::string& file, std::uint32_t first, std::uint32_t last) const;
  // Calls of clients of Redis.
  void add_followed(const SourceLocation& place);
  bool has_followed(const std::string& file, std::uint32_t line) const;
  // Whether a functionality begins on one of these lines.
  bool has_functionality(const std::string& file, std::uint32_t first, std::uint32_t last) const;
  // Whether some statement does the same (select, update, ...) to a table that the text names.
  bool has_statement_like(std::string_view sql) const;
  // Names of methods that are not followed where they are called: a statement that may do anything
  // stands for each call.
  const std::set<std::string>& opaque_calls() const { return opaque_calls_; }

 private:
  void add(const Block& block);
  void add(const ProgramStatement& statement);

  std::map<std::string, std::set<std::uint32_t>, std::less<>> statements_;
  std::map<std::string, std::set<std::uint32_t>, std::less<>> functionalities_;
  std::map<std::string, std::set<std::uint32_t>, std::less<>> followed_;
  std::set<std::string, std::less<>> verbs_;  // "select account"
  std::set<std::string> opaque_calls_;
};

// Statements and functionalities by how they were read. Where nobody knows on which tables a
// statement may do anything, it counts as not read, and is added to the places.
void count_read(const Program& program, Coverage& coverage);

}  // namespace heddle::marks
