#include "find/terms/group.h"

#include <utility>

#include <fmt/format.h>

#include "find/terms/order.h"

namespace heddle::find {

namespace {

// Of commands of Redis. That nothing else runs meanwhile is said by Order.
constexpr IsolationLevel kRedisLevel = IsolationLevel::postgres_read_committed;

Changes changes_of(const std::vector<Prepared>& prepared, const std::vector<std::size_t>& members,
                   const std::vector<std::size_t>& prefix) {
  Changes changes;
  for (const auto* some : {&members, &prefix}) {
    for (const std::size_t member : *some) prepared[member].add_changes(changes);
  }
  return changes;
}

}  // namespace

UnfoldOptions while_in_time(const SearchInput& input) {
  const bool shows_undone = std::ranges::any_of(input.levels, [](const FunctionalityLevel& of) {
    return of.level == IsolationLevel::mariadb_read_uncommitted;
  });
  return {.rounds = input.options.rounds,
          .shows_undone = shows_undone,
          .refusals = input.options.refusals,
          .is_abandoned = [&input] { return input.is_late(); }};
}

void Instance::drop(Axiom axiom) {
  for (AppliedLevel& level : levels) level = level.dropping(axiom);
  if (across) across = across->dropping(axiom);
}

Group::Group(const SearchInput& input, const std::vector<std::size_t>& members,
             const UnfoldOptions& options, const Changes* others,
             const std::vector<std::size_t>& prefix)
    : input_(input),
      schema_(input.program.schema),
      constraints_(input.constraints),
      now_(changes_of(input.prepared, members, prefix)),
      terms_(options.is_abandoned),
      evaluator_(terms_, others == nullptr ? Reading::usual : Reading::cautious,
                 input.program.schema.dialect == Dialect::mysql ? TruthValues::numbers
                                                                : TruthValues::of_their_own),
      rows_(evaluator_, input.program.schema.dialect, input.changes, now_) {
  if (others != nullptr) now_.add(*others);
  rows_.know_keys(known_keys(input));
  rows_.know_growth(input.growing);
  rows_.know_generated(input.generated);
  for (std::size_t i = 0; i < members.size() + prefix.size(); ++i) {
    const bool is_early = i >= members.size();
    const std::size_t member = is_early ? prefix[i - members.size()] : members[i];
    unfoldings_.push_back(std::make_unique<Unfolding>(
        unfold(input.program.functionalities[member], input.prepared[member].statements,
               fmt::format("t{}", i), evaluator_, rows_, options)));
    require(member);
    Instance instance{.functionality = member,
                      .unfolding = unfoldings_.back().get(),
                      .is_early = is_early,
                      .last_call = input.prepared[member].later_calls.size()};
    for (const Event& event : instance.unfolding->events) {
      instance.levels.emplace_back(event.is_redis ? kRedisLevel
                                                  : level_at(input, member, event.statement));
    }
    // That visibility is in arbitration holds without it.
    if (input.options.across && *input.options.across != IsolationLevel::eventual) {
      instance.across = *input.options.across;
    }
    for (const Axiom axiom : input.options.without) instance.drop(axiom);
    instances_.push_back(std::move(instance));
  }
}

// Whoever reads uncommitted rows may see two that are never there together.
Rows::Keys Group::known_keys(const SearchInput& input) {
  if (input.program.has_triggers) return Rows::Keys::open;
  const auto is_one_copy = [](IsolationLevel level) {
    return is_timed(level) && !shows_uncommitted(level);
  };
  bool are_all = input.options.without.empty();
  for (const FunctionalityLevel& of : input.levels) are_all = are_all && is_one_copy(of.level);
  for (const auto& statements : input.levels_of_statements) {
    for (const auto& level : statements) are_all = are_all && (!level || is_one_copy(*level));
  }
  return are_all ? Rows::Keys::of_one_copy : Rows::Keys::of_copies;
}

void Group::require(std::size_t functionality) {
  if (functionality >= constraints_.requirements.size()) return;
  Unfolding& unfolding = *unfoldings_.back();
  const Lookup arguments = [&](const Expression& leaf) {
    const auto known = unfolding.parameters.find(leaf.text);
    return known == unfolding.parameters.end() ? evaluator_.unknown(leaf.text, Sort::integer)
                                               : known->second;
  };
  for (const Expression& condition : constraints_.requirements[functionality]) {
    unfolding.facts.push_back(evaluator_.truth(condition, arguments).holds);
  }
}

void Group::add_facts(smt::Solver& solver) {
  for (const auto& unfolding : unfoldings_) {
    for (const Term fact : unfolding->facts) solver.add(fact);
    for (const Term refusal : unfolding->refusals) solver.add(terms_.negate(refusal));
  }
  add_facts_since(0, solver);
}

void Group::add_facts_since(std::size_t first, smt::Solver& solver) const {
  for (std::size_t i = first; i < evaluator_.facts().size(); ++i) {
    solver.add(evaluator_.facts()[i]);
  }
}

std::size_t Group::call_of(std::size_t instance, std::size_t index) const {
  return input_.prepared[instances_[instance].functionality].call_of(
      event(instance, index).statement);
}

FoundNode Group::node(std::size_t instance, std::size_t index, OperationPart part) const {
  const Event& of = event(instance, index);
  return {.instance = instance,
          .functionality = instances_[instance].functionality,
          .statement = of.statement,
          .part = part,
          .rounds = of.rounds,
          .call = call_of(instance, index)};
}

}  // namespace heddle::find
