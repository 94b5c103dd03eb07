#include "split/search/group_causes.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "find/search/cycles.h"
#include "find/search/group_search.h"
#include "split/cycles/cycle_key.h"

namespace heddle::chopping {

namespace {

std::vector<FunctionalityLevel> levels_of_groups(const Program& program, IsolationLevel level) {
  return std::vector<FunctionalityLevel>(program.functionalities.size(),
                                         {.level = level, .origin = LevelOrigin::given});
}

Passage passage_of(const StatementCycle::Run& run, const Form& form) {
  const std::size_t entry = form.sub_of[run.entry].value_or(0);
  const std::size_t exit = form.sub_of[run.exit].value_or(0);
  return {.functionality = run.functionality,
          .low = std::min(entry, exit),
          .high = std::max(entry, exit)};
}

// By the position of each functionality among the members.
const Form& form_of(std::size_t functionality, const std::vector<const Form*>& forms,
                    const std::vector<std::size_t>& members) {
  return *forms[static_cast<std::size_t>(std::ranges::find(members, functionality) -
                                         members.begin())];
}

StatementCycle statement_cycle(const FoundCycle& cycle, const std::vector<const Form*>& forms,
                               const std::vector<std::size_t>& members) {
  StatementCycle of{.runs = {}, .kind = cycle.kind};
  for (std::size_t i = 0; i < cycle.edges.size(); ++i) {
    const FoundNode& entry = cycle.nodes[cycle.edges[i].to];
    const FoundNode& exit = cycle.nodes[cycle.edges[(i + 1) % cycle.edges.size()].from];
    const Form& form = form_of(entry.functionality, forms, members);
    of.runs.push_back({.functionality = entry.functionality,
                       .entry = form.plain[entry.statement].value_or(0),
                       .exit = form.plain[exit.statement].value_or(0)});
  }
  return of;
}

StatementNumbers plain_numbers(const std::vector<const Form*>& forms,
                               const std::vector<std::size_t>& members) {
  return [&](std::size_t functionality, std::size_t statement) {
    return form_of(functionality, forms, members).plain[statement];
  };
}

std::vector<KeyEdge> edges_of(const find::Skeleton& skeleton,
                              const std::vector<std::size_t>& members,
                              const find::SearchInput& input) {
  std::vector<KeyEdge> edges;
  for (const find::SkeletonEdge& edge : skeleton.edges) {
    const std::size_t from = members[edge.from];
    const find::StatementForm& form = input.prepared[from].statements[edge.conflict->from].form;
    const find::StatementForm& target =
        input.prepared[members[edge.to]].statements[edge.conflict->to].form;
    edges.push_back({.from_functionality = from,
                     .from_statement = edge.conflict->from,
                     .kind = edge.conflict->kind,
                     .to_functionality = members[edge.to],
                     .to_statement = edge.conflict->to,
                     .table = input.conflicts->table_of(form, target, *edge.conflict)});
  }
  return edges;
}

std::vector<const Form*> forms_of(const std::vector<std::size_t>& members,
                                  const Partition& partition, Forms& forms) {
  std::vector<const Form*> all;
  for (const std::size_t member : members) all.push_back(&forms.of(member, partition));
  return all;
}

}  // namespace

GroupCauseSearch::GroupCauseSearch(const Program& program, FindOptions options,
                                   ServiceLevels levels, std::set<std::string> uncut,
                                   bool counts_all)
    : program_(program),
      options_(std::move(options)),
      whole_(find::prepare_search(program, options_, levels_of_groups(program, levels.within))),
      uncut_(std::move(uncut)),
      counts_all_(counts_all),
      forms_(std::make_unique<Forms>(program, whole_, levels)) {
  const bool has_keys = std::ranges::any_of(
      program.schema.tables, [](const Table& table) { return !table.foreign_keys.empty(); });
  if (has_keys) {
    rough_ = std::make_unique<Forms>(program, whole_, std::move(levels), KeyForms::asked);
  }
}

find::GroupResult GroupCauseSearch::run(const std::vector<std::size_t>& members,
                                        const std::vector<const Form*>& forms, Schema schema,
                                        const Cycles* within) {
  Program program{.schema = std::move(schema), .functionalities = {}, .notes = {}};
  program.functionalities.resize(program_.functionalities.size());
  // What runs before everybody else does the same as a whole.
  if (whole_.max_prefix > 0) program.functionalities = program_.functionalities;
  for (std::size_t i = 0; i < members.size(); ++i) {
    program.functionalities[members[i]] = forms[i]->functionality;
  }
  find::SearchInput input = find::prepare_search_of(members, program, whole_, whole_.levels);
  input.levels_of_statements.resize(program.functionalities.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    input.levels_of_statements[members[i]] = forms[i]->levels;
  }
  const StatementNumbers plain = plain_numbers(forms, members);
  if (within != nullptr && within->is_complete) {
    input.admits = [&](const std::vector<std::size_t>& /*members*/,
                       const find::Skeleton& skeleton) {
      return within->keys.contains(cycle_key(edges_of(skeleton, members, input), plain));
    };
  }
  find::Shapes shapes;
  find::GroupResult result = find::search_group(input, shapes, members);
  std::erase_if(result.cycles, [&](const FoundCycle& cycle) {
    return !counts_all_ && is_in_uncut(cycle, forms, members);
  });
  const std::scoped_lock lock(mutex_);
  ++searches_;
  is_complete_ = is_complete_ && result.is_complete;
  return result;
}

bool GroupCauseSearch::is_in_uncut(const FoundCycle& cycle, const std::vector<const Form*>& forms,
                                   const std::vector<std::size_t>& members) const {
  return uncut_.contains(cycle_key(cycle, [&](std::size_t functionality, std::size_t statement) {
    return form_of(functionality, forms, members).origins[statement];
  }));
}

const GroupCauseSearch::Cycles* GroupCauseSearch::known_cycles(
    const std::vector<std::size_t>& members, const Partition& finest) {
  const std::scoped_lock lock(mutex_);
  const auto known = cycles_.find({members, finest});
  return known == cycles_.end() ? nullptr : &known->second;
}

const std::vector<StatementCycle>& GroupCauseSearch::cycles(const std::vector<std::size_t>& members,
                                                            const Partition& partition) {
  const Partition finest = rough_forms().finest(members, partition);
  if (const Cycles* known = known_cycles(members, finest)) return known->all;
  std::vector<const Form*> forms;
  for (const std::size_t member : members) {
    forms.push_back(&rough_forms().weakest_of(member, finest));
  }
  const find::GroupResult result = run(members, forms, rough_forms().schema_in(finest), nullptr);
  Cycles found;
  found.is_complete = result.is_complete;
  for (const FoundCycle& cycle : result.cycles) {
    found.all.push_back(statement_cycle(cycle, forms, members));
    found.all.back().is_in_uncut = is_in_uncut(cycle, forms, members);
    found.keys.insert(cycle_key(cycle, plain_numbers(forms, members)));
  }
  const std::scoped_lock lock(mutex_);
  return cycles_.try_emplace({members, finest}, std::move(found)).first->second.all;
}

void GroupCauseSearch::add(const StatementCycle& cycle, const std::vector<const Form*>& forms,
                           const std::vector<std::size_t>& members, GroupCauses& causes) {
  Passages passages;
  for (const StatementCycle::Run& run : cycle.runs) {
    passages.push_back(passage_of(run, form_of(run.functionality, forms, members)));
  }
  std::ranges::sort(passages);
  const auto [cause, is_new] = causes.try_emplace(std::move(passages), cycle.kind);
  if (!is_new) cause->second = std::min(cause->second, cycle.kind);
}

// Of a service at another level than the whole program nobody knows what it forbids.
bool GroupCauseSearch::passes(const StatementCycle::Run& run, const Form& form) const {
  if (form.crosses[run.entry][run.exit]) return true;
  if (form.plain_levels.empty()) return false;
  const IsolationLevel within = forms_->levels().within;
  return form.plain_levels[run.entry].value_or(within) != within ||
         form.plain_levels[run.exit].value_or(within) != within;
}

GroupCauses GroupCauseSearch::estimate(const std::vector<std::size_t>& members,
                                       const Partition& partition) {
  const std::vector<StatementCycle>& all = cycles(members, partition);
  const std::vector<const Form*> forms = forms_of(members, partition, rough_forms());
  GroupCauses causes;
  for (const StatementCycle& cycle : all) {
    const bool passes =
        cycle.is_in_uncut || std::ranges::any_of(cycle.runs, [&](const StatementCycle::Run& run) {
          return this->passes(run, form_of(run.functionality, forms, members));
        });
    if (passes) add(cycle, forms, members, causes);
  }
  return causes;
}

GroupCauses GroupCauseSearch::search(const std::vector<std::size_t>& members,
                                     const Partition& partition) {
  const std::vector<const Form*> forms = forms_of(members, partition, *forms_);
  const IsolationLevel level = forms_->levels().within;
  const bool is_cut = std::ranges::any_of(forms, [&](const Form* form) {
    return form->sub_transactions > 1 ||
           std::ranges::any_of(form->plain_levels,
                               [&](const auto& own) { return own.value_or(level) != level; });
  });
  // Nothing is added to what the program does as a whole.
  if (!is_cut && !counts_all_) return {};
  // Where callers ask in place of keys, other cycles may be known than there are.
  const bool has_keys =
      std::ranges::any_of(members, [&](std::size_t member) { return forms_->has_keys(member); });
  const Cycles* within =
      has_keys ? nullptr : known_cycles(members, rough_forms().finest(members, partition));
  GroupCauses causes;
  for (const FoundCycle& cycle : run(members, forms, forms_->schema_in(partition), within).cycles) {
    add(statement_cycle(cycle, forms, members), forms, members, causes);
  }
  return causes;
}

}  // namespace heddle::chopping
