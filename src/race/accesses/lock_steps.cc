#include "race/accesses/lock_steps.h"

#include <algorithm>
#include <string_view>

#include "base/path_pattern.h"
#include "base/text.h"
#include "frontend/sql/reader.h"
#include "race/accesses/read_condition.h"
#include "wire/postgres/statement_essence.h"

namespace heddle::race {
namespace {

using sql::Node;

constexpr std::string_view kAdvisory = "advisory";

// The text of an argument whose value does not depend on rows: hashtext('ann'); empty: it does.
std::string argument_text(const Node& node, const std::vector<TraceParameter>& parameters,
                          std::size_t depth) {
  constexpr std::size_t kDeepest = 20;
  if (const KnownValue value = read_constant(node, parameters); value.has_text()) {
    return comparable_text(value.text);
  }
  const Node& inner = node.type() == "TypeCast" ? node.content()["arg"] : node;
  if (inner.type() != "FuncCall" || depth > kDeepest) return {};
  const std::vector<std::string> names = sql::string_list(inner.content()["funcname"]);
  std::string text = (names.empty() ? "" : names.back()) + "(";
  for (const Node& argument : inner.content()["args"]) {
    const std::string part = argument_text(argument, parameters, depth + 1);
    if (part.empty()) return {};
    text += part + ",";
  }
  return text + ")";
}

// Whether the function that tries to get a lock said that it had it.
bool has_got(const TraceStatement& statement, std::size_t place) {
  if (place >= statement.results.size()) return false;
  const TraceResult& result = statement.results[place];
  return std::ranges::any_of(result.rows, [](const auto& row) {
    return std::ranges::any_of(row, [](const TraceValue& value) {
      return value.text && comparable_text(*value.text) == "true";
    });
  });
}

class LockReader {
 public:
  explicit LockReader(const TraceStatement& statement) : statement_(statement) {}

  void read_calls(const Node& root, std::size_t place) {
    std::vector<const Node*> pending{&root};
    while (!pending.empty()) {
      const Node& node = *pending.back();
      pending.pop_back();
      if (node.type() == "FuncCall") read_call(node.content(), place);
      for (const Node& child : node) pending.push_back(&child);
    }
  }

  // A mode in which two may hold the lock of one table protects nothing that both write.
  void read_lock_table(const Statement& statement) {
    const std::string text = to_lower(statement.text);
    const std::size_t mode = text.find(" mode");
    const std::size_t in = text.rfind(" in ", mode);
    const std::string name = mode == text.npos || in == text.npos
                                 ? "access exclusive"
                                 : std::string(trim(text.substr(in + 4, mode - in - 4)));
    const bool is_shared =
        !is_one_of(name, {"access exclusive", "exclusive", "share row exclusive"});
    for (const TableUse& use : statement.tables) {
      add({.name = "table " + use.table, .is_shared = is_shared});
    }
  }

  void read_own(const std::vector<RaceSettings::Lock>& own) {
    std::vector<std::optional<std::string>> values;
    for (const TraceParameter& each : statement_.parameters) values.push_back(each.value.text);
    const std::string shape = statement_template(statement_.text);
    for (const RaceSettings::Lock& lock : own) {
      const auto fits = [&](const std::string& pattern) {
        return !pattern.empty() && matches_glob(to_lower(pattern), to_lower(shape));
      };
      const std::string name = "own " + lock.acquire;
      // Who takes a lock says of what by the values of the statement.
      if (fits(lock.acquire)) {
        add({.name = name + " " + statement_essence(statement_.text, values),
             .is_of_session = !lock.release.empty(),
             .is_own = true});
      }
      if (fits(lock.release))
        add({.name = name, .is_of_session = true, .is_given_back = true, .is_own = true});
    }
  }

  std::vector<LockStep> take() { return std::move(steps_); }

 private:
  void read_call(const Node& call, std::size_t place) {
    const std::vector<std::string> names = sql::string_list(call["funcname"]);
    if (names.empty() || !names.back().starts_with("pg_")) return;
    std::string_view name = names.back();
    name.remove_prefix(3);
    const bool is_tried = name.starts_with("try_");
    if (is_tried) name.remove_prefix(4);
    if (!name.starts_with(kAdvisory)) return;
    if (is_tried && !has_got(statement_, place)) return;
    LockStep step{.is_shared = name.ends_with("_shared"),
                  .is_of_session = name.find("_xact_") == name.npos,
                  .is_given_back = name.find("unlock") != name.npos};
    std::string key;
    for (const Node& argument : call["args"]) {
      const std::string part = argument_text(argument, statement_.parameters, 0);
      key += part.empty() ? "?" : part + ",";
    }
    if (key.find('?') == key.npos) step.name = std::string(kAdvisory) + " " + key;
    add(std::move(step));
  }

  void add(LockStep step) {
    step.unit = statement_.unit;
    steps_.push_back(std::move(step));
  }

  const TraceStatement& statement_;
  std::vector<LockStep> steps_;
};

}  // namespace

std::vector<LockStep> read_lock_steps(const TraceStatement& statement, const ParsedText& parsed,
                                      const std::vector<RaceSettings::Lock>& own) {
  if (statement.is_skipped || statement.error || statement.kind == "prepare") return {};
  LockReader reader(statement);
  for (std::size_t i = 0; parsed.is_read && i < parsed.statements.size(); ++i) {
    if (parsed.statements[i].kind == StatementKind::lock_table) {
      reader.read_lock_table(parsed.statements[i]);
    }
    const bool may_lock = std::ranges::any_of(
        parsed.statements[i].functions,
        [](const std::string& name) { return name.find(kAdvisory) != name.npos; });
    if (may_lock) reader.read_calls(*parsed.tree.statements[i].node, i);
  }
  reader.read_own(own);
  return reader.take();
}

}  // namespace heddle::race
