#include "find/realize/realize.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "find/realize/fill_rows.h"
#include "find/realize/other_sight.h"
#include "find/realize/run_wishes.h"
#include "find/search/closed_world.h"
#include "find/search/placed_cycle.h"
#include "find/terms/formula.h"
#include "find/values/solution_texts.h"

namespace heddle::find {

namespace {

constexpr std::uint32_t kMaxStepsOfRealization = 20'000'000;

bool is_end(const Event& event) {
  return event.form->kind == StatementKind::commit || event.form->kind == StatementKind::rollback;
}

}  // namespace

class RunMaker::State {
 public:
  static UnfoldOptions options_for(const SearchInput& input) {
    UnfoldOptions options = while_in_time(input);
    options.looks_behind_loops = true;
    return options;
  }

  State(const SearchInput& input, const FoundCycle& cycle, const std::vector<FilledRow>* given)
      : input_(input),
        given_(given),
        members_(members_of(cycle)),
        group_(input, members_, options_for(input), nullptr, cycle.prefix),
        terms_(group_.terms()),
        formula_(group_.evaluator(), group_.rows(), group_.instances(), input.constraints),
        solver_(terms_, kMaxStepsOfRealization, input.deadline) {
    cycle_ = place_cycle(input, group_, cycle);
    for (const std::size_t call : cycle.prefix) {
      early_.push_back(members_.size());
      members_.push_back(call);
    }
    is_placed_ = cycle_.edges.size() == cycle.edges.size() && place_lone(cycle);
    has_copies_ = std::ranges::none_of(
        group_.instances(), [](const Instance& instance) { return instance.any_level(is_timed); });
    obstacle_ = find_obstacle();
    if (obstacle_.empty()) close();
  }

  RealizationAttempt make(WishedRun wanted) {
    if (!obstacle_.empty()) return {{}, obstacle_};
    wanted.has_given_rows = given_ != nullptr;
    wishes_->make(wanted, has_copies_);
    switch (wishes_->solve()) {
      case smt::Satisfiable::no:
        return {{}, std::string(kNoSolution)};
      case smt::Satisfiable::unknown:
        return {{}, "the solver gave up"};
      default:
        break;
    }
    return {read(), ""};
  }

  bool has_borders() const {
    return std::ranges::any_of(group_.instances(), [](const Instance& instance) {
      return !instance.unfolding->borders.empty();
    });
  }

  bool has_copies() const { return has_copies_; }

  // Of statements on the same table: which see what the others wrote, and who wrote last.
  void exclude_last() {
    Order& order = formula_.order();
    const std::vector<OrderPoint>& points = order.points();
    std::vector<Term> same;
    const auto keep = [&](Term term) {
      if (terms_.is_constant(term)) return;
      same.push_back(holds(term) ? term : terms_.negate(term));
    };
    for (std::size_t a = 0; a < points.size(); ++a) {
      if (!points[a].writes || !holds(points[a].runs)) continue;
      for (std::size_t b = 0; b < points.size(); ++b) {
        const bool is_asked = points[a].instance != points[b].instance && holds(points[b].runs) &&
                              meet(points[a], points[b]);
        if (!is_asked) continue;
        keep(order.sees(a, b));
        if (points[b].writes && a < b) keep(order.before(a, b));
      }
    }
    add(terms_.negate(terms_.all(same)));
  }

 private:
  // Finds the operations that no dependency goes from or to. False: some are not unfolded.
  bool place_lone(const FoundCycle& cycle) {
    for (std::size_t i = 0; i < cycle.nodes.size(); ++i) {
      const bool is_joined = std::ranges::any_of(
          cycle.edges, [&](const FoundEdge& edge) { return edge.from == i || edge.to == i; });
      if (is_joined) continue;
      const std::optional<std::size_t> event = event_of(group_, cycle.nodes[i]);
      if (!event) return false;
      lone_.emplace_back(cycle.nodes[i].instance, *event);
    }
    return true;
  }

  // They run, and those that change rows that they name find one; in the best case they leave
  // something else than was there.
  void run_lone() {
    RowEffects effects(group_.evaluator(), group_.rows());
    for (const auto& [instance, at] : lone_) {
      const Event& event = group_.event(instance, at);
      add(event.guard);
      if (!event.form->writes()) continue;
      add(event.has_result);
      if (event.form->kind == StatementKind::update && event.is_pinned) {
        changes_.push_back(changes(effects, event));
      }
    }
  }

