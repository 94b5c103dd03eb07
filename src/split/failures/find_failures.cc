// find_failures(): what is left when a functionality that a cut made several sub-transactions of
// does not get to its end.
//
// Each border between two sub-transactions is a place to stop at: `borders` finds them in the
// unfolded functionality, so that one in a loop is one for each round. There the caller may stop
// for good, stop and have compensations run, or lose the answer and call once more. None of that is
// concurrent, so that neither new searches nor new stores are needed: a functionality that stops is
// a program, too (`stopped` makes it), a second try is a second call, a compensation is a call of a
// routine that the user gives, and a run is these calls one after the other. What they are to be
// compared with is the same functionality whole, and nothing at all, on the same rows. Rows and
// arguments come from the solver, which is asked for a call of the whole functionality that gets to
// the border, has written before and will write after. A reader of what never completes is a
// dependency from a write before the border to a read of somebody else, whose call comes behind the
// border and before the compensations.
//
// Statically a stop is harmless where nothing is written before or nothing after; so is a second
// call whose repeated writes leave what they left (`repeats`). What is decided so is not executed.
// Everything else is possible until it has been executed. That leaves out a crash in the middle of
// a sub-transaction, which its service undoes; failures of a second call; and several failures at a
// time (Garcia-Molina and Salem, "Sagas", 1987).
#include <algorithm>
#include <map>
#include <mutex>
#include <ranges>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "explore/shared_server.h"
#include "find/execute/cause_executor.h"
#include "find/execute/initial_rows.h"
#include "find/search/ranking.h"
#include "find/terms/search_input.h"
#include "heddle/split_failures.h"
#include "split/failures/borders.h"
#include "split/failures/compensations.h"
#include "split/failures/failure_runs.h"
#include "split/failures/rehearsal.h"
#include "split/failures/repeats.h"
#include "split/service_declarations.h"

namespace heddle {

namespace failures {
namespace {

// Lists what may fail, and says of each what is known without a run.
class FailureList {
 public:
  FailureList(const ChoppedProgram& chopped, const Compensations& compensations,
              const find::SearchInput& input, bool counts_all)
      : chopped_(chopped), compensations_(compensations), input_(input), counts_all_(counts_all) {}

  void add_all() {
    for (std::size_t i = 0; i < chopped_.single_calls(); ++i) {
      add_functionality(i);
    }
  }

  std::vector<PlacedFailure> placed;
  std::size_t in_uncut = 0;

 private:
  void add_functionality(std::size_t functionality) {
    const find::Prepared& prepared = input_.prepared[functionality];
    const Repeats repeats = find_repeats(chopped_.program.functionalities[functionality], prepared,
                                         chopped_.program.schema.dialect);
    repeatable_.clear();
    differing_.clear();
    for (std::size_t i = 0; i < repeats.repeatable.size(); ++i) {
      if (repeats.repeatable[i]) repeatable_.insert(i);
      if (prepared.statements[i].form.writes() && !repeats.alike[i]) differing_.insert(i);
    }
    for (const Border& border : borders_of(functionality, chopped_, input_)) {
      if (tables_written(functionality, border.before).empty()) continue;
      // The uncut program has its own borders, and its one transaction ends, too.
      const bool is_new = border.commit && !border.is_in_uncut;
      if (is_new || counts_all_) {
        add_border(functionality, border);
      } else {
        ++in_uncut;
      }
    }
  }

  void add_border(std::size_t functionality, const Border& border) {
    const PlacedFailure plain = failure_at(functionality, border);
    if (border.commit) add_stop(plain);
    add_lost_answer(plain);
    if (border.commit) add_compensation(plain);
    if (border.commit) add_readers(plain);
  }

  PlacedFailure failure_at(std::size_t functionality, const Border& border) const {
    PlacedFailure made{.failure = {}, .border = border, .repeatable = repeatable_};
    SplitFailure& failure = made.failure;
    failure.at = {.functionality = functionality, .number = border.sub_transaction};
    if (border.commit) failure.rounds = border.commit->rounds;
    failure.is_end = !border.commit;
    failure.written = tables_written(functionality, border.before);
    failure.missing = tables_written(functionality, border.after);
    return made;
  }

  static void refute(SplitFailure& failure, std::string why) {
    failure.execution.status = FindingStatus::refuted;
    failure.execution.reason = std::move(why);
  }

  void add_stop(PlacedFailure made) {
    made.failure.way = FailureWay::stop;
    const bool is_known = std::ranges::none_of(made.border.after, [&](const PlacedStatement& one) {
      const std::size_t functionality = made.failure.at.functionality;
      return input_.prepared[functionality].statements[one.statement].form.is_unknown;
    });
    if (made.failure.missing.empty() && is_known) {
      refute(made.failure, "nothing is written after it");
    }
    placed.push_back(std::move(made));
  }

