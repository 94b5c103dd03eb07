#include "frontend/chopped/join_parts.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "frontend/plpgsql/routine_body.h"

namespace heddle {

namespace {

class PartJoiner {
 public:
  PartJoiner(const std::string& name, const Functionality& first, const Schema& schema)
      : names_({}, schema) {
    joined_.name = name;
    joined_.source = first.source;
    joined_.states_boundaries = true;
  }

  void add(const Functionality& part) {
    if (!joined_.body.empty()) end_transaction(part.source);
    plpgsql::RoutineBody body =
        plpgsql::body_of_call(plpgsql::without_results(part), {}, true, false, names_);
    for (std::size_t i = 0; i < body.given.size(); ++i) {
      pass(part.parameters[i], body.variables[i], part.source);
    }
    std::ranges::move(body.variables, std::back_inserter(joined_.variables));
    std::ranges::move(body.block, std::back_inserter(joined_.body));
  }

  Functionality take() { return std::move(joined_); }

 private:
  void end_transaction(const SourceLocation& source) {
    RunStatement commit;
    commit.statement.source = source;
    commit.statement.statement.kind = StatementKind::commit;
    commit.statement.statement.text = "COMMIT";
    joined_.body.push_back({.source = source, .what = std::move(commit)});
  }

  void pass(const Variable& parameter, const Variable& to, const SourceLocation& source) {
    auto [known, is_new] = shared_.try_emplace({parameter.name, parameter.type}, "");
    if (is_new) {
      known->second = names_.take(parameter.name);
      joined_.parameters.push_back({known->second, parameter.type});
    }
    joined_.body.push_back(
        {.source = source,
         .what = Assign{.target = variable(to.name), .value = variable(known->second)}});
  }

  static Expression variable(const std::string& name) {
    return {.kind = ExpressionKind::variable, .text = name, .operands = {}};
  }

  plpgsql::FreeNames names_;
  Functionality joined_;
  std::map<std::pair<std::string, std::string>, std::string> shared_;  // by name and type
};

}  // namespace

Functionality join_parts(const std::string& name, const std::vector<Functionality>& parts,
                         const Schema& schema) {
  if (parts.size() == 1) {
    Functionality only = parts.front();
    only.name = name;
    return only;
  }
  PartJoiner joiner(name, parts.front(), schema);
  for (const Functionality& part : parts) joiner.add(part);
  return joiner.take();
}

}  // namespace heddle