  Term changes(RowEffects& effects, const Event& writer) {
    std::vector<Term> differs;
    for (std::size_t i = 0; i < writer.form->sources.size(); ++i) {
      const RowSource& source = writer.form->sources[i];
      if (!source.is_written) continue;
      for (const std::string& column : source.written_columns) {
        const auto written = effects.written(writer, i, column, writer.result[i]);
        if (!written) continue;
        const SqlValue before = group_.rows().cell(writer.viewer, source, column, writer.result[i]);
        differs.push_back(group_.evaluator().compare("<>", *written, before).holds);
      }
    }
    return terms_.any(differs);
  }

  // Who takes the first row takes another one if that is gone: where there is none, two who take
  // the same row may leave what they would leave one after the other.
  void line_up_others() {
    RowEffects effects(group_.evaluator(), group_.rows());
    for (const Instance& instance : group_.instances()) {
      for (const Event& event : instance.unfolding->events) {
        if (!event.form->takes_first || event.result.empty()) continue;
        const RowSource& source = event.form->sources[0];
        if (source.table == nullptr) continue;
        const RowKey next = group_.rows().fresh_key(source, event.viewer + " next");
        changes_.push_back(
            terms_.all(effects.matches(event, 0, {.viewer = "", .key = next}),
                       terms_.negate(group_.rows().same_key(next, event.result[0]))));
      }
    }
  }

  // Nor does it show that an UPDATE finds a row gone unless another one has the key that it gives.
  void keep_keys_taken() {
    for (const Instance& instance : group_.instances()) {
      for (const Event& event : instance.unfolding->events) {
        if (event.form->kind != StatementKind::update || !event.is_pinned) continue;
        for (std::size_t s = 1; s < event.form->sources.size(); ++s) {
          if (event.form->sources[s].role == SourceRole::taken) keep_key_taken(event, s);
        }
      }
    }
  }

  void keep_key_taken(const Event& event, std::size_t source) {
    Rows& rows = group_.rows();
    const RowSource& of = event.form->sources[source];
    std::vector<RowKey> keys(event.form->sources.size());
    keys[0] = event.result[0];
    keys[source] = rows.fresh_key(of, event.viewer + " holder");
    const Lookup at_first = lookup_in(event, keys, "", group_.evaluator(), rows);
    std::vector<Term> holds = {rows.exists("", event.form->sources[0], keys[0]),
                               rows.exists("", of, keys[source]),
                               terms_.negate(rows.same_key(keys[0], keys[source]))};
    for (const Expression& condition : of.reference) {
      holds.push_back(group_.evaluator().truth(condition, at_first).holds);
    }
    changes_.push_back(terms_.any(event.has_result, terms_.all(holds)));
  }

  // Why the cycle cannot be made a run at all; empty: nothing is known.
  std::string find_obstacle() const {
    if (!is_placed_) return "its statements are not among those that are followed";
    for (const std::size_t member : members_) {
      for (const FormedStatement& formed : input_.prepared[member].statements) {
        for (const RowSource& source : formed.form.sources) {
          if (source.table == nullptr) {
            return fmt::format("no file defines the table {}", source.name);
          }
        }
      }
    }
    return "";
  }

  void close() {
    group_.rows().record(&uses_);
    const std::size_t known = group_.known();
    const CycleFormula::Parts parts =
        formula_.build(cycle_.edges, CycleFormula::Scope::every_statement);
    for (const Term edge : parts.edges) add(edge);
    add(parts.common);
    add(parts.whole);
    run_lone();
    if (given_ == nullptr) {
      line_up_others();
      keep_keys_taken();
    }
    std::ranges::copy(reads_that_matter(group_, cycle_.edges, formula_.keys()),
                      std::back_inserter(changes_));
    closed_.emplace(group_, formula_.order(), uses_, ClosedWorld::Others::absent);
    if (given_ != nullptr) closed_->give(*given_);
    group_.add_facts(solver_);
    for (const Term term : closed_->close()) add(term);
    if (has_copies_) {
      take_effect_in_turn();
    } else {
      begin_with_statements();
      end_in_turn();
    }
    group_.add_facts_since(known, solver_);
    wishes_.emplace(input_, group_, WishedCycle{cycle_.edges, changes_, formula_}, *closed_,
                    solver_);
  }

  // Whether one writes a table that the other one reads or writes.
  bool meet(const OrderPoint& writer, const OrderPoint& other) const {
    const StatementForm& from = *group_.event(writer.instance, writer.event).form;
    const StatementForm& to = *group_.event(other.instance, other.event).form;
    return std::ranges::any_of(from.sources, [&](const RowSource& source) {
      return source.is_written &&
             std::ranges::find(to.sources, source.name, &RowSource::name) != to.sources.end();
    });
  }