  void add_lost_answer(PlacedFailure made) {
    made.failure.way = FailureWay::lost_answer;
    const bool is_harmless = std::ranges::all_of(
        made.border.before,
        [&](const PlacedStatement& one) { return repeatable_.contains(one.statement); });
    // What is written only then may hang on what the second call finds of the first.
    const bool goes_on_alike = std::ranges::none_of(
        made.border.after,
        [&](const PlacedStatement& one) { return differing_.contains(one.statement); });
    if (is_harmless && goes_on_alike)
      refute(made.failure, "what is written twice is the same both times");
    placed.push_back(std::move(made));
  }

  // Whether the functionality has compensations for what was done.
  bool is_compensated(const PlacedFailure& made) const { return !compensations_of(made).empty(); }

  // The last sub-transaction first.
  std::vector<std::string> compensations_of(const PlacedFailure& made) const {
    std::set<std::size_t> statements;
    for (const PlacedStatement& one : made.border.before) statements.insert(one.statement);
    std::vector<std::string> names;
    for (const auto& [part, compensation] : std::views::reverse(compensations_)) {
      if (part.functionality != made.failure.at.functionality) continue;
      const SubTransaction& sub = chopped_.sub_transactions[part.functionality][part.number];
      const bool may_have_run = std::ranges::any_of(
          sub.statements, [&](std::size_t statement) { return statements.contains(statement); });
      if (may_have_run) names.push_back(compensation.routine.name);
    }
    return names;
  }

  void add_compensation(PlacedFailure made) {
    made.failure.way = FailureWay::compensation;
    made.failure.compensations = compensations_of(made);
    if (!made.failure.compensations.empty()) placed.push_back(std::move(made));
  }

  // Reads of what the last sub-transaction wrote; what earlier ones did is read at their borders.
  void add_readers(const PlacedFailure& plain) {
    if (plain.failure.missing.empty() && !is_compensated(plain)) return;
    const std::size_t writer = plain.failure.at.functionality;
    const SubTransaction& last = chopped_.sub_transactions[writer][plain.failure.at.number];
    for (std::size_t reader = 0; reader < chopped_.single_calls(); ++reader) {
      std::set<std::size_t> parts;
      const auto conflicts = input_.conflicts_between(writer, reader);
      for (const find::Conflict& conflict : conflicts->all) {
        const bool is_asked =
            conflict.kind == DependencyKind::wr &&
            std::ranges::find(last.statements, conflict.from) != last.statements.end() &&
            (is_compensated(plain) || shows_its_caller(reader, conflict));
        const auto part = is_asked ? part_of(reader, conflict.to) : std::nullopt;
        if (part) parts.insert(*part);
      }
      for (const std::size_t part : parts) {
        PlacedFailure made = plain;
        made.failure.compensations = compensations_of(plain);
        made.failure.way = is_compensated(plain) ? FailureWay::compensation : FailureWay::stop;
        made.failure.reader = SplitPart{.functionality = reader, .number = part};
        placed.push_back(std::move(made));
      }
    }
  }

  // Whether what is read gets to the reader's caller; else it is only what others are computed
  // from.
  bool shows_its_caller(std::size_t reader, const find::Conflict& conflict) const {
    const find::StatementForm& form = input_.prepared[reader].statements[conflict.to].form;
    const find::RowSource& source = form.sources[conflict.to_source];
    if (!source.is_written || !form.outputs.empty() || conflict.columns.empty()) return true;
    return std::ranges::any_of(conflict.columns, [&](const std::string& column) {
      const auto& looked_at = source.predicate_columns;
      return std::ranges::find(looked_at, column) != looked_at.end();
    });
  }

  std::optional<std::size_t> part_of(std::size_t functionality, std::size_t statement) const {
    const std::vector<SubTransaction>& subs = chopped_.sub_transactions[functionality];
    for (std::size_t i = 0; i < subs.size(); ++i) {
      const auto& own = subs[i].statements;
      if (std::ranges::find(own, statement) != own.end()) return i;
    }
    return std::nullopt;
  }

  std::vector<std::string> tables_written(std::size_t functionality,
                                          const std::vector<PlacedStatement>& statements) const {
    std::set<std::string> tables;
    for (const PlacedStatement& one : statements) {
      const find::StatementForm& form =
          input_.prepared[functionality].statements[one.statement].form;
      for (const find::RowSource& source : form.sources) {
        if (source.is_written) tables.insert(source.name);
      }
    }
    return {tables.begin(), tables.end()};
  }

