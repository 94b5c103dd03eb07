#include "replay/client_variables.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "replay/feeding.h"

namespace heddle {

namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// Why the result cannot become variables; empty: it can.
std::string trouble_with(const ResultSet& result, const Instruction& instruction, Dialect dialect) {
  if (result.rows.empty()) return "no rows returned for \\gset";
  if (result.rows.size() > 1) return "more than one row returned for \\gset";
  const bool has_numbers =
      std::ranges::any_of(result.columns, [](const Column& c) { return is_number(c.name); });
  if (dialect == Dialect::redis && instruction.gset_prefix.empty() && has_numbers) {
    return "\\gset needs a prefix for columns that are called by numbers";
  }
  return "";
}

// Whether the \gset of the instruction may set the name: results of Redis have the column `value`,
// or numbers, or the fields of a hash.
bool may_set(const Instruction& instruction, Dialect dialect, std::string_view name) {
  if (!instruction.gset || !name.starts_with(instruction.gset_prefix)) return false;
  if (dialect != Dialect::redis) return true;
  const std::string_view column = name.substr(instruction.gset_prefix.size());
  const bool is_hash = to_lower(instruction.text).find("hgetall") != std::string::npos;
  return column == "value" || (is_number(column) && !instruction.gset_prefix.empty()) ||
         (is_hash && !is_number(name));
}

}  // namespace

std::optional<StepError> store_variables(const ResultSet& result, const Instruction& instruction,
                                         Dialect dialect, Variables& variables) {
  std::string trouble = trouble_with(result, instruction, dialect);
  if (!trouble.empty()) {
    StepError error;
    error.code = "HV000";
    error.severity = "ERROR";
    error.message = std::move(trouble);
    return error;
  }
  for (std::size_t i = 0; i < result.columns.size(); ++i) {
    const std::string name = instruction.gset_prefix + result.columns[i].name;
    if (result.rows[0][i]) {
      variables[name] = *result.rows[0][i];
    } else {
      variables.erase(name);
    }
  }
  return std::nullopt;
}

std::string with_variables(const std::string& text, const Variables& variables, Dialect dialect) {
  if (variables.empty()) return text;
  return substitute_variables(
      text, variables, dialect == Dialect::redis ? VariableQuotes::redis : VariableQuotes::sql);
}

std::string template_of(const Scenario& scenario, const Step& step, const Instruction& instruction,
                        const std::vector<Dialect>& dialects) {
  if (dialects[step.sql.store] != Dialect::redis) return with_placeholders(instruction.text);
  return with_placeholders(instruction.text, [&](const std::string& name) {
    return std::ranges::any_of(scenario.steps, [&](const Step& other) {
      return other.session == step.session &&
             std::ranges::any_of(other.instructions, [&](const Instruction& setting) {
               return may_set(setting, dialects[other.sql.store], name);
             });
    });
  });
}

}  // namespace heddle
