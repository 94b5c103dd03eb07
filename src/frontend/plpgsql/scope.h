// Names of variables at one place of a PL/pgSQL body.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "heddle/program.h"

namespace heddle::plpgsql {

// What a block's declaration makes known.
struct Declared {
  std::string unique;  // its name in the functionality
  bool is_row = false;
  bool is_cursor = false;
  std::string query = {};                    // of a bound cursor
  std::vector<std::string> parameters = {};  // of a bound cursor, by their names in its query
  std::size_t offset = 0;                    // of the query in the body
};

// Blocks within blocks, the innermost last. Names are folded already.
class Names {
 public:
  void enter(std::string label);
  void leave() { blocks_.pop_back(); }

  // Gives the variable a name that no other of the functionality has.
  const Declared& declare(const std::string& name, const std::string& type,
                          std::vector<Variable>& variables);
  void alias(const std::string& name, const Declared& meant);

  Declared* find(const std::string& name);
  const Declared* find(const std::string& name) const;
  // What a path such as x, row.column, block.x or block.row.column means. None: no variable.
  std::optional<Expression> resolve(const std::vector<std::string>& path) const;

 private:
  struct BlockNames {
    std::string label;
    std::map<std::string, Declared> names;
  };
  static std::optional<Expression> resolve_in(const BlockNames& block,
                                              const std::vector<std::string>& path,
                                              std::size_t first);

  std::vector<BlockNames> blocks_;
  std::set<std::string> taken_;
};

Expression variable(const std::string& name);
Expression call(std::string name, std::vector<Expression> operands);

}  // namespace heddle::plpgsql
