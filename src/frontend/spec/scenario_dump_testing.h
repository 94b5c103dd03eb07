// For tests and fuzzers: everything a scenario says, except positions and warnings, as text that
// reads like an outline.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "heddle/scenario.h"

namespace heddle {

inline std::string dump_block(std::string_view label, const SqlBlock& block) {
  const std::string store = block.store == 0 ? "" : fmt::format(" on {}", block.store);
  return fmt::format("{}{} [{}]\n", label, store, block.text);
}

inline std::string dump_instruction(const Instruction& instruction) {
  static constexpr std::string_view kNames[] = {"query", "if", "elif", "else", "endif"};
  std::string text = fmt::format("    {} [{}]", kNames[static_cast<std::size_t>(instruction.kind)],
                                 instruction.text);
  if (instruction.gset) text += fmt::format(" gset [{}]", instruction.gset_prefix);
  return text + "\n";
}

inline std::string dump_placed_step(const Scenario& scenario, const PlacedStep& placed) {
  std::string text = fmt::format(" [{}]", scenario.steps[placed.step.index()].name);
  for (const Blocker& blocker : placed.blockers) {
    if (blocker.kind == Blocker::Kind::once) {
      text += "(*)";
      continue;
    }
    text += fmt::format("([{}]", scenario.steps[blocker.step.index()].name);
    if (blocker.kind == Blocker::Kind::notices) text += fmt::format(" {}", blocker.notices);
    text += ')';
  }
  return text;
}

// A step without backslash commands has one instruction, its text, which is left out.
inline std::string dump_scenario(const Scenario& scenario) {
  std::string text;
  for (const StoreDeclaration& store : scenario.stores) {
    text += fmt::format("store [{}] [{}]\n", store.name, store.kind);
  }
  for (const ServiceDeclaration& service : scenario.services) {
    text += fmt::format("service [{}]", service.name);
    if (service.isolation) text += fmt::format(" at {}", definition(*service.isolation).name);
    for (const std::string& table : service.tables) text += fmt::format(" [{}]", table);
    text += '\n';
  }
  if (scenario.isolation) {
    text += fmt::format("isolation {}\n", definition(*scenario.isolation).name);
  }
  for (const Invariant& row : scenario.invariants) {
    text += dump_block(fmt::format("invariant [{}]", row.name), row.sql);
  }
  for (const SqlBlock& setup : scenario.setups) text += dump_block("setup", setup);
  if (scenario.teardown) text += dump_block("teardown", *scenario.teardown);
  if (scenario.program) text += dump_block("program", scenario.program->text);
  for (const Session& session : scenario.sessions) {
    text += fmt::format("session [{}]{}\n", session.name, session.is_first ? " first" : "");
    if (session.isolation) {
      text += fmt::format("  isolation {}\n", definition(*session.isolation).name);
    }
    if (session.setup) text += dump_block("  setup", *session.setup);
    if (session.call) {
      text += dump_block("  call", session.call->text);
      if (session.call->steps) text += fmt::format("  steps {}\n", *session.call->steps);
    }
    for (const StepId id : session.steps) {
      const Step& step = scenario.steps[id.index()];
      text += dump_block(fmt::format("  step [{}]", step.name), step.sql);
      const bool plain =
          step.instructions.size() == 1 && step.instructions[0].text == step.sql.text;
      if (plain) continue;
      for (const Instruction& row : step.instructions) text += dump_instruction(row);
    }
    if (session.teardown) text += dump_block("  teardown", *session.teardown);
  }
  for (const Permutation& permutation : scenario.permutations) {
    text += "permutation";
    for (const PlacedStep& placed : permutation.steps) text += dump_placed_step(scenario, placed);
    text += '\n';
  }
  return text;
}

}  // namespace heddle
