// A walk through the body knows with which services the runs that get to a place may have been
// last, and how often they have handed over at most. Which values let a run take its way nobody
// asks, nor which errors a recovery is for: an error may come behind any statement, and is handled
// by any recovery around it, or by none.
#include "split/hand_overs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace heddle::chopping {

namespace {

// By the service that ran last, none at the beginning: the most hand-overs until then. Empty:
// nobody gets there.
using Runs = std::map<std::optional<std::size_t>, std::size_t>;

void add(Runs& runs, const Runs& more) {
  for (const auto& [service, count] : more) {
    std::size_t& most = runs[service];
    most = std::max(most, count);
  }
}

// Runs that leave a loop or its round, by its label; empty: the innermost.
struct Leaving {
  std::map<std::string, Runs> loops;
  std::map<std::string, Runs> rounds;

  void add(const Leaving& more) {
    for (const auto& [label, runs] : more.loops) chopping::add(loops[label], runs);
    for (const auto& [label, runs] : more.rounds) chopping::add(rounds[label], runs);
  }
};

// An Attempt whose body is being gone through, and the runs that have failed in it.
struct OpenAttempt {
  Runs failed;
  bool by_client = false;
};

// Those of the loop itself.
Runs take(std::map<std::string, Runs>& leaving, const std::string& label) {
  Runs runs = std::move(leaving[""]);
  leaving.erase("");
  if (label.empty()) return runs;
  add(runs, leaving[label]);
  leaving.erase(label);
  return runs;
}

class HandOverCounter {
 public:
  HandOverCounter(const TableServices& services, std::size_t rounds)
      : services_(services), rounds_(rounds) {}

  std::size_t count(const Block& body) {
    Leaving leaving;
    add(ended_, walk(body, Runs{{std::nullopt, 0}}, leaving));
    std::size_t most = 0;
    for (const auto& [service, hand_overs] : ended_) most = std::max(most, hand_overs);
    return most;
  }

 private:
  Runs walk(std::span<const Action> block, Runs runs, Leaving& leaving) {
    for (const Action& action : block) {
      if (runs.empty()) break;
      runs = std::visit([&](const auto& what) { return step(what, runs, leaving); }, action.what);
    }
    return runs;
  }

  Runs enter(const ProgramStatement& statement, const Runs& runs) {
    const std::set<std::size_t> own = services_.of(statement.statement);
    if (own.empty()) return runs;
    Runs after;
    for (const auto& [last, count] : runs) {
      const bool hands_over = last && !own.contains(*last);
      add(after, {{*own.begin(), count + (hands_over ? 1 : 0)}});
    }
    for (OpenAttempt& attempt : attempts_) add(attempt.failed, after);
    return after;
  }

  // What leaves it for a loop around it goes on there.
  Runs loop(const Block& body, const std::string& label, const Runs& runs, bool may_have_none,
            Leaving& leaving) {
    Runs after = may_have_none ? runs : Runs{};
    Runs round = runs;
    for (std::size_t i = 0; i < rounds_ && !round.empty(); ++i) {
      Leaving inner;
      round = walk(body, round, inner);
      add(round, take(inner.rounds, label));
      add(after, round);
      add(after, take(inner.loops, label));
      leaving.add(inner);
    }
    return after;
  }

  template <class Other>
  Runs step(const Other& /*what*/, const Runs& runs, Leaving& /*leaving*/) {
    return runs;
  }
  Runs step(const RunStatement& what, const Runs& runs, Leaving& /*leaving*/) {
    return enter(what.statement, runs);
  }
  Runs step(const OpenRows& what, const Runs& runs, Leaving& /*leaving*/) {
    return enter(what.statement, runs);
  }
  Runs step(const RowLoop& what, const Runs& runs, Leaving& leaving) {
    return loop(what.body, what.label, enter(what.statement, runs), true, leaving);
  }
  Runs step(const Loop& what, const Runs& runs, Leaving& leaving) {
    return loop(what.body, what.label, runs, what.condition.has_value(), leaving);
  }
  Runs step(const CountLoop& what, const Runs& runs, Leaving& leaving) {
    return loop(what.body, what.label, runs, true, leaving);
  }
  Runs step(const ElementLoop& what, const Runs& runs, Leaving& leaving) {
    return loop(what.body, what.label, runs, true, leaving);
  }
  Runs step(const Branch& what, const Runs& runs, Leaving& leaving) {
    Runs after = walk(what.then, runs, leaving);
    add(after, walk(what.otherwise, runs, leaving));
    return after;
  }
  Runs step(const Attempt& what, const Runs& runs, Leaving& leaving) {
    attempts_.push_back({.failed = runs, .by_client = what.by_client});
    Runs after = walk(what.body, runs, leaving);
    const Runs failed = std::move(attempts_.back().failed);
    attempts_.pop_back();
    for (const Recovery& recovery : what.recoveries) {
      add(after, walk(recovery.body, failed, leaving));
    }
    return after;
  }
  Runs step(const LeaveLoop& what, const Runs& runs, Leaving& leaving) {
    add((what.next ? leaving.rounds : leaving.loops)[what.label], runs);
    return {};
  }
  Runs step(const Return& /*what*/, const Runs& runs, Leaving& /*leaving*/) {
    add(ended_, runs);
    return {};
  }
  // A client's recovery is for errors of the store, which only the error at hand may be.
  Runs step(const Raise& what, const Runs& runs, Leaving& /*leaving*/) {
    const bool is_programs = !what.condition.empty() || !what.message.empty();
    for (OpenAttempt& attempt : attempts_) {
      if (!attempt.by_client || !is_programs) add(attempt.failed, runs);
    }
    add(ended_, runs);
    return {};
  }

  const TableServices& services_;
  const std::size_t rounds_;
  std::vector<OpenAttempt> attempts_;  // the innermost last
  Runs ended_;
};

}  // namespace

std::size_t count_hand_overs(const Functionality& functionality, const TableServices& services,
                             std::size_t rounds) {
  return HandOverCounter(services, rounds).count(functionality.body);
}

}  // namespace heddle::chopping