  const ChoppedProgram& chopped_;
  const Compensations& compensations_;
  const find::SearchInput& input_;
  bool counts_all_;
  // Statements of the functionality at hand; the second: writes whose values or conditions may be
  // others in a second call.
  std::set<std::size_t> repeatable_;
  std::set<std::size_t> differing_;
};

// Those that are possible so far.
Result<void> execute_failures(const SplitReport& split, const Compensations& compensations,
                              const FailureOptions& options, std::vector<PlacedFailure>& placed,
                              FailureReport& report) {
  const ExecuteOptions& execution = *options.execution;
  std::vector<PlacedFailure*> open;
  for (PlacedFailure& one : placed) {
    if (one.failure.execution.status == FindingStatus::possible) open.push_back(&one);
  }
  if (open.empty()) return {};
  SharedServer server(execution.on);
  const Result<Scenario> nothing =
      parse_scenario("session s\nstep s1 { SELECT 1; }\n", "failure.spec");
  if (Result<void> ready = server.prepare_for(*nothing); !ready) return ready;
  std::optional<std::vector<find::FilledRow>> rows;
  if (execution.rows) {
    auto read = find::read_initial_rows(split.chopped.program, execution.on, *execution.rows);
    if (!read) return read.error();
    rows = std::move(*read);
  }
  ExecuteOptions divided = execution;
  divided.services = chopping::service_declarations(split);
  for (ServiceDeclaration& service : divided.services) {
    if (!service.isolation) continue;
    const std::vector<FunctionalityLevel> own = {{.level = *service.isolation}};
    service.isolation = find::executable_levels(execution.on, own).front().level;
  }
  const FailureRuns runs(split, compensations, options.split.find, divided,
                         rows ? &*rows : nullptr);
  std::mutex mutex;
  std::size_t done = 0;
  run_parallel(open.size(), execution.jobs, [&](std::size_t i) {
    if (runs.is_over()) return;
    open[i]->failure.execution = runs.execute(*open[i]);
    const std::scoped_lock lock(mutex);
    ++done;
    if (execution.progress) execution.progress(done, open.size());
  });
  server.conclude(*nothing, false);
  if (done < open.size()) {
    report.bound = fmt::format("{}: {} of {} failures were not executed", find::reason_to_stop(),
                               open.size() - done, open.size());
  }
  return {};
}

void add_names(const std::vector<std::string>& more, std::vector<std::string>& names) {
  std::set<std::string> all(names.begin(), names.end());
  all.insert(more.begin(), more.end());
  names.assign(all.begin(), all.end());
}

// The branches of a functionality may each end the same sub-transaction: these are one border, and
// what one of them shows is so.
std::vector<SplitFailure> join_twins(std::vector<PlacedFailure> placed) {
  std::vector<SplitFailure> joined;
  for (PlacedFailure& one : placed) {
    SplitFailure& failure = one.failure;
    const auto twin = std::ranges::find_if(joined, [&](const SplitFailure& other) {
      return other.way == failure.way && other.at == failure.at && other.rounds == failure.rounds &&
             other.is_end == failure.is_end && other.reader == failure.reader;
    });
    if (twin == joined.end()) {
      joined.push_back(std::move(failure));
      continue;
    }
    add_names(failure.written, twin->written);
    add_names(failure.missing, twin->missing);
    if (find::rank(failure.execution) < find::rank(twin->execution)) {
      twin->execution = std::move(failure.execution);
    }
  }
  return joined;
}

}  // namespace
}  // namespace failures

Result<FailureReport> find_failures(const SplitReport& split, const FailureOptions& options) {
  failures::Compensations compensations;
  if (options.compensations) {
    auto read = failures::read_compensations(*options.compensations, split.chopped, split.cut);
    if (!read) return read.error();
    compensations = std::move(*read);
  }
  const Program& program = split.chopped.program;
  const std::vector<FunctionalityLevel> levels(
      program.functionalities.size(), {.level = split.within, .origin = LevelOrigin::given});
  const find::SearchInput input = find::prepare_search(program, options.split.find, levels);
  failures::FailureList list(split.chopped, compensations, input, options.split.counts_all);
  list.add_all();
  FailureReport report;
  report.in_uncut = list.in_uncut;
  const bool is_cut_short = input.is_late();
  if (options.execution) {
    if (Result<void> done =
            failures::execute_failures(split, compensations, options, list.placed, report);
        !done) {
      return done.error();
    }
  }
  if (is_cut_short) {
    report.bound = find::reason_to_stop() + ": not all failures were looked for";
  }
  report.failures = failures::join_twins(std::move(list.placed));
  std::ranges::stable_sort(report.failures, {}, [](const SplitFailure& failure) {
    return find::rank(failure.execution);
  });
  return report;
}

}  // namespace heddle
