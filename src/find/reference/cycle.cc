#include "find/reference/cycle.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace heddle::find {

CycleClause::CycleClause(Group& group, const Explanations& explanations, std::size_t max_length)
    : group_(group),
      terms_(group.terms()),
      explanations_(explanations),
      dependencies_(explanations.front()->dependencies),
      relations_(explanations.front()->relations),
      operations_(explanations.front()->operations),
      possible_(dependencies_.possible()),
      max_length_(max_length) {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    if (operations_[i].reads()) places_.push_back({i, OperationPart::read});
    if (operations_[i].writes()) places_.push_back({i, OperationPart::write});
  }
  for (const Dependency& dependency : possible_) names_.push_back(name_of(dependency));
}

std::string CycleClause::name_of(const Dependency& of) const {
  const auto end = [&](std::size_t operation, std::size_t source) {
    const Operation& at = operations_[operation];
    return fmt::format("{}.{}.{}", group_.instances()[at.instance].functionality,
                       at.event->statement, source);
  };
  return fmt::format("{} {} {}", end(of.from, of.from_source), to_string(of.kind),
                     end(of.to, of.to_source));
}

std::size_t CycleClause::place_of(std::size_t operation, OperationPart part) const {
  const auto found = std::ranges::find(places_, Place{operation, part});
  return static_cast<std::size_t>(found - places_.begin());
}

Term CycleClause::at(std::size_t step, std::size_t place) {
  return terms_.symbol(fmt::format("at {} {}", step, place), smt::Sort::truth);
}

Term CycleClause::stays(std::size_t step) {
  return terms_.symbol(fmt::format("stays {}", step), smt::Sort::truth);
}

Term CycleClause::takes(std::size_t step, std::size_t dependency) {
  return terms_.symbol(fmt::format("takes {} {}", step, dependency), smt::Sort::truth);
}

Term CycleClause::is_in(std::size_t step, std::size_t instance) {
  std::vector<Term> ways;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (operations_[places_[i].operation].instance == instance) ways.push_back(at(step, i));
  }
  return terms_.any(ways);
}

const RowKey& CycleClause::row(std::size_t step, const RowSource& table) {
  const auto known = rows_.find({step, table.name});
  if (known != rows_.end()) return known->second;
  RowKey key = group_.rows().fresh_key(table, fmt::format("{} of {}", table.name, step));
  return rows_.emplace(std::pair(step, table.name), std::move(key)).first->second;
}

std::vector<Term> CycleClause::steps() {
  std::vector<Term> holds;
  for (std::size_t step = 0; step < max_length_; ++step) {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        holds.push_back(terms_.negate(terms_.all(at(step, i), at(step, j))));
      }
    }
    for (std::size_t i = 0; i < possible_.size(); ++i) {
      const RowKey& about = row(step, dependencies_.table_of(possible_[i]));
      std::vector<Term> what = {terms_.negate(stays(step))};
      for (const auto& by : explanations_) {
        what.push_back(by->dependencies.holds(possible_[i], about));
      }
      holds.push_back(terms_.implies(takes(step, i), terms_.all(what)));
    }
  }
  return holds;
}

std::vector<Term> CycleClause::cycle(std::size_t length) {
  std::vector<Term> holds;
  add_order(length, holds);
  add_once(length, holds);
  add_ruled_out(length, holds);
  return holds;
}

// Each step leads from its operation to the next one's.
void CycleClause::add_order(std::size_t length, std::vector<Term>& holds) {
  for (std::size_t step = 0; step < length; ++step) {
    const std::size_t next = (step + 1) % length;
    std::vector<Term> ways = {stays(step)};
    for (std::size_t i = 0; i < possible_.size(); ++i) {
      const Dependency& of = possible_[i];
      ways.push_back(takes(step, i));
      holds.push_back(
          terms_.implies(takes(step, i), terms_.all(at(step, place_of(of.from, of.from_part())),
                                                    at(next, place_of(of.to, of.to_part())))));
    }
    holds.push_back(terms_.any(ways));
    // An operation of the same transaction, and then on to another one.
    holds.push_back(terms_.negate(terms_.all(stays(step), stays(next))));
    add_calls(step, (step + length - 1) % length, holds);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      std::vector<Term> others;
      for (std::size_t j = 0; j < places_.size(); ++j) {
        const bool is_same = relations_.same_session(places_[i].operation, places_[j].operation);
        if (i != j && is_same) others.push_back(at(next, j));
      }
      holds.push_back(terms_.implies(terms_.all(stays(step), at(step, i)), terms_.any(others)));
    }
  }
}

