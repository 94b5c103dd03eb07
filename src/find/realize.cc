#include "find/realize.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "find/closed_world.h"
#include "find/fill_rows.h"
#include "find/formula.h"
#include "find/placed_cycle.h"
#include "find/solution_texts.h"

namespace heddle::find {

namespace {

constexpr std::uint32_t kMaxSteps = 20'000'000;

bool ends_transaction(const Event& event) {
  return event.form->kind == StatementKind::commit || event.form->kind == StatementKind::rollback;
}

class Realizer {
 public:
  Realizer(const SearchInput& input, const FoundCycle& cycle, Plenty plenty)
      : input_(input),
        plenty_(plenty),
        members_(members_of(cycle)),
        group_(input, members_, {.rounds = input.options.rounds, .looks_behind_loops = true}),
        terms_(group_.terms()),
        formula_(group_.evaluator(), group_.rows(), group_.instances(), input.constraints),
        solver_(terms_, kMaxSteps) {
    edges_ = place_cycle(input, group_, cycle);
  }

  RealizationAttempt run() {
    if (edges_.empty()) return {{}, "its statements are not among those that are followed"};
    for (const std::size_t member : members_) {
      for (const FormedStatement& formed : input_.prepared[member].statements) {
        for (const RowSource& source : formed.form.sources) {
          if (source.table == nullptr) {
            return {{}, fmt::format("no file defines the table {}", source.name)};
          }
        }
      }
    }
    std::vector<RowUse> uses;
    group_.rows().record(&uses);
    const std::size_t known = group_.known();
    const CycleFormula::Parts parts = formula_.build(edges_, CycleFormula::Scope::every_statement);
    for (const Term edge : parts.edges) add(edge);
    add(parts.common);
    add(parts.whole);
    ClosedWorld closed(group_, formula_.order(), uses, ClosedWorld::Others::absent);
    group_.add_facts(solver_);
    for (const Term term : closed.close()) add(term);
    begin_with_statements();
    group_.add_facts_since(known, solver_);
    for (const Instance& instance : group_.instances()) {
      for (const Term overrun : instance.unfolding->overruns) wish(terms_.negate(overrun));
    }
    for (const Term accepted : closed.accepted()) wish(accepted);
    wish_changes();
    wish_ranges(closed);
    wish_arguments();
    wish_no_waiting();
    wish_few_switches();
    wish_results();
    for (const Instance& instance : group_.instances()) {
      for (const Event& event : instance.unfolding->events) {
        for (std::size_t i = 1; i < event.fetched.size(); ++i) {
          wish(terms_.negate(event.fetched[i].exists));
        }
      }
    }
    for (const InitialRow& row : closed.rows()) wish(terms_.negate(row.exists));
    for (const InitialRow& row : closed.rows()) {
      for (const auto& [column, value] : row.cells) wish_whole(value.value);
    }
    switch (solve()) {
      case smt::Satisfiable::no:
        return {{}, "no rows and arguments show it at this level"};
      case smt::Satisfiable::unknown:
        return {{}, "the solver gave up"};
      default:
        break;
    }
    return {read(closed), ""};
  }

 private:
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
      add(terms_.any(is_first));
    }
  }

