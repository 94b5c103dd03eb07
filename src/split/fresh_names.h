// Names for variables and loops that a program does not have yet.
#pragma once

#include <set>
#include <string>

#include "heddle/program.h"

namespace heddle::chopping {

class FreshNames {
 public:
  // No name is a variable's, a loop's, a table's or a column's, or a word of a statement.
  // `functionality` outlives it.
  FreshNames(Functionality& functionality, const Schema& schema);

  // Like the wish, which is a lower-case word.
  std::string choose(const std::string& wish);
  // Declares a variable of the type.
  Expression variable(const std::string& wish, const std::string& type);

 private:
  void note_words(Block& block);
  void note(const std::string& text);

  Functionality& functionality_;
  std::set<std::string> taken_;
};

}  // namespace heddle::chopping
