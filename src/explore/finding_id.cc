#include "explore/finding_id.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/spec/text/sql_token.h"

namespace heddle {

namespace {

constexpr std::size_t kDigits = 12;

// What is hashed: one fact per line.
class Identity {
 public:
  explicit Identity(const Finding& finding) : finding_(finding) {}

  std::string text() {
    add("kind", definition(finding_.kind).slug);
    if (is_unconfirmed(finding_)) add("status", "unconfirmed");
    add("effect", to_string(finding_.effect));
    add("boundary", finding_.boundary_problem ? "yes" : "no");
    add("unit", to_string(finding_.unit));
    add("level", level());
    find_steps();
    for (const std::size_t session : sessions_) add_session(session);
    for (const std::size_t step : steps_) {
      add_step(finding_.scenario.steps[step]);
    }
    for (const std::string& table : tables()) add("table", table);
    for (const std::string& name : finding_.broken_invariants) add_invariant(name);
    return text_;
  }

 private:
  void add(std::string_view what, std::string_view value) {
    text_ += fmt::format("{} {}\n", what, value);
  }

  // The server's default is named with its product.
  std::string level() const {
    const std::optional<IsolationLevel> level =
        finding_.isolation ? finding_.isolation : finding_.scenario.isolation;
    if (!level) return "";
    const std::string name(definition(*level).name);
    const std::size_t colon = name.find(':');
    return colon == std::string::npos ? name : name.substr(colon + 1);
  }

  void find_steps() {
    const Scenario& scenario = finding_.scenario;
    const std::set<std::string> causes(finding_.cause_steps.begin(), finding_.cause_steps.end());
    for (const PlacedStep& placed : finding_.schedule.steps) {
      const Step& step = scenario.steps[placed.step.index()];
      if (!causes.empty() && !causes.contains(step.name)) continue;
      steps_.insert(placed.step.index());
      sessions_.insert(step.session.index());
    }
    if (finding_.cycles.empty()) return;
    for (const DependencyEdge& edge : finding_.cycles.front().edges) {
      sessions_.insert(finding_.history.transactions[edge.from.index()].session);
    }
  }

  void add_session(std::size_t session) {
    const Session& known = finding_.scenario.sessions[session];
    add("session", known.name);
    if (known.setup) add("setup", bare_sql(known.setup->text));
    if (!known.call) return;
    add("call", bare_sql(known.call->text.text));
    add("program", bare_sql(finding_.scenario.program->text.text));
  }

  // What a step of a call sends differs from run to run.
  void add_step(const Step& step) {
    const bool is_call = finding_.scenario.sessions[step.session.index()].call.has_value();
    add("step", is_call ? step.name : bare_sql(step.sql.text));
  }

  std::set<std::string> tables() const {
    std::set<std::string> tables;
    if (finding_.cycles.empty()) return tables;
    for (const DependencyEdge& edge : finding_.cycles.front().edges) {
      const bool meets = edge.kind != DependencyKind::so && edge.kind != DependencyKind::rt;
      if (meets) tables.insert(finding_.history.rows[edge.row.index()].table);
    }
    return tables;
  }

  void add_invariant(const std::string& name) {
    add("invariant", name);
    for (const Invariant& invariant : finding_.scenario.invariants) {
      if (invariant.name == name) add("holds", bare_sql(invariant.sql.text));
    }
  }

  const Finding& finding_;
  std::set<std::size_t> sessions_;
  std::set<std::size_t> steps_;
  std::string text_;
};

std::string id_of(const std::string& identity) {
  return fmt::format("{:016x}", stable_hash(identity)).substr(0, kDigits);
}

}  // namespace

std::string bare_sql(std::string_view sql) {
  std::string bare;
  for (std::size_t at = 0; at < sql.size();) {
    const SqlToken token = sql_token_at(sql, at);
    at += token.text.size();
    if (token.kind == SqlToken::Kind::space || token.kind == SqlToken::Kind::comment) continue;
    if (!bare.empty()) bare += ' ';
    bare += token.text;
  }
  while (bare.ends_with(';')) bare.erase(bare.find_last_not_of(" ;") + 1);
  return bare;
}

void assign_ids(std::vector<Finding>& findings) {
  std::map<std::string, std::vector<Finding*>> alike;
  for (Finding& finding : findings) alike[Identity(finding).text()].push_back(&finding);
  for (auto& [identity, same] : alike) {
    std::stable_sort(same.begin(), same.end(),
                     [](const Finding* a, const Finding* b) { return a->rows < b->rows; });
    for (std::size_t i = 0; i < same.size(); ++i) {
      same[i]->id = id_of(i == 0 ? identity : fmt::format("{}number {}\n", identity, i + 1));
    }
  }
}

}  // namespace heddle
