// Guesses a writer for each read, asks the engine, and learns from each cycle which guesses cannot
// be right together, until a guess is legal or none is left (counterexample-guided, as in Clarke et
// al., CAV 2000). Cycles rest on few reads, so each rules out many guesses. Left out: what the
// engine could say of guesses that are not complete.
#include "check/levels/choose_writers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "check/levels/clause_search.h"
#include "check/levels/weak_levels_base.h"

namespace heddle {

namespace {

// Guesses that the engine is asked about.
constexpr std::size_t kMostGuesses = 1'000;

class WriterChoice {
 public:
  WriterChoice(const Observation& observation, Meter& meter,
               const std::function<EngineAnswer(const Observation&)>& engine)
      : observation_(observation), meter_(meter), engine_(engine), search_({}) {}

  EngineAnswer run() {
    add_questions();
    const auto answer = search_.solve(meter_, [&] { return review(); });
    if (is_decided_) return std::move(answer_);
    if (answer == ClauseSearch::Answer::impossible) return {Verdict::violated, {}, {}, {}};
    return {};
  }

 private:
  void add_questions() {
    Node reader = 1;
    for (const Choice& choice : observation_.choices()) {
      while (first_read(observation_, reader) + observation_.reads(reader).size() <= choice.seen) {
        ++reader;
      }
      const std::size_t guess = guess_of(choice, reader);
      std::vector<Literal> clause;
      first_.push_back(next_);
      for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
        next_ = search_.add_variable(i == guess) + 1;
        clause.push_back(literal(next_ - 1, true));
      }
      search_.add_clause(std::move(clause));
    }
  }

  // Sessions are taken to go on at the same pace where times are unknown.
  double moment_of(Node node) const {
    if (observation_.history().has_times) {
      const auto id = observation_.transaction(node);
      return static_cast<double>(observation_.history().transactions[id.index()].ended);
    }
    const Node begin = observation_.session_begin(observation_.session_of(node));
    const Node end = observation_.session_begin(observation_.session_of(node) + 1);
    return static_cast<double>(node - begin) / static_cast<double>(end - begin);
  }

  // The last candidate before the reader, or else the first of all.
  std::size_t guess_of(const Choice& choice, Node reader) const {
    const double now = moment_of(reader);
    std::size_t best = 0;
    for (std::size_t i = 1; i < choice.candidates.size(); ++i) {
      const bool is_initial = choice.candidates[best] == kInitialNode;
      const double at = moment_of(choice.candidates[i]);
      const double best_at = is_initial ? 0 : moment_of(choice.candidates[best]);
      const bool best_is_before = is_initial || best_at < now;
      if (best_is_before ? at < now && (is_initial || at > best_at) : at < best_at) best = i;
    }
    return best;
  }

  // The clause that says what is wrong with the present guesses.
  std::vector<Literal> review() {
    if (++guesses_ > kMostGuesses) {
      meter_.give_up(fmt::format("the limit of {} ways to choose the writers of repeated values",
                                 kMostGuesses));
      is_decided_ = true;
      answer_ = {};
      return {};
    }
    const Observation resolved = observation_.with_choices(chosen());
    answer_ = engine_(resolved);
    std::vector<Literal> clause;
    if (answer_.verdict == Verdict::violated) collect(answer_.cycle, clause);
    // No cycle, or one that rests on no guess.
    is_decided_ = clause.empty() || !meter_.may_step(observation_.node_count());
    if (is_decided_ && meter_.is_hit()) answer_ = {};
    if (is_decided_ && answer_.verdict == Verdict::satisfied) answer_.chosen = chosen();
    if (is_decided_) return {};
    std::ranges::sort(clause);
    clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
    return clause;
  }

  std::vector<Node> chosen() const {
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < first_.size(); ++i) {
      nodes.push_back(observation_.choices()[i].candidates[place_of(i)]);
    }
    return nodes;
  }

  std::size_t place_of(std::size_t choice) const {
    std::uint32_t place = 0;
    while (!search_.is_true(literal(first_[choice] + place, true))) ++place;
    return place;
  }

  void collect(const std::vector<OrderEdge>& edges, std::vector<Literal>& clause) const {
    for (const OrderEdge& edge : edges) {
      const auto& choices = observation_.choices();
      const auto choice = std::ranges::lower_bound(choices, edge.read, {}, &Choice::seen);
      if (choice != choices.end() && choice->seen == edge.read) {
        const auto index = static_cast<std::size_t>(choice - choices.begin());
        const auto place = static_cast<std::uint32_t>(place_of(index));
        clause.push_back(literal(first_[index] + place, false));
      }
      collect(edge.because, clause);
    }
  }

  const Observation& observation_;
  Meter& meter_;
  const std::function<EngineAnswer(const Observation&)>& engine_;
  ClauseSearch search_;
  std::vector<std::uint32_t> first_;  // per choice: the variable of its first candidate
  std::uint32_t next_ = 0;
  EngineAnswer answer_;
  std::size_t guesses_ = 0;
  bool is_decided_ = false;
};

}  // namespace

EngineAnswer choose_writers(const Observation& observation, Meter& meter,
                            const std::function<EngineAnswer(const Observation&)>& engine) {
  return WriterChoice(observation, meter, engine).run();
}

}  // namespace heddle
