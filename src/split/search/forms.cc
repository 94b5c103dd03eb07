#include "split/search/forms.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "find/terms/group.h"
#include "split/cycles/torn_keys.h"
#include "split/hand_overs.h"
#include "split/reference_checks.h"

namespace heddle::chopping {

namespace {

std::vector<std::size_t> tables_in(const Statement& statement, const Schema& schema) {
  std::set<std::size_t> tables;
  for (const TableUse& use : statement.tables) {
    const Table* table = find_table(schema, use.table, schema.dialect, use.schema);
    if (table != nullptr) tables.insert(static_cast<std::size_t>(table - schema.tables.data()));
  }
  return {tables.begin(), tables.end()};
}

// Every table a service of its own.
Partition finest_partition(const Program& program) {
  Partition finest(program.schema.tables.size());
  std::iota(finest.begin(), finest.end(), std::size_t{0});
  return finest;
}

bool is_serializable(const ServiceLevels& levels) {
  return levels.within == IsolationLevel::serializable &&
         std::ranges::all_of(levels.of_tables, [](const auto& one) {
           return one.second == IsolationLevel::serializable;
         });
}

}  // namespace

std::vector<IsolationLevel> ServiceLevels::in(const Partition& partition) const {
  std::map<std::size_t, IsolationLevel> of_services;
  for (const auto& [table, level] : of_tables) {
    const auto [known, is_new] = of_services.emplace(partition[table], level);
    // Of two levels the weaker one.
    if (!is_new && implies(known->second, level)) known->second = level;
  }
  std::vector<IsolationLevel> all;
  for (const std::size_t service : partition) {
    const auto known = of_services.find(service);
    all.push_back(known == of_services.end() ? within : known->second);
  }
  return all;
}

IsolationLevel ServiceLevels::weakest() const {
  std::vector<IsolationLevel> all = {within};
  for (const auto& [table, level] : of_tables) all.push_back(level);
  const auto found = std::ranges::find_if(all, [&](IsolationLevel candidate) {
    return std::ranges::all_of(all,
                               [&](IsolationLevel other) { return implies(other, candidate); });
  });
  return found == all.end() ? IsolationLevel::eventual : *found;
}

Forms::Forms(const Program& program, const find::SearchInput& whole, ServiceLevels levels,
             KeyForms keys)
    : program_(program),
      whole_(whole),
      levels_(std::move(levels)),
      keys_(keys),
      is_strong_(is_serializable(levels_)) {
  if (keys == KeyForms::asked) {
    const Cut cut = cut_of(finest_partition(program), program.schema);
    asked_ = std::make_unique<ReferenceChecks>(program, TableServices(cut, program.schema),
                                               ReferenceChecks::Keys::all);
  }
  for (std::size_t number = 0; number < program.functionalities.size(); ++number) {
    const Functionality& functionality = program.functionalities[number];
    std::set<std::size_t> tables;
    std::set<std::vector<std::size_t>>& joins = joins_.emplace_back();
    for (const ListedStatement& listed : list_statements(functionality)) {
      const Statement& statement = listed.statement->statement;
      const std::vector<std::size_t> own = tables_in(statement, program.schema);
      tables.insert(own.begin(), own.end());
      if (own.size() > 1) joins.insert(own);
      for (std::size_t i = 0; may_use_any_table(statement) && i < program.schema.tables.size();
           ++i) {
        tables.insert(i);
      }
    }
    used_.emplace_back(tables.begin(), tables.end());
    std::set<std::size_t> with_keys = tables;
    has_keys_.push_back(add_keys(number, with_keys));
    if (has_keys_.back() && keys == KeyForms::torn) tables = std::move(with_keys);
    if (has_keys_.back() && keys == KeyForms::asked) add_asked(number, tables);
    tables_.emplace_back(tables.begin(), tables.end());
  }
  forms_.resize(program.functionalities.size());
}

// Where a key has its tables in two services somebody may ask in its place, and nobody checks it
// any more.
bool Forms::add_keys(std::size_t functionality, std::set<std::size_t>& tables) {
  const Schema& schema = program_.schema;
  bool has_any = false;
  std::set<const Table*> changed;
  for (const ListedStatement& listed : list_statements(program_.functionalities[functionality])) {
    for (const TableUse& use : listed.statement->statement.tables) {
      if (use.written) changed.insert(find_table(schema, use.table, schema.dialect, use.schema));
    }
  }
  for (std::size_t i = 0; i < schema.tables.size(); ++i) {
    for (const ForeignKeyConstraint& key : schema.tables[i].foreign_keys) {
      const Table* to =
          find_table(schema, key.referenced_table, schema.dialect, key.referenced_schema);
      if (to == nullptr || to == &schema.tables[i]) continue;
      if (!changed.contains(to) && !changed.contains(&schema.tables[i])) continue;
      const auto other = static_cast<std::size_t>(to - schema.tables.data());
      tables.insert({i, other});
      has_any = true;
    }
  }
  return has_any;
}

// The tables that callers ask.
void Forms::add_asked(std::size_t functionality, std::set<std::size_t>& tables) const {
  const Cut cut = cut_of(finest_partition(program_), program_.schema);
  const ChoppedFunctionality chopped =
      chop_functionality(program_.functionalities[functionality], program_.schema,
                         TableServices(cut, program_.schema), asked_.get());
  for (const ListedStatement& listed : list_statements(chopped.functionality)) {
    const std::vector<std::size_t> own = tables_in(listed.statement->statement, program_.schema);
    tables.insert(own.begin(), own.end());
  }
}

const Form& Forms::of(std::size_t functionality, const Partition& partition) {
  return find(functionality, partition, levels_.in(partition));
}

const Form& Forms::weakest_of(std::size_t functionality, const Partition& partition) {
  return find(functionality, partition,
              std::vector<IsolationLevel>(partition.size(), levels_.weakest()));
}

const Form& Forms::find(std::size_t functionality, const Partition& partition,
                        const std::vector<IsolationLevel>& levels) {
  Place own;
  for (const std::size_t table : tables_[functionality]) {
    own.first.push_back(partition[table]);
    if (!levels_.is_one()) own.second.push_back(levels[table]);
  }
  own.first = in_order(own.first);
  const std::scoped_lock lock(mutex_);
  std::map<Place, std::unique_ptr<Form>>& forms = forms_[functionality];
  std::unique_ptr<Form>& form = forms[own];
  if (!form) {
    form = make(functionality, partition, levels);
    form->number = forms.size() - 1;
  }
  return *form;
}

Schema Forms::schema_in(const Partition& partition) const {
  Schema schema = program_.schema;
  if (keys_ == KeyForms::asked) {
    for (Table& table : schema.tables) table.foreign_keys.clear();
    return schema;
  }
  erase_torn_keys(find_torn_keys(cut_of(partition, program_.schema), program_.schema), schema);
  return schema;
}

std::unique_ptr<Form> Forms::make(std::size_t functionality, const Partition& partition,
                                  const std::vector<IsolationLevel>& levels) const {
  const Cut cut = cut_of(partition, program_.schema);
  const TableServices services(cut, program_.schema);
  const ReferenceChecks torn(program_, services);
  ChoppedFunctionality chopped =
      chop_functionality(program_.functionalities[functionality], program_.schema, services,
                         asked_ ? asked_.get() : &torn);
  auto form = std::make_unique<Form>();
  form->functionality = chopped.functionality;
  form->sub_transactions = chopped.sub_transactions.size();
  form->hand_overs = count_hand_overs(form->functionality, services, whole_.options.rounds);
  form->origins = chopped.origins;
  std::size_t next = 0;
  for (const std::optional<std::size_t>& origin : form->origins) {
    form->plain.push_back(origin ? std::optional(next++) : std::nullopt);
  }
  form->sub_of.resize(next);
  for (std::size_t i = 0; i < chopped.sub_transactions.size(); ++i) {
    for (const std::size_t statement : chopped.sub_transactions[i].statements) {
      if (form->plain[statement]) form->sub_of[*form->plain[statement]] = i;
    }
  }
  if (!levels_.is_one()) {
    std::vector<IsolationLevel> of_services(cut.services.size(), levels_.within);
    for (std::size_t i = 0; i < partition.size(); ++i) of_services[partition[i]] = levels[i];
    add_levels(chopped, of_services, *form);
  }
  form->crosses.assign(next, std::vector<bool>(next));
  add_crossings(functionality, *form);
  return form;
}

void Forms::add_levels(const ChoppedFunctionality& chopped,
                       const std::vector<IsolationLevel>& services, Form& form) const {
  form.levels.resize(form.plain.size());
  form.plain_levels.resize(form.sub_of.size());
  for (const SubTransaction& sub : chopped.sub_transactions) {
    for (const std::size_t statement : sub.statements) {
      form.levels[statement] = services[sub.service];
      if (form.plain[statement]) form.plain_levels[*form.plain[statement]] = services[sub.service];
    }
  }
}

void Forms::add_crossings(std::size_t functionality, Form& form) const {
  Program program{.schema = program_.schema, .functionalities = {}, .notes = {}};
  program.functionalities.resize(program_.functionalities.size());
  program.functionalities[functionality] = form.functionality;
  const find::SearchInput input =
      find::prepare_search_of({functionality}, program, whole_, whole_.levels);
  const find::Group group(input, {functionality},
                          find::UnfoldOptions{.rounds = whole_.options.rounds});
  const std::vector<find::Event>& events = group.instances()[0].unfolding->events;
  for (const find::Event& entry : events) {
    for (const find::Event& exit : events) {
      const bool is_other =
          is_strong_ ? exit.transaction < entry.transaction : exit.transaction != entry.transaction;
      if (!is_other || !form.plain[entry.statement] || !form.plain[exit.statement]) continue;
      form.crosses[*form.plain[entry.statement]][*form.plain[exit.statement]] = true;
    }
  }
}

Partition Forms::finest(const std::vector<std::size_t>& functionalities,
                        const Partition& partition) const {
  Partition finest(partition.size());
  std::iota(finest.begin(), finest.end(), std::size_t{0});
  for (const std::size_t functionality : functionalities) {
    for (const std::vector<std::size_t>& join : joins_[functionality]) {
      for (const std::size_t a : join) {
        for (const std::size_t b : join) {
          if (partition[a] != partition[b]) continue;
          const std::size_t from = finest[a];
          const std::size_t to = finest[b];
          std::ranges::replace(finest, from, to);
        }
      }
    }
  }
  return in_order(finest);
}

}  // namespace heddle::chopping