  void add(Term term) { solver_.add(term); }

  // A transaction's snapshot is taken by its first statement.
  void begin_with_statements() {
    Order& order = formula_.order();
    for (std::size_t a = 0; a < order.points().size(); ++a) {
      const Order::Times& times = order.times(a);
      if (times.snapshot == times.start) continue;
      std::vector<Term> is_first;
      for (std::size_t b = 0; b < order.points().size(); ++b) {
        if (!(order.times(b).snapshot == times.snapshot)) continue;
        const OrderPoint& point = order.points()[b];
        is_first.push_back(terms_.all(group_.event(point.instance, point.event).guard,
                                      terms_.equal(times.snapshot, order.times(b).start)));
      }
      // A transaction whose statements are all of branches that are not taken has no first one.
      add(terms_.implies(order.points()[a].runs, terms_.any(is_first)));
    }
  }

  // What a call leaves open on several connections is ended in their order.
  void end_in_turn() {
    Order& order = formula_.order();
    const std::vector<OrderPoint>& points = order.points();
    for (std::size_t a = 0; a < points.size(); ++a) {
      for (std::size_t b = 0; b < points.size(); ++b) {
        if (!points[a].span || points[a].instance != points[b].instance) continue;
        const std::size_t instance = points[a].instance;
        const bool is_next = connection_of(instance, group_.event(instance, points[a].event)) <
                             connection_of(instance, group_.event(instance, points[b].event));
        if (!is_next) continue;
        add(terms_.implies(terms_.all({points[a].runs, points[b].runs, stays_open(points[a]),
                                       stays_open(points[b])}),
                           terms_.less(order.times(a).end, order.times(b).end)));
      }
    }
  }

  // Until the call ends.
  Term stays_open(const OrderPoint& point) {
    std::vector<Term> ends;
    for (const Event& event : group_.instances()[point.instance].unfolding->events) {
      if (is_end(event) && event.transaction == point.transaction) ends.push_back(event.guard);
    }
    return terms_.negate(terms_.any(ends));
  }

  // The store runs one statement after the other, and a transaction whose writes are seen as a
  // whole writes when it commits.
  void take_effect_in_turn() {
    Order& order = formula_.order();
    const std::vector<OrderPoint>& points = order.points();
    for (std::size_t a = 0; a < points.size(); ++a) {
      add(terms_.implies(points[a].runs, terms_.less(order.times(a).time, order.times(a).end)));
      const bool whole = is_seen_whole(points[a].level);
      for (std::size_t b = 0; b < points.size(); ++b) {
        const bool same_transaction = points[a].instance == points[b].instance &&
                                      points[a].transaction == points[b].transaction;
        if (same_transaction || !points[a].writes) continue;
        const Term both = terms_.all(points[a].runs, points[b].runs);
        if (points[a].instance == points[b].instance) {
          // Of a session with several connections the formula says itself what ends when.
          const bool is_next = !points[a].span && points[a].transaction < points[b].transaction;
          if (is_next) {
            add(terms_.implies(both, terms_.less(order.times(a).end, order.times(b).time)));
          }
          continue;
        }
        // What is rolled back is seen until then, if at all.
        const Term in_time = terms_.less(order.times(b).time, order.times(a).end);
        const Term stays = whole ? points[a].lasts : terms_.any(points[a].lasts, in_time);
        add(terms_.implies(terms_.all(both, order.sees(a, b)), stays));
        if (whole) {
          add(terms_.implies(terms_.all(both, order.sees(a, b)),
                             terms_.less(order.times(a).end, order.times(b).time)));
        }
        const bool other_whole = is_seen_whole(points[b].level);
        if (!points[b].writes || !(whole || other_whole)) continue;
        const Term first = whole ? order.times(a).end : order.times(a).time;
        const Term second = other_whole ? order.times(b).end : order.times(b).time;
        add(terms_.implies(terms_.all(both, order.before(a, b)), terms_.less(first, second)));
      }
    }
  }

  std::int64_t number_of(Term term) {
    const std::string text = solver_.value(term);
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }

  bool holds(Term term) { return solver_.value(term) == "true"; }