  // That each write of the cycle leaves something else than was there.
  void wish_changes() {
    RowEffects effects(group_.evaluator(), group_.rows());
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      const PlacedEdge& edge = edges_[i];
      const RowKey& key = formula_.keys()[i];
      const auto changes = [&](std::size_t instance, std::size_t at, std::size_t source) {
        const Event& writer = group_.event(instance, at);
        if (writer.form->kind != StatementKind::update) return;
        std::vector<Term> differs;
        for (const std::string& column : edge.conflict->columns) {
          const auto written = effects.written(writer, source, column, key);
          const SqlValue before =
              group_.rows().cell(writer.viewer, writer.form->sources[source], column, key);
          if (!written) continue;
          differs.push_back(group_.evaluator().compare("<>", *written, before).holds);
        }
        wish(terms_.any(differs));
      };
      if (edge.conflict->kind != DependencyKind::rw) {
        changes(edge.from, edge.from_event, edge.conflict->from_source);
      }
      if (edge.conflict->kind != DependencyKind::wr) {
        changes(edge.to, edge.to_event, edge.conflict->to_source);
      }
    }
  }

  void wish(Term condition) {
    if (terms_.is_true(condition) || terms_.is_false(condition)) return;
    const Term name = terms_.symbol(fmt::format("wish {}", wishes_.size()), smt::Sort::truth);
    add(terms_.implies(name, condition));
    wishes_.push_back(name);
  }

  // That they are there, that they differ, so that it shows whose value is whose, and that they
  // are above zero, so that adding them changes something.
  void wish_arguments() {
    std::vector<SqlValue> numbers;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      for (const Variable& parameter : input_.program.functionalities[members_[i]].parameters) {
        const SqlValue& value = group_.instances()[i].unfolding->parameters.at(parameter.name);
        wish(terms_.negate(value.is_null));
        const ColumnType type = type_named(parameter.type);
        if (type.type == ValueType::array || type.type == ValueType::boolean) continue;
        numbers.push_back(value);
      }
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        wish(terms_.negate(terms_.equal(numbers[i].value, numbers[j].value)));
      }
    }
    for (const SqlValue& number : numbers) {
      wish_whole(number.value);
      const Term zero = terms_.number("0", terms_.sort(number.value));
      wish(terms_.less(zero, number.value));
    }
  }

  // Values that the types of columns and parameters have room for.
  void wish_ranges(const ClosedWorld& closed) {
    constexpr std::int64_t kLittle = 20;
    constexpr std::int64_t kMuch = 50;
    constexpr std::int64_t kMost = 99;
    for (const InitialRow& row : closed.rows()) {
      const std::vector<std::string> key = group_.rows().key_columns(*row.source);
      const auto wish_column = [&](const std::string& column, const SqlValue& value,
                                   std::int64_t least) {
        const TableColumn* found =
            find_column(*row.source->table, column, input_.program.schema.dialect);
        if (found != nullptr) wish_range(value.value, found->type, least, kMost);
      };
      for (std::size_t i = 0; i < key.size(); ++i) wish_column(key[i], row.key[i], 0);
      for (const auto& [column, value] : row.cells) {
        wish_column(column, value, plenty_ == Plenty::much ? kMuch : 0);
      }
    }
    for (std::size_t i = 0; i < members_.size(); ++i) {
      for (const Variable& parameter : input_.program.functionalities[members_[i]].parameters) {
        wish_range(group_.instances()[i].unfolding->parameters.at(parameter.name).value,
                   type_named(parameter.type), 0, plenty_ == Plenty::much ? kLittle : kMost);
      }
    }
  }

  void wish_range(Term value, const ColumnType& type, std::int64_t least, std::int64_t most) {
    if (terms_.sort(value) == Sort::truth || terms_.is_constant(value)) return;
    if (is_text(type.type) || type.type == ValueType::array) return;
    if (type.type == ValueType::numeric && type.arguments.size() == 2) {
      const std::uint32_t digits =
          type.arguments[0] - std::min(type.arguments[0], type.arguments[1]);
      if (digits < 2) most = digits == 0 ? 0 : 9;
    }
    const auto bound = [&](std::int64_t number) {
      return terms_.number(fmt::format("{}", number), terms_.sort(value));
    };
    wish(terms_.all(terms_.less_or_equal(bound(0), value),
                    terms_.less_or_equal(value, bound(most))));
    if (least > 0 && least <= most) wish(terms_.less_or_equal(bound(least), value));
  }

  // A whole number has a text that says all of it.
  void wish_whole(Term value) {
    if (terms_.sort(value) != Sort::fraction || terms_.is_constant(value)) return;
    const Term whole = terms_.fresh("whole", Sort::integer);
    wish(terms_.equal(value, terms_.to_fraction(whole)));
  }

  void wish_no_waiting() {
    Order& order = formula_.order();
    for (std::size_t i = 0; i < order.points().size(); ++i) {
      wish(terms_.equal(order.times(i).start, order.times(i).time));
    }
  }

  // That statements find the rows that they name.
  void wish_results() {
    for (const Instance& instance : group_.instances()) {
      for (const Event& event : instance.unfolding->events) {
        if (event.is_pinned) wish(terms_.implies(event.guard, event.has_result));
      }
    }
  }

  // That nobody else does anything between a statement and the next one of its transaction.
  void wish_few_switches() {
    Order& order = formula_.order();
    for (std::size_t a = 0; a < order.points().size(); ++a) {
      const OrderPoint& point = order.points()[a];
      Term next = order.times(a).end;
      std::size_t nearest = std::numeric_limits<std::size_t>::max();
      for (std::size_t b = 0; b < order.points().size(); ++b) {
        const OrderPoint& other = order.points()[b];
        const bool follows = other.instance == point.instance && other.event > point.event &&
                             other.transaction == point.transaction;
        if (!follows || other.event >= nearest) continue;
        nearest = other.event;
        next = order.times(b).time;
      }
      std::vector<Term> outside;
      for (std::size_t b = 0; b < order.points().size(); ++b) {
        if (order.points()[b].instance == point.instance) continue;
        for (const Term time : {order.times(b).time, order.times(b).end}) {
          outside.push_back(
              terms_.any(terms_.less(time, order.times(a).time), terms_.less(next, time)));
        }
      }
      wish(terms_.all(outside));
    }
  }

  // Gives up wishes, the last ones first, until the others can be had.
  smt::Satisfiable solve() {
    while (true) {
      const smt::Satisfiable answer = solver_.check(wishes_);
      if (answer != smt::Satisfiable::no || wishes_.empty()) return answer;
      const std::vector<std::size_t> core = solver_.core();
      if (core.empty()) return answer;
      wishes_.erase(wishes_.begin() + static_cast<std::ptrdiff_t>(std::ranges::max(core)));
    }
  }

  std::int64_t number_of(Term term) {
    const std::string text = solver_.value(term);
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }

  bool holds(Term term) { return solver_.value(term) == "true"; }

  Realization read(const ClosedWorld& closed) {
    Realization run;
    run.members = members_;
    SolutionTexts texts(group_.evaluator(), solver_, input_.program.schema);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      run.arguments.emplace_back();
      for (const Variable& parameter : input_.program.functionalities[members_[i]].parameters) {
        run.arguments.back().push_back(
            texts.text_of(group_.instances()[i].unfolding->parameters.at(parameter.name),
                          type_named(parameter.type)));
      }
    }
    RowFiller filler(input_.program.schema, texts);
    for (const InitialRow& row : closed.rows()) {
      const bool is_named =
          std::ranges::none_of(row.key, [&](const SqlValue& part) { return holds(part.is_null); });
      if (is_named && holds(row.exists)) filler.add(group_.rows(), row);
    }
    add_inserted(filler, texts);
    run.rows = filler.take();
    run.steps = read_steps();
    return run;
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

  std::vector<std::size_t> read_steps() {
    Order& order = formula_.order();
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> points;
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> ends;
    for (std::size_t i = 0; i < order.points().size(); ++i) {
      const OrderPoint& point = order.points()[i];
      points[{point.instance, point.event}] = i;
      ends[{point.instance, point.transaction}] = number_of(order.times(i).end);
    }
    // When, whose, and which of its steps.
    std::vector<std::tuple<std::int64_t, std::size_t, std::size_t>> steps;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      std::size_t place = 0;
      const Event* last = nullptr;
      const std::vector<Event>& events = group_.instances()[i].unfolding->events;
      for (std::size_t e = 0; e < events.size(); ++e) {
        if (!holds(events[e].guard)) continue;
        last = &events[e];
        const auto point = points.find({i, e});
        const std::int64_t time = point == points.end()
                                      ? ends[{i, events[e].transaction}]
                                      : number_of(order.times(point->second).start);
        steps.emplace_back(time, i, place++);
      }
      if (last != nullptr && !ends_transaction(*last)) {
        steps.emplace_back(ends[{i, last->transaction}], i, place);
      }
    }
    std::ranges::sort(steps);
    std::vector<std::size_t> run;
    for (const auto& step : steps) run.push_back(std::get<1>(step));
    return run;
  }

  const SearchInput& input_;
  Plenty plenty_;
  std::vector<std::size_t> members_;
  Group group_;
  Terms& terms_;
  CycleFormula formula_;
  smt::Solver solver_;
  std::vector<PlacedEdge> edges_;
  std::vector<Term> wishes_;
};

}  // namespace

RealizationAttempt realize(const SearchInput& input, const FoundCycle& cycle, Plenty plenty) {
  return Realizer(input, cycle, plenty).run();
}

}  // namespace heddle::find
