#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/spec/text/service_tables.h"
#include "frontend/spec/text/spec_token.h"
#include "heddle/scenario.h"
#include "heddle/schedule.h"

namespace heddle {

namespace {

std::string spec_name(std::string_view name) {
  if (is_bare_word(name) && !is_spec_keyword(name)) return std::string(name);
  return quoted_name(name);
}

// With its store in front where that is not the first. Blanks next to the braces are trimmed when
// the block is read, so they cost nothing here.
std::string braced(const Scenario& scenario, const SqlBlock& block) {
  const bool own_lines = block.text.ends_with('\n');
  const std::string store =
      block.store == 0 ? "" : fmt::format("on {} ", spec_name(scenario.stores[block.store].name));
  return fmt::format("{}{{{}{}{}}}", store, block.text.starts_with('\n') ? "" : " ", block.text,
                     own_lines ? "" : " ");
}

std::string service_text(const ServiceDeclaration& service) {
  std::string text = fmt::format("service {} ", spec_name(service.name));
  if (service.isolation) {
    text += fmt::format("isolation {}\n", definition(*service.isolation).name);
  }
  std::vector<std::string> tables;
  for (const std::string& table : service.tables) tables.push_back(name_of_table(table));
  return text + fmt::format("{{ {} }}\n", join(tables, ", "));
}

std::string session_text(const Scenario& scenario, const Session& session) {
  std::string text =
      fmt::format("\nsession {}{}\n", spec_name(session.name), session.is_first ? " first" : "");
  if (session.isolation) {
    text += fmt::format("isolation {}\n", definition(*session.isolation).name);
  }
  if (session.setup) text += fmt::format("setup {}\n", braced(scenario, *session.setup));
  if (session.call) {
    text += fmt::format("call {}", braced(scenario, session.call->text));
    if (!session.call->method.empty()) {
      text += fmt::format(" method {{ {} }}", session.call->method);
    }
    text += session.call->steps ? fmt::format(" steps {}\n", *session.call->steps) : "\n";
  }
  for (const StepId id : session.steps) {
    if (session.call) break;
    const Step& step = scenario.steps[id.index()];
    text += fmt::format("step {} {}\n", spec_name(step.name), braced(scenario, step.sql));
  }
  if (session.teardown) text += fmt::format("teardown {}\n", braced(scenario, *session.teardown));
  return text;
}

}  // namespace

// heddle's own items come first: after a permutation they would have to be told from steps.
std::string to_spec(const Scenario& scenario) {
  std::string text;
  for (const StoreDeclaration& store : scenario.stores) {
    text += fmt::format("store {} {}\n", spec_name(store.name), spec_name(store.kind));
  }
  for (const ServiceDeclaration& service : scenario.services) text += service_text(service);
  if (scenario.isolation) {
    text += fmt::format("isolation {}\n", definition(*scenario.isolation).name);
  }
  for (const Invariant& invariant : scenario.invariants) {
    text += fmt::format("invariant {} {}\n", spec_name(invariant.name),
                        braced(scenario, invariant.sql));
  }
  for (const std::string& refusal : scenario.refusals) {
    text += fmt::format("refusal {}\n", spec_name(refusal));
  }
  for (const SqlBlock& setup : scenario.setups)
    text += fmt::format("setup {}\n", braced(scenario, setup));
  if (scenario.teardown) text += fmt::format("teardown {}\n", braced(scenario, *scenario.teardown));
  if (scenario.program) {
    text += fmt::format("program {}\n", braced(scenario, scenario.program->text));
  }
  for (const Session& session : scenario.sessions) text += session_text(scenario, session);
  if (!scenario.permutations.empty()) text += '\n';
  for (const Permutation& permutation : scenario.permutations) {
    text += fmt::format("permutation {}\n", to_string(scenario, schedule_of(permutation)));
  }
  return text;
}

}  // namespace heddle
