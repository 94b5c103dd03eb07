#include "find/realize/run_wishes.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <string>

#include <fmt/format.h>

#include "find/forms/moments.h"
#include "find/terms/argument_pairs.h"
#include "find/terms/row_effects.h"
#include "find/values/solution_texts.h"

namespace heddle::find {

namespace {

bool is_reference(const Table& table, const std::string& column) {
  return std::ranges::any_of(table.foreign_keys, [&](const ForeignKeyConstraint& foreign) {
    return std::ranges::find(foreign.columns, column) != foreign.columns.end();
  });
}

}  // namespace

void RunWishes::make(const WishedRun& wanted, bool has_copies) {
  wishes_.clear();
  for (const Instance& instance : group_.instances()) {
    for (const Term overrun : instance.unfolding->overruns) wish(terms_.negate(overrun));
  }
  for (const Term is_long : group_.evaluator().long_lists()) wish(terms_.negate(is_long));
  for (const Term accepted : closed_.accepted()) wish(accepted);
  wish_clocks();
  for (const ArgumentPair& pair : argument_pairs(group_, input_.program)) {
    wish(terms_.negate(pair.are_equal));
  }
  if (wanted.plenty == Plenty::border) wish_borders();
  wish_changes();
  for (const Term change : changes_) wish(change);
  wish_short_ways();
  wish_ranges(wanted);
  wish_arguments();
  if (has_copies) {
    wish_delivery(wanted.delivery);
  } else {
    wish_no_waiting();
  }
  wish_few_switches();
  wish_results();
  wish_short_results();
  if (!wanted.has_given_rows) wish_few_rows();
}

// The store's clock is not asked before the run: it will say about what it says now.
void RunWishes::wish_clocks() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::seconds>(since_1970).count() - kFirstDay;
  for (const ClockValue& clock : group_.evaluator().clocks()) {
    const std::int64_t value = clock.is_day ? now / kSecondsOfDay : now;
    wish(terms_.equal(clock.value, terms_.integer(value)));
  }
}

void RunWishes::wish(Term condition) {
  if (terms_.is_true(condition) || terms_.is_false(condition)) return;
  if (terms_.depth(condition) >= smt::Solver::kDeepest) return;
  const auto [named, is_new] = names_.try_emplace(condition.index);
  if (is_new) {
    named->second = terms_.symbol(fmt::format("wish {}", names_.size()), smt::Sort::truth);
    solver_.add(terms_.implies(named->second, condition));
  }
  const Term name = named->second;
  if (std::ranges::find(wishes_, name) == wishes_.end()) wishes_.push_back(name);
}

// What could not be had together cannot be had now: only more has been asked for in the meantime.
void RunWishes::give_up_known() {
  std::map<std::uint32_t, std::size_t> places;
  for (std::size_t i = 0; i < wishes_.size(); ++i) places.emplace(wishes_[i].index, i);
  for (const std::vector<Term>& conflict : conflicts_) {
    std::size_t last = 0;
    const bool is_wished = std::ranges::all_of(conflict, [&](Term name) {
      const auto found = places.find(name.index);
      if (found == places.end()) return false;
      last = std::max(last, found->second);
      return true;
    });
    if (is_wished) places.erase(wishes_[last].index);
  }
  std::erase_if(wishes_, [&](Term name) { return !places.contains(name.index); });
}

// Gives up wishes, the last ones first, until the others can be had; half of them where whether
// they can be had is too hard to tell.
smt::Satisfiable RunWishes::solve() {
  give_up_known();
  while (true) {
    const smt::Satisfiable answer = solver_.check(wishes_);
    if (answer == smt::Satisfiable::yes || wishes_.empty()) return answer;
    if (answer == smt::Satisfiable::unknown) {
      if (input_.is_late()) return answer;
      wishes_.resize(wishes_.size() / 2);
      continue;
    }
    const std::vector<std::size_t> core = solver_.core();
    if (core.empty()) return answer;
    std::vector<Term>& conflict = conflicts_.emplace_back();
    for (const std::size_t place : core) conflict.push_back(wishes_[place]);
    wishes_.erase(wishes_.begin() + static_cast<std::ptrdiff_t>(std::ranges::max(core)));
  }
}

