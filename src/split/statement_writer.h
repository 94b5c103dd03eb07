// The text of what one service is asked, or told to write, of a join.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "split/join_plan.h"

namespace heddle::chopping {

// The columns of its own sources stand for themselves; those of others, and the values of the
// client, are placeholders.
class StatementWriter {
 public:
  // All but `own` outlive it.
  StatementWriter(const JoinQuery& query, const JoinPlan& plan, const Schema& schema,
                  std::vector<std::size_t> own);

  std::string column_text(const std::pair<std::size_t, std::string>& column) const;
  std::string text(const Expression& expression);
  // With a blank in front; empty: there are none.
  std::string where(const std::vector<Expression>& conditions);
  // With what they are called where there are several.
  std::string tables() const;
  // None: the text, which has what was written so far, is no statement.
  std::optional<ProgramStatement> statement(const std::string& text,
                                            const ProgramStatement& like) const;

 private:
  Expression own_column(const std::pair<std::size_t, std::string>& column) const;
  Expression placed(const Expression& expression);
  Expression value(const Expression& argument);

  const JoinQuery& query_;
  const JoinPlan& plan_;
  const Schema& schema_;
  std::vector<std::size_t> own_;
  std::vector<Expression> arguments_;
};

}  // namespace heddle::chopping