  Realization read() {
    Realization run;
    run.members = members_;
    run.early = early_;
    SolutionTexts texts(group_.evaluator(), solver_, input_.program.schema);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      run.arguments.emplace_back();
      for (const Variable& parameter : input_.program.functionalities[members_[i]].parameters) {
        run.arguments.back().push_back(
            texts.text_of(group_.instances()[i].unfolding->parameters.at(parameter.name),
                          type_named(parameter.type)));
      }
    }
    run.steps = read_steps();
    for (const Instance& instance : group_.instances()) {
      run.goes_beyond =
          run.goes_beyond || std::ranges::any_of(instance.unfolding->overruns,
                                                 [&](Term overrun) { return holds(overrun); });
    }
    if (given_ != nullptr) {
      run.rows = *given_;
      return run;
    }
    RowFiller filler(input_.program.schema, texts, columns_read());
    for (const InitialRow& row : closed_->rows()) {
      const bool is_named =
          std::ranges::none_of(row.key, [&](const SqlValue& part) { return holds(part.is_null); });
      if (is_named && holds(row.exists)) filler.add(group_.rows(), row);
    }
    add_inserted(filler, texts);
    run.rows = filler.take();
    return run;
  }

  // By table, what written values are computed from.
  ColumnsOfTables columns_read() const {
    ColumnsOfTables columns;
    for (const std::size_t member : members_) {
      for (const FormedStatement& formed : input_.prepared[member].statements) {
        for (const RowSource& source : formed.form.sources) {
          if (!source.is_written || source.table == nullptr) continue;
          columns[source.table].insert(source.output_columns.begin(), source.output_columns.end());
        }
      }
    }
    return columns;
  }

  // What the transactions insert refers to rows, too; some of them they make themselves.
  void add_inserted(RowFiller& filler, SolutionTexts& texts) {
    RowEffects effects(group_.evaluator(), group_.rows());
    for (std::size_t i = 0; i < members_.size(); ++i) {
      for (const Event& event : group_.instances()[i].unfolding->events) {
        if (event.form->kind != StatementKind::insert || !holds(event.guard)) continue;
        const RowSource& source = event.form->sources[0];
        const std::optional<RowKey> key = effects.inserted_key(event, 0);
        if (!source.is_written || !key) continue;
        FilledRow row{.table = source.table, .cells = {}};
        for (const Assignment& assignment : event.form->assignments) {
          const TableColumn* column =
              find_column(*source.table, assignment.column, input_.program.schema.dialect);
          const auto value = effects.written(event, 0, assignment.column, *key);
          if (column == nullptr || !value) continue;
          row.cells[column->name] = texts.text_of(*value, column->type);
        }
        filler.add_made(std::move(row));
      }
    }
  }

  // Whether it happens with the statement behind it, and is no step of its own: what is left of
  // that, or another part of it, is.
  bool is_within_next(std::size_t instance, std::size_t event) {
    const std::size_t functionality = group_.instances()[instance].functionality;
    const std::vector<Event>& events = group_.instances()[instance].unfolding->events;
    const std::vector<FormedStatement>& statements = input_.prepared[functionality].statements;
    for (; statements[events[event].statement].statement->is_part; ++event) {
      const bool is_last =
          event + 1 == events.size() || events[event + 1].statement != events[event].statement + 1;
      if (is_last) return false;
      if (holds(events[event + 1].guard)) return true;
    }
    return false;
  }

  std::size_t connection_of(std::size_t instance, const Event& event) const {
    const std::size_t functionality = group_.instances()[instance].functionality;
    return input_.prepared[functionality].statements[event.statement].statement->connection;
  }

  // A transaction in which nothing has happened is none, and so nothing is sent. `last`: the event
  // of its connection before it, if there is one.
  static bool ends_nothing(const Event& event, const Event* last) {
    return is_end(event) && (last == nullptr || is_end(*last));
  }