// That what one transaction did before another one has come to it, and to itself; or to itself
// alone, so that nobody builds on what others did. Where a cycle needs that something has come, the
// rest still need not.
void RunWishes::wish_delivery(Delivery delivery) {
  Order& order = order_;
  const std::vector<OrderPoint>& points = order.points();
  for (std::size_t from = 0; from < group_.instances().size(); ++from) {
    for (std::size_t to = 0; to < group_.instances().size(); ++to) {
      const bool is_wanted = from == to || delivery == Delivery::prompt;
      std::vector<Term> arrives;
      for (std::size_t a = 0; a < points.size(); ++a) {
        for (std::size_t b = 0; b < points.size(); ++b) {
          const bool is_asked = points[a].instance == from && points[b].instance == to &&
                                points[a].writes && (from != to || a < b);
          if (!is_asked) continue;
          const Term earlier = terms_.all({points[a].runs, points[b].runs, order.before(a, b)});
          const Term sees = order.sees(a, b);
          arrives.push_back(terms_.implies(earlier, is_wanted ? sees : terms_.negate(sees)));
        }
      }
      wish(terms_.all(arrives));
      if (is_wanted) continue;
      for (const Term one : arrives) wish(one);
    }
  }
}

// That each write of the cycle leaves something else than was there.
void RunWishes::wish_changes() {
  RowEffects effects(group_.evaluator(), group_.rows());
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const PlacedEdge& edge = edges_[i];
    const RowKey& key = keys_[i];
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

// That they are there, that they differ, so that it shows whose value is whose, and that they
// are above zero, so that adding them changes something.
void RunWishes::wish_arguments() {
  std::vector<SqlValue> numbers;
  for (const Instance& instance : group_.instances()) {
    for (const Variable& parameter :
         input_.program.functionalities[instance.functionality].parameters) {
      const SqlValue& value = instance.unfolding->parameters.at(parameter.name);
      wish(terms_.negate(value.is_null));
      const ColumnType type = type_named(parameter.type);
      if (type.type == ValueType::array) wish_elements(value, type);
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

// That numbers which conditions compare are next to each other, and equal where that still is the
// same side: what another transaction adds or takes away decides then.
void RunWishes::wish_borders() {
  for (const Instance& instance : group_.instances()) {
    for (const Border& border : instance.unfolding->borders) {
      const Term equal = group_.evaluator().compare("=", border.one, border.other).holds;
      const Term a = border.one.value;
      const Term b = border.other.value;
      const Term are_there = terms_.negate(terms_.any(border.one.is_null, border.other.is_null));
      Term near = equal;
      if (terms_.sort(a) == Sort::integer && terms_.sort(b) == Sort::integer) {
        const Term one = terms_.integer(1);
        const Term next =
            terms_.any(terms_.equal(terms_.add(a, one), b), terms_.equal(terms_.add(b, one), a));
        wish(terms_.implies(border.live, terms_.all(are_there, terms_.any(equal, next))));
        if (border.is_strict) near = next;
      }
      wish(terms_.implies(border.live, terms_.all(are_there, near)));
    }
  }
}

// Where a functionality ends in an error, nobody asks for rows that it would use behind that, if it
// ran alone: with empty lists it needs the fewest.
void RunWishes::wish_short_ways() {
  Evaluator& evaluator = group_.evaluator();
  for (const Instance& instance : group_.instances()) {
    const Term fails = terms_.any(instance.unfolding->raises);
    for (const Variable& parameter :
         input_.program.functionalities[instance.functionality].parameters) {
      if (type_named(parameter.type).type != ValueType::array) continue;
      const SqlValue& list = instance.unfolding->parameters.at(parameter.name);
      const Term is_empty =
          terms_.less_or_equal(evaluator.cardinality(list).value, terms_.integer(0));
      wish(terms_.implies(fails, is_empty));
    }
  }
}

// That what a list has is there: most languages have arrays that cannot hold nothing.
void RunWishes::wish_elements(const SqlValue& list, const ColumnType& type) {
  constexpr std::int64_t kMostElements = 3;
  Evaluator& evaluator = group_.evaluator();
  for (std::int64_t i = 1; i <= kMostElements; ++i) {
    const Term place = terms_.integer(i);
    const SqlValue element = evaluator.element(list, evaluator.known(place), sort_of(type.element));
    wish(terms_.any(terms_.less(evaluator.cardinality(list).value, place),
                    terms_.negate(element.is_null)));
  }
}

// Values that the types of columns and parameters have room for.
void RunWishes::wish_ranges(const WishedRun& wanted) {
  constexpr std::int64_t kMost = 99;
  struct Ranges {
    std::int64_t least_cell = 0;
    std::int64_t most_cell = kMost;
    std::int64_t least_argument = 0;
    std::int64_t most_argument = kMost;
  };
  Ranges ranges;
  switch (wanted.plenty) {
    case Plenty::much:
      ranges.least_cell = 50;
      ranges.most_argument = 20;
      break;
    case Plenty::enough_in_one:
      ranges = {.least_cell = 10, .most_cell = 12, .least_argument = 7, .most_argument = 10};
      break;
    case Plenty::enough_in_two:
      ranges = {.least_cell = 10, .most_cell = 12, .least_argument = 13};
      break;
    case Plenty::nothing:
      ranges.most_cell = 0;
      break;
    case Plenty::border:
    case Plenty::any:
      break;
  }
  for (const InitialRow& row : closed_.rows()) {
    if (wanted.has_given_rows) break;
    const std::vector<std::string> key = group_.rows().key_columns(*row.source);
    const auto wish_column = [&](const std::string& column, const SqlValue& value,
                                 std::int64_t least, std::int64_t most) {
      const TableColumn* found =
          find_column(*row.source->table, column, input_.program.schema.dialect);
      if (found != nullptr) wish_range(value.value, found->type, least, most);
    };
    for (std::size_t i = 0; i < key.size(); ++i) wish_column(key[i], row.key[i], 0, kMost);
    for (const auto& [column, value] : row.cells) {
      // What is computed from nothing is nothing, whoever comes first; a reference that may be
      // missing needs another row.
      if (!is_reference(*row.source->table, column)) wish(terms_.negate(value.is_null));
      wish_column(column, value, ranges.least_cell, ranges.most_cell);
    }
  }
  for (const Instance& instance : group_.instances()) {
    for (const Variable& parameter :
         input_.program.functionalities[instance.functionality].parameters) {
      wish_range(instance.unfolding->parameters.at(parameter.name).value,
                 type_named(parameter.type), ranges.least_argument, ranges.most_argument);
    }
  }
}

void RunWishes::wish_range(Term value, const ColumnType& type, std::int64_t least,
                           std::int64_t most) {
  if (terms_.sort(value) == Sort::truth || terms_.is_constant(value)) return;
  if (is_text(type.type) || type.type == ValueType::array) return;
  if (type.type == ValueType::numeric && type.arguments.size() == 2) {
    const std::uint32_t digits = type.arguments[0] - std::min(type.arguments[0], type.arguments[1]);
    if (digits < 2) most = digits == 0 ? 0 : 9;
  }
  const auto bound = [&](std::int64_t number) {
    return terms_.number(fmt::format("{}", number), terms_.sort(value));
  };
  wish(terms_.all(terms_.less_or_equal(bound(0), value), terms_.less_or_equal(value, bound(most))));
  if (least > 0 && least <= most) wish(terms_.less_or_equal(bound(least), value));
}

// Neither are two keys two rows where one row can be both: a row that is there for nothing but to
// be in somebody's way keeps one serial order from showing what the run does not.
void RunWishes::wish_few_rows() {
  for (const InitialRow& row : closed_.rows()) wish(terms_.negate(row.exists));
  for (std::size_t i = 0; i < closed_.rows().size(); ++i) {
    const InitialRow& row = closed_.rows()[i];
    std::vector<Term> ways = {terms_.negate(row.exists)};
    bool has_other = false;
    for (std::size_t j = 0; j < i; ++j) {
      const InitialRow& other = closed_.rows()[j];
      if (other.source->name != row.source->name) continue;
      has_other = true;
      ways.push_back(terms_.all(other.exists, group_.rows().same_key(other.key, row.key)));
    }
    if (has_other) wish(terms_.any(ways));
  }
  for (const InitialRow& row : closed_.rows()) {
    for (const auto& [column, value] : row.cells) wish_whole(value.value);
  }
}

// A whole number has a text that says all of it.
void RunWishes::wish_whole(Term value) {
  if (terms_.sort(value) != Sort::fraction || terms_.is_constant(value)) return;
  const auto [whole, is_new] = wholes_.try_emplace(value.index);
  if (is_new) whole->second = terms_.fresh("whole", Sort::integer);
  wish(terms_.equal(value, terms_.to_fraction(whole->second)));
}

void RunWishes::wish_no_waiting() {
  Order& order = order_;
  for (std::size_t i = 0; i < order.points().size(); ++i) {
    wish(terms_.equal(order.times(i).start, order.times(i).time));
  }
}

// That statements find the rows that they name.
void RunWishes::wish_results() {
  for (const Instance& instance : group_.instances()) {
    for (const Event& event : instance.unfolding->events) {
      const bool is_joined = event.form->named_sources() > 1 && event.fetched.size() == 1;
      if (event.is_pinned || is_joined) wish(terms_.implies(event.guard, event.has_result));
    }
  }
}

// That nobody else does anything between a statement and the next one of its transaction.
void RunWishes::wish_few_switches() {
  Order& order = order_;
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

void RunWishes::wish_short_results() {
  for (const Instance& instance : group_.instances()) {
    for (const Event& event : instance.unfolding->events) {
      for (std::size_t i = 1; i < event.fetched.size(); ++i) {
        wish(terms_.negate(event.fetched[i].exists));
      }
    }
  }
}

}  // namespace heddle::find
