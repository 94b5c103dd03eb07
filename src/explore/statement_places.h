// Where the statements of a scenario stand in its texts, so that they can be changed there.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/scenario.h"
#include "heddle/statement.h"

namespace heddle {

// A statement of a session, without its semicolon and the comments around it.
struct StatementPlace {
  std::optional<StepId> step;  // none: the session's setup block
  std::size_t store = 0;
  std::size_t offset = 0;  // in the text of the block
  std::size_t end = 0;     // behind its semicolon or \gset
  std::string text;
  bool gset = false;  // what it returns becomes variables
  std::string gset_prefix;
  bool conditional = false;  // behind \if
  Statement statement;
};

// Of one session, in the order in which they run. Statements that cannot be read are of the kind
// `other`. `dialects`: of each store.
std::vector<StatementPlace> statement_places(const Scenario& scenario, const Session& session,
                                             const std::vector<Dialect>& dialects);

// The text without what differs between two calls of the same code: constants, white space,
// comments, upper case.
std::string shape_of(std::string_view sql);

}  // namespace heddle