// A session of several calls is entered in its first one and left in its last one.
void CycleClause::add_calls(std::size_t step, std::size_t before, std::vector<Term>& holds) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Operation& operation = operations_[places_[i].operation];
    const std::size_t last = group_.instances()[operation.instance].last_call;
    if (last == 0) continue;
    const std::size_t call = group_.call_of(operation.instance, operation.index);
    const Term here = at(step, i);
    const Term is_entered = terms_.all(stays(step), terms_.negate(stays(before)));
    const Term is_left = terms_.all(stays(before), terms_.negate(stays(step)));
    holds.push_back(terms_.implies(here, call == 0      ? is_entered
                                         : call == last ? is_left
                                                        : terms_.truth(false)));
  }
}

// The cycle begins where it comes into the first transaction. It goes through all of them, and
// through none twice: such a cycle falls apart into two.
void CycleClause::add_once(std::size_t length, std::vector<Term>& holds) {
  holds.push_back(is_in(0, 0));
  holds.push_back(terms_.negate(stays(length - 1)));
  for (std::size_t instance = 0; instance < group_.instances().size(); ++instance) {
    std::vector<Term> leaves;
    for (std::size_t step = 0; step < length; ++step) {
      leaves.push_back(terms_.all(terms_.negate(stays(step)), is_in(step, instance)));
      for (std::size_t before = 0; before < step; ++before) {
        holds.push_back(terms_.negate(terms_.all(leaves[before], leaves[step])));
      }
    }
    holds.push_back(terms_.any(leaves));
  }
}

// Axioms that speak of cycles: levels of those of one transaction each, a guarantee across
// transactions of any.
void CycleClause::add_ruled_out(std::size_t length, std::vector<Term>& holds) {
  for (const auto& by : explanations_) {
    const bool is_across = by != explanations_.front();
    const Term is_none = is_across ? terms_.truth(false) : crosses_transactions(length);
    add_ruled_out_by(by->relations, length, is_none, holds);
  }
}

// Where transactions run at several levels, a cycle is ruled out that all those that it comes
// through rule out.
void CycleClause::add_ruled_out_by(const Relations& by, std::size_t length, Term is_none,
                                   std::vector<Term>& holds) {
  const auto is_weaker = [&](Axiom axiom) {
    std::vector<Term> ways = {is_none};
    for (std::size_t step = 0; step < length; ++step) {
      for (std::size_t i = 0; i < places_.size(); ++i) {
        if (!by.has(places_[i].operation, axiom)) ways.push_back(at(step, i));
      }
    }
    return terms_.any(ways);
  };
  std::vector<Term> anti;
  std::vector<Term> of_predicates;
  for (std::size_t step = 0; step < length; ++step) {
    for (std::size_t i = 0; i < possible_.size(); ++i) {
      if (possible_[i].kind != DependencyKind::rw) continue;
      anti.push_back(takes(step, i));
      const RowKey& about = row(step, dependencies_.table_of(possible_[i]));
      of_predicates.push_back(
          terms_.all(anti.back(), dependencies_.is_predicate(possible_[i], about)));
    }
  }
  holds.push_back(is_weaker(Axiom::no_cycles));
  holds.push_back(terms_.any(is_weaker(Axiom::no_flow_cycles), terms_.any(anti)));
  holds.push_back(terms_.any(is_weaker(Axiom::no_item_cycles), terms_.any(of_predicates)));
}

// It enters a functionality in one of its transactions and leaves it in another: of transactions it
// is no cycle then.
Term CycleClause::crosses_transactions(std::size_t length) {
  std::vector<Term> ways;
  for (std::size_t step = 0; step < length; ++step) {
    const std::size_t next = (step + 1) % length;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      for (std::size_t j = 0; j < places_.size(); ++j) {
        const std::size_t from = places_[i].operation;
        const std::size_t to = places_[j].operation;
        if (!relations_.same_session(from, to) || relations_.same_transaction(from, to)) continue;
        ways.push_back(terms_.all({stays(step), at(step, i), at(next, j)}));
      }
    }
  }
  return terms_.any(ways);
}

std::string CycleClause::dependencies_of(const std::vector<Step>& steps) const {
  std::string least;
  for (std::size_t first = 0; first < steps.size(); ++first) {
    std::string rotated;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[(first + i) % steps.size()];
      if (step) rotated += names_[*step] + ", ";
    }
    if (least.empty() || rotated < least) least = rotated;
  }
  return least;
}

Term CycleClause::has_structure(const std::vector<Step>& steps) {
  std::vector<Term> rotations;
  for (std::size_t first = 0; first < steps.size(); ++first) {
    if (!steps[(first + steps.size() - 1) % steps.size()]) continue;
    std::vector<Term> same;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[(first + i) % steps.size()];
      if (!step) same.push_back(stays(i));
      if (!step) continue;
      std::vector<Term> ways;
      for (std::size_t j = 0; j < possible_.size(); ++j) {
        if (names_[j] == names_[*step]) ways.push_back(takes(i, j));
      }
      same.push_back(terms_.any(ways));
    }
    rotations.push_back(terms_.all(same));
  }
  return terms_.any(rotations);
}

}  // namespace heddle::find
