#include "split/search/forms.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "find/terms/group.h"
#include "split/hand_overs.h"

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

}  // namespace

Forms::Forms(const Program& program, const find::SearchInput& whole, bool is_strong)
    : program_(program), whole_(whole), is_strong_(is_strong) {
  for (const Functionality& functionality : program.functionalities) {
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
    tables_.emplace_back(tables.begin(), tables.end());
  }
  forms_.resize(program.functionalities.size());
}

const Form& Forms::of(std::size_t functionality, const Partition& partition) {
  Partition own;
  for (const std::size_t table : tables_[functionality]) own.push_back(partition[table]);
  own = in_order(own);
  const std::scoped_lock lock(mutex_);
  std::map<Partition, std::unique_ptr<Form>>& forms = forms_[functionality];
  std::unique_ptr<Form>& form = forms[own];
  if (!form) {
    form = make(functionality, partition);
    form->number = forms.size() - 1;
  }
  return *form;
}

std::unique_ptr<Form> Forms::make(std::size_t functionality, const Partition& partition) const {
  const Cut cut = cut_of(partition, program_.schema);
  const TableServices services(cut, program_.schema);
  ChoppedFunctionality chopped =
      chop_functionality(program_.functionalities[functionality], program_.schema, services);
  auto form = std::make_unique<Form>();
  form->functionality = std::move(chopped.functionality);
  form->sub_transactions = chopped.sub_transactions.size();
  form->hand_overs = count_hand_overs(form->functionality, services, whole_.options.rounds);
  form->origins = std::move(chopped.origins);
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
  form->crosses.assign(next, std::vector<bool>(next));
  add_crossings(functionality, *form);
  return form;
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
