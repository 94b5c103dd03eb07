#include "split/failures/rehearsal.h"

#include <algorithm>
#include <ranges>
#include <string>
#include <utility>

#include "base/text.h"
#include "split/failures/stopped.h"

namespace heddle::failures {

namespace {

// Of each kind of question; what the first ones do not show the others seldom do.
constexpr std::size_t kMostQuestions = 6;

// Its code is not what the services run.
Functionality as_read(Functionality functionality) {
  functionality.method.clear();
  return functionality;
}

std::string free_name(std::string name, const ChoppedProgram& chopped) {
  while (std::ranges::find(chopped.program.functionalities, name, &Functionality::name) !=
         chopped.program.functionalities.end()) {
    name += "_";
  }
  return name;
}

FoundNode node(std::size_t instance, std::size_t member, const PlacedStatement& placed,
               OperationPart part) {
  return {.instance = instance,
          .functionality = member,
          .statement = placed.statement,
          .part = part,
          .rounds = placed.rounds};
}

}  // namespace

Rehearsal::Rehearsal(const PlacedFailure& placed, const ChoppedProgram& chopped,
                     const Compensations& compensations, FindOptions options)
    : placed_(placed), options_(std::move(options)) {
  // Callers keep what they promise, also of a call that is stopped; nothing else is known here.
  std::vector<CallRequirement> requirements = std::move(options_.constraints.requirements);
  options_.constraints = {};
  add_members(chopped, compensations);
  const std::string& whole = program_.functionalities[kWhole].name;
  for (CallRequirement& requirement : requirements) {
    const bool is_stopped = stopped_ != kWhole && (requirement.functionality == whole ||
                                                   to_lower(requirement.functionality) == whole);
    if (is_stopped) {
      options_.constraints.requirements.push_back(requirement);
      options_.constraints.requirements.back().functionality =
          program_.functionalities[stopped_].name;
    }
    options_.constraints.requirements.push_back(std::move(requirement));
  }
  // What runs one after the other runs so at any level.
  const std::vector<FunctionalityLevel> levels(
      program_.functionalities.size(),
      {.level = IsolationLevel::postgres_serializable, .origin = LevelOrigin::given});
  input_ = std::make_unique<find::SearchInput>(find::prepare_search(program_, options_, levels));
}

void Rehearsal::add_members(const ChoppedProgram& chopped, const Compensations& compensations) {
  const SplitFailure& failure = placed_.failure;
  const std::vector<Functionality>& all = chopped.program.functionalities;
  const std::size_t own = failure.at.functionality;
  program_.schema = chopped.program.schema;
  program_.functionalities.push_back(as_read(all[own]));
  if (placed_.border.commit) {
    stopped_ = program_.functionalities.size();
    program_.functionalities.push_back(stopped_at(*placed_.border.commit, all[own],
                                                  free_name(all[own].name + "_stopped", chopped)));
  }
  if (failure.reader) {
    const std::size_t other = failure.reader->functionality;
    reader_ = other == own ? kWhole : program_.functionalities.size();
    if (other != own) program_.functionalities.push_back(as_read(all[other]));
    const SubTransaction& sub = chopped.sub_transactions[other][failure.reader->number];
    read_in_.insert(sub.statements.begin(), sub.statements.end());
  }
  if (failure.way != FailureWay::compensation) return;
  for (const auto& [part, compensation] : std::views::reverse(compensations)) {
    if (part.functionality != own) continue;
    undone_by_.push_back({.sub_transaction = part.number,
                          .member = program_.functionalities.size(),
                          .parameters = compensation.parameters});
    program_.functionalities.push_back(compensation.routine);
  }
}

bool Rehearsal::writes(const PlacedStatement& placed) const {
  return input_->prepared[kWhole].statements[placed.statement].form.writes();
}

// Whether all that is written twice is the same both times, so that only the rest can be other.
bool Rehearsal::harms_by_rest() const {
  return placed_.failure.way == FailureWay::lost_answer &&
         std::ranges::all_of(placed_.border.before, [&](const PlacedStatement& placed) {
           return !writes(placed) || placed_.repeatable.contains(placed.statement);
         });
}

// The last one first.
std::vector<PlacedStatement> Rehearsal::writes_before() const {
  std::vector<PlacedStatement> found;
  for (const PlacedStatement& placed : placed_.border.before) {
    const bool is_harmless = placed_.failure.way == FailureWay::lost_answer && !harms_by_rest() &&
                             placed_.repeatable.contains(placed.statement);
    if (writes(placed) && !is_harmless) found.insert(found.begin(), placed);
  }
  return found;
}

std::vector<PlacedStatement> Rehearsal::writes_after() const {
  std::vector<PlacedStatement> found;
  for (const PlacedStatement& placed : placed_.border.after) {
    if (writes(placed)) found.push_back(placed);
  }
  return found;
}

std::vector<FoundCycle> Rehearsal::questions() const {
  std::vector<FoundCycle> all;
  // Where the functionality is called again, or compensated, the rest need not do anything.
  const bool needs_rest = placed_.failure.way == FailureWay::stop || harms_by_rest();
  std::vector<std::optional<PlacedStatement>> after;
  for (const PlacedStatement& placed : writes_after()) after.emplace_back(placed);
  if (!needs_rest) after.assign(1, std::nullopt);
  for (const PlacedStatement& before : writes_before()) {
    for (const std::optional<PlacedStatement>& rest : after) {
      if (all.size() >= kMostQuestions) return all;
      FoundCycle question;
      question.nodes.push_back(node(0, kWhole, before, OperationPart::write));
      if (placed_.border.commit) {
        question.nodes.push_back(node(0, kWhole, *placed_.border.commit, OperationPart::write));
      }
      if (rest) question.nodes.push_back(node(0, kWhole, *rest, OperationPart::write));
      if (reader_) {
        ask_of_readers(question, all);
      } else {
        all.push_back(std::move(question));
      }
    }
  }
  return all;
}

// The first node writes what the reader reads.
void Rehearsal::ask_of_readers(const FoundCycle& question, std::vector<FoundCycle>& all) const {
  const std::vector<ListedStatement> listed = list_statements(program_.functionalities[*reader_]);
  const auto conflicts = input_->conflicts_between(kWhole, *reader_);
  for (const find::Conflict& conflict : conflicts->all) {
    const bool is_asked = conflict.kind == DependencyKind::wr &&
                          conflict.from == question.nodes.front().statement &&
                          read_in_.contains(conflict.to);
    if (!is_asked || all.size() >= kMostQuestions) continue;
    FoundCycle whole = question;
    const PlacedStatement reader{.statement = conflict.to,
                                 .rounds = std::vector<std::size_t>(listed[conflict.to].loops)};
    whole.nodes.push_back(node(1, *reader_, reader, OperationPart::read));
    const find::StatementForm& form = input_->prepared[kWhole].statements[conflict.from].form;
    whole.edges.push_back({.kind = DependencyKind::wr,
                           .predicate = false,
                           .from = 0,
                           .to = whole.nodes.size() - 1,
                           .table = form.sources[conflict.from_source].name,
                           .columns = conflict.columns});
    all.push_back(std::move(whole));
  }
}

}  // namespace heddle::failures