  std::vector<RunStep> read_steps() {
    Order& order = formula_.order();
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> points;
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> ends;
    for (std::size_t i = 0; i < order.points().size(); ++i) {
      const OrderPoint& point = order.points()[i];
      points[{point.instance, point.event}] = i;
      ends[{point.instance, point.transaction}] = number_of(order.times(i).end);
    }
    std::vector<TimedStep> steps;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      std::size_t place = 0;
      std::size_t number = 0;
      const std::size_t first = steps.size();
      // The last one of each connection to the database.
      std::map<std::size_t, const Event*> last_of;
      std::optional<std::size_t> last_of_redis;  // its transaction
      const std::vector<Event>& events = group_.instances()[i].unfolding->events;
      for (std::size_t e = 0; e < events.size(); ++e) {
        if (!holds(events[e].guard) || is_within_next(i, e)) continue;
        // What Redis executes as one is one step.
        const bool goes_on = events[e].is_redis && last_of_redis == events[e].transaction;
        if (events[e].is_redis) {
          last_of_redis = events[e].transaction;
        } else {
          const Event*& last = last_of[connection_of(i, events[e])];
          if (ends_nothing(events[e], last)) continue;
          last = &events[e];
        }
        if (goes_on) continue;
        TimedStep step{.transaction = i, .place = place++, .ends = is_end(events[e])};
        if (const auto point = points.find({i, e}); point == points.end()) {
          const auto end = ends.find({i, events[e].transaction});
          step.is_idle = !step.ends || end == ends.end();
          step.time = step.is_idle ? kLast : end->second;
        } else {
          const Order::Times& times = order.times(point->second);
          step.time = number_of(has_copies_ ? times.time : times.start);
          step.point = step.placed_at = point->second;
          step.number = ++number;
        }
        steps.push_back(step);
      }
      for (const auto& [connection, last] : last_of) {
        if (last == nullptr || is_end(*last)) continue;
        const auto end = ends.find({i, last->transaction});
        steps.push_back({.time = end == ends.end() ? kLast : end->second,
                         .transaction = i,
                         .place = place++,
                         .ends = true});
      }
      place_idle_steps(steps, first);
    }
    std::ranges::sort(steps, [](const TimedStep& a, const TimedStep& b) {
      if (a.time != b.time) return a.time < b.time;
      if (a.transaction == b.transaction) return a.place < b.place;
      return std::tuple(a.placed_at, a.transaction) < std::tuple(b.placed_at, b.transaction);
    });
    std::vector<RunStep> run;
    for (const TimedStep& step : steps) {
      RunStep& made = run.emplace_back();
      made.transaction = step.transaction;
      made.number = step.number;
      made.ends = step.ends;
      if (step.point == kNoPoint) continue;
      made.writes = order.points()[step.point].writes;
      if (has_copies_) made.sees = seen_by(step, steps);
    }
    return run;
  }

  static constexpr std::size_t kNoPoint = std::numeric_limits<std::size_t>::max();

  struct TimedStep {
    std::int64_t time = 0;
    std::size_t transaction = 0;
    std::size_t place = 0;  // among the transaction's steps
    std::size_t point = kNoPoint;
    std::size_t placed_at = kNoPoint;  // the point with which it comes
    std::size_t number = 0;
    bool ends = false;
    bool is_idle = false;  // asks no table, or ends a transaction that does not
  };
  static constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

  // What asks no table comes right before the next step of its transaction.
  static void place_idle_steps(std::vector<TimedStep>& steps, std::size_t first) {
    for (std::size_t i = steps.size(); i-- > first + 1;) {
      TimedStep& idle = steps[i - 1];
      if (!idle.is_idle) continue;
      idle.time = steps[i].time;
      idle.placed_at = steps[i].placed_at;
    }
  }

  std::vector<std::size_t> seen_by(const TimedStep& step, const std::vector<TimedStep>& steps) {
    Order& order = formula_.order();
    std::vector<std::size_t> seen;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::size_t writer = steps[i].point;
      if (writer == step.point) break;
      if (writer == kNoPoint || !order.points()[writer].writes) continue;
      if (holds(order.sees(writer, step.point))) seen.push_back(i);
    }
    return seen;
  }

  const SearchInput& input_;
  const std::vector<FilledRow>* given_;
  std::vector<std::size_t> members_;
  std::vector<std::size_t> early_;
  Group group_;
  Terms& terms_;
  CycleFormula formula_;
  smt::Solver solver_;
  PlacedCycle cycle_;
  std::vector<std::pair<std::size_t, std::size_t>> lone_;  // instances, and events of them
  std::vector<Term> changes_;                              // that these should make
  bool is_placed_ = false;
  bool has_copies_ = false;
  std::string obstacle_;
  std::vector<RowUse> uses_;
  std::optional<ClosedWorld> closed_;
  std::optional<RunWishes> wishes_;
};

RunMaker::RunMaker(const SearchInput& input, const FoundCycle& cycle,
                   const std::vector<FilledRow>* given) {
  try {
    state_ = std::make_unique<State>(input, cycle, given);
  } catch (const smt::Abandoned&) {
    state_.reset();
  }
}

RunMaker::~RunMaker() = default;

RealizationAttempt RunMaker::make(const WishedRun& wanted) {
  RealizationAttempt none{{}, "there was no time to look for a run"};
  if (!state_) return none;
  try {
    return state_->make(wanted);
  } catch (const smt::Abandoned&) {
    return none;
  }
}

bool RunMaker::has_borders() const { return state_ && state_->has_borders(); }

bool RunMaker::has_copies() const { return state_ && state_->has_copies(); }

void RunMaker::exclude_last() { state_->exclude_last(); }

}  // namespace heddle::find
