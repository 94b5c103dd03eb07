#include "check/levels/clause_search.h"

#include <algorithm>

#include "base/assert.h"

namespace heddle {

namespace {

constexpr std::uint32_t kNowhere = 0xFFFFFFFF;
constexpr std::uint32_t kAlways = 0xFFFFFFFF;  // label of edges that hold whatever the answers
constexpr double kDecay = 0.95;
constexpr double kLargestActivity = 1e100;
constexpr std::uint64_t kConflictsPerRestart = 100;

// Luby's sequence: 1 1 2 1 1 2 4 ...
std::uint64_t luby(std::uint64_t index) {
  std::uint64_t size = 1;
  std::uint64_t sequence = 0;
  while (size < index + 1) {
    ++sequence;
    size = 2 * size + 1;
  }
  while (size - 1 != index) {
    size = (size - 1) / 2;
    HEDDLE_ASSERT(size > 0);
    --sequence;
    index %= size;
  }
  return std::uint64_t{1} << sequence;
}

}  // namespace

void ClauseSearch::add_edge(std::uint32_t from, std::uint32_t to) {
  const bool added = graph_.add(from, to, kAlways);
  HEDDLE_ASSERT(added);
}

std::uint32_t ClauseSearch::add_variable(bool first_guess) {
  const auto variable = static_cast<std::uint32_t>(guesses_.size());
  guesses_.push_back(first_guess);
  values_.resize(values_.size() + 2, 0);
  watches_.resize(watches_.size() + 2);
  edges_.resize(edges_.size() + 2);
  levels_.push_back(0);
  reasons_.push_back(kNoClause);
  activity_.push_back(0);
  heap_place_.push_back(kNowhere);
  marked_.push_back(false);
  heap_insert(variable);
  return variable;
}

void ClauseSearch::add_edge(std::uint32_t from, std::uint32_t to, Literal when, Literal and_when) {
  edges_[when].push_back({from, to, and_when});
  if (and_when != kNoLiteral) edges_[and_when].push_back({from, to, when});
}

void ClauseSearch::add_clause(std::vector<Literal> clause) {
  HEDDLE_ASSERT(level() == 0);
  std::erase_if(clause, [&](Literal a) { return values_[a] < 0; });
  if (std::ranges::any_of(clause, [&](Literal a) { return values_[a] > 0; })) return;
  if (clause.empty()) {
    contradictory_ = true;
  } else if (clause.size() == 1) {
    assign(clause[0], kNoClause);
  } else {
    store(std::move(clause));
  }
}

void ClauseSearch::add_edge_when(std::uint32_t from, std::uint32_t to, std::vector<Literal> all) {
  HEDDLE_ASSERT(level() == 0);
  if (std::ranges::any_of(all, [&](Literal a) { return values_[a] < 0; })) return;
  std::erase_if(all, [&](Literal a) { return values_[a] > 0; });
  if (all.empty()) {
    contradictory_ |= !graph_.add(from, to, kAlways);
  } else if (all.size() <= 2) {
    add_edge(from, to, all.front(), all.size() == 2 ? all.back() : kNoLiteral);
  } else {
    const Literal is_there = literal(add_variable(false), true);
    std::vector<Literal> clause = {is_there};
    for (const Literal a : all) clause.push_back(negated(a));
    add_clause(std::move(clause));
    add_edge(from, to, is_there);
  }
}

ClauseSearch::ClauseIndex ClauseSearch::store(std::vector<Literal> clause) {
  const auto index = static_cast<ClauseIndex>(clauses_.size());
  watches_[clause[0]].push_back({index, clause[1]});
  watches_[clause[1]].push_back({index, clause[0]});
  clauses_.push_back(std::move(clause));
  return index;
}

void ClauseSearch::assign(Literal a, ClauseIndex reason) {
  values_[a] = 1;
  values_[negated(a)] = -1;
  levels_[a / 2] = level();
  reasons_[a / 2] = reason;
  trail_.push_back(a);
  edges_at_.push_back(graph_.edge_count());
}

// False: conflict_ has literals that are all false and must not be.
bool ClauseSearch::propagate() {
  while (next_ < trail_.size()) {
    const Literal assigned = trail_[next_];
    // The edges of this and all later entries come on top of what is there now.
    edges_at_[next_] = graph_.edge_count();
    ++next_;
    if (!propagate_clauses(assigned) || !propagate_edges(assigned)) return false;
  }
  return true;
}

bool ClauseSearch::propagate_clauses(Literal assigned) {
  const Literal lost = negated(assigned);
  std::vector<Watch>& watches = watches_[lost];
  std::size_t kept = 0;
  for (std::size_t i = 0; i < watches.size(); ++i) {
    const Watch watch = watches[i];
    if (values_[watch.blocker] > 0) {
      watches[kept++] = watch;
      continue;
    }
    std::vector<Literal>& clause = clauses_[watch.clause];
    if (clause[0] == lost) std::swap(clause[0], clause[1]);
    const auto other =
        std::find_if(clause.begin() + 2, clause.end(), [&](Literal a) { return values_[a] >= 0; });
    if (values_[clause[0]] <= 0 && other != clause.end()) {
      std::swap(clause[1], *other);
      watches_[clause[1]].push_back({watch.clause, clause[0]});
      continue;
    }
    watches[kept++] = {watch.clause, clause[0]};
    if (values_[clause[0]] > 0) continue;
    if (values_[clause[0]] < 0) {
      conflict_ = clause;
      for (++i; i < watches.size(); ++i) watches[kept++] = watches[i];
      watches.resize(kept);
      return false;
    }
    assign(clause[0], watch.clause);
  }
  watches.resize(kept);
  return true;
}

bool ClauseSearch::propagate_edges(Literal assigned) {
  for (const ConditionalEdge& edge : edges_[assigned]) {
    if (edge.other != kNoLiteral && values_[edge.other] <= 0) continue;
    const auto label = static_cast<std::uint32_t>(graph_.edge_count());
    if (!graph_.add(edge.from, edge.to, label)) {
      explain_cycle(assigned, edge);
      return false;
    }
    labels_.resize(std::size_t{label} + 1);
    labels_[label] = {assigned, edge.other};
  }
  return true;
}

void ClauseSearch::explain_cycle(Literal assigned, const ConditionalEdge& edge) {
  conflict_ = {negated(assigned)};
  if (edge.other != kNoLiteral) conflict_.push_back(negated(edge.other));
  for (const std::uint32_t label : graph_.cycle()) {
    if (label == kAlways) continue;
    const auto [when, and_when] = labels_[label];
    conflict_.push_back(negated(when));
    if (and_when != kNoLiteral) conflict_.push_back(negated(and_when));
  }
  std::ranges::sort(conflict_);
  conflict_.erase(std::unique(conflict_.begin(), conflict_.end()), conflict_.end());
}

void ClauseSearch::back_to(std::uint32_t wanted) {
  if (level() <= wanted) return;
  const std::size_t begin = level_begins_[wanted];
  if (begin < next_) {
    while (graph_.edge_count() > edges_at_[begin]) graph_.pop();
  }
  for (std::size_t i = trail_.size(); i-- > begin;) {
    const Literal a = trail_[i];
    values_[a] = values_[negated(a)] = 0;
    guesses_[a / 2] = a % 2 == 0;
    if (heap_place_[a / 2] == kNowhere) heap_insert(a / 2);
  }
  trail_.resize(begin);
  edges_at_.resize(begin);
  level_begins_.resize(wanted);
  next_ = std::min(next_, begin);
}

void ClauseSearch::decide() {
  std::uint32_t variable = heap_pop();
  while (values_[literal(variable, true)] != 0) variable = heap_pop();
  level_begins_.push_back(trail_.size());
  assign(literal(variable, guesses_[variable]), kNoClause);
}

// Turns the conflict into a clause that holds one literal of its last level (the first unique
// implication point), goes back to where that follows, and lets it follow. False: there is nothing
// to go back to.
bool ClauseSearch::learn() {
  std::uint32_t highest = 0;
  for (const Literal a : conflict_) highest = std::max(highest, levels_[a / 2]);
  if (highest == 0) return false;
  back_to(highest);
  std::vector<Literal> learnt = {kNoLiteral};
  std::vector<std::uint32_t> marked;
  std::size_t open = 0;
  const auto mark = [&](Literal a) {
    const std::uint32_t variable = a / 2;
    if (marked_[variable] || levels_[variable] == 0) return;
    marked_[variable] = true;
    marked.push_back(variable);
    bump(variable);
    if (levels_[variable] == highest) {
      ++open;
    } else {
      learnt.push_back(a);
    }
  };
  for (const Literal a : conflict_) mark(a);
  std::size_t at = trail_.size();
  while (true) {
    do {
      --at;
    } while (!marked_[trail_[at] / 2]);
    if (--open == 0) break;
    const ClauseIndex reason = reasons_[trail_[at] / 2];
    for (const Literal a : clauses_[reason]) {
      if (a != trail_[at]) mark(a);
    }
  }
  learnt[0] = negated(trail_[at]);
  for (const std::uint32_t variable : marked) marked_[variable] = false;
  increment_ /= kDecay;
  if (learnt.size() == 1) {
    back_to(0);
    assign(learnt[0], kNoClause);
    return true;
  }
  const auto second = std::max_element(learnt.begin() + 1, learnt.end(), [&](Literal a, Literal b) {
    return levels_[a / 2] < levels_[b / 2];
  });
  std::swap(learnt[1], *second);
  back_to(levels_[learnt[1] / 2]);
  const Literal follows = learnt[0];
  assign(follows, store(std::move(learnt)));
  return true;
}

ClauseSearch::Answer ClauseSearch::solve(Meter& meter,
                                         const std::function<std::vector<Literal>()>& review) {
  std::uint64_t conflicts = 0;
  std::uint64_t restarts = 0;
  std::uint64_t restart_at = kConflictsPerRestart;
  while (!contradictory_) {
    if (!meter.may_step()) return Answer::unknown;
    bool in_conflict = !propagate();
    if (!in_conflict && trail_.size() == guesses_.size()) {
      conflict_ = review ? review() : std::vector<Literal>();
      if (conflict_.empty()) return Answer::possible;
      in_conflict = true;
    }
    if (!in_conflict) {
      if (conflicts >= restart_at) {
        restart_at = conflicts + kConflictsPerRestart * luby(++restarts);
        back_to(0);
      } else {
        decide();
      }
      continue;
    }
    ++conflicts;
    if (!meter.may_step(conflict_.size()) || !learn()) break;
  }
  return meter.is_hit() ? Answer::unknown : Answer::impossible;
}

void ClauseSearch::bump(std::uint32_t variable) {
  activity_[variable] += increment_;
  if (activity_[variable] > kLargestActivity) {
    for (double& activity : activity_) activity /= kLargestActivity;
    increment_ /= kLargestActivity;
  }
  if (heap_place_[variable] != kNowhere) heap_up(heap_place_[variable]);
}

void ClauseSearch::heap_insert(std::uint32_t variable) {
  heap_place_[variable] = static_cast<std::uint32_t>(heap_.size());
  heap_.push_back(variable);
  heap_up(heap_.size() - 1);
}

std::uint32_t ClauseSearch::heap_pop() {
  HEDDLE_ASSERT(!heap_.empty());
  const std::uint32_t top = heap_.front();
  heap_place_[top] = kNowhere;
  const std::uint32_t last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) {
    heap_[0] = last;
    heap_place_[last] = 0;
    heap_down(0);
  }
  return top;
}

void ClauseSearch::heap_up(std::size_t at) {
  const std::uint32_t variable = heap_[at];
  while (at > 0 && activity_[heap_[(at - 1) / 2]] < activity_[variable]) {
    heap_[at] = heap_[(at - 1) / 2];
    heap_place_[heap_[at]] = static_cast<std::uint32_t>(at);
    at = (at - 1) / 2;
  }
  heap_[at] = variable;
  heap_place_[variable] = static_cast<std::uint32_t>(at);
}

void ClauseSearch::heap_down(std::size_t at) {
  const std::uint32_t variable = heap_[at];
  while (2 * at + 1 < heap_.size()) {
    std::size_t child = 2 * at + 1;
    if (child + 1 < heap_.size() && activity_[heap_[child + 1]] > activity_[heap_[child]]) ++child;
    if (activity_[heap_[child]] <= activity_[variable]) break;
    heap_[at] = heap_[child];
    heap_place_[heap_[at]] = static_cast<std::uint32_t>(at);
    at = child;
  }
  heap_[at] = variable;
  heap_place_[variable] = static_cast<std::uint32_t>(at);
}

}  // namespace heddle
