// Guesses a writer for each read and an order of all transactions that fits, asks the level what
// else the guess forces, and learns all of that which the order does not keep, each under the
// reads that it rests on (counterexample-guided, as in Clarke et al., CAV 2000), until an order
// keeps everything or no guess is left. Left out: what could be said of guesses that are not
// complete.
#include "check/levels/choose_writers.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "check/levels/clause_search.h"
#include "check/levels/weak/session_guarantees.h"
#include "check/levels/weak/weak_levels.h"
#include "check/levels/weak/weak_levels_reason.h"

namespace heddle {

namespace {

constexpr std::size_t kBytesPerLesson = 256;

std::optional<OrderGraph> graph_of(const Observation& observation, IsolationLevel level,
                                   const BaseOrder& base, Meter& meter) {
  return is_session_guarantee(level) ? session_guarantee_graph(observation, level, base, meter)
                                     : weak_level_graph(observation, level, base, meter);
}

class WriterChoice {
 public:
  // `order` fits what is known whatever the choices.
  WriterChoice(const Observation& observation, IsolationLevel level, const BaseOrder& base,
               const OrderGraph& known, std::span<const Node> order, Meter& meter)
      : observation_(observation), level_(level), base_(base), meter_(meter), search_(order) {
    for (Node node = 0; node < known.node_count(); ++node) {
      for (const Node before : known.fixed(node)) search_.add_edge(before, node);
      for (const Node before : known.forced(node)) search_.add_edge(before, node);
    }
    add_choices();
  }

  EngineAnswer run() {
    while (true) {
      const auto found = search_.solve(meter_);
      if (found == ClauseSearch::Answer::impossible) return {Verdict::violated};
      if (found == ClauseSearch::Answer::unknown) return {};
      std::vector<Node> chosen = chosen_writers();
      const Observation resolved = observation_.with_choices(chosen);
      const auto graph = graph_of(resolved, level_, base_, meter_);
      if (!graph || !meter_.may_step(graph->node_count())) return {};
      EngineAnswer answer = decide(resolved, *graph, level_, base_, meter_);
      if (answer.verdict == Verdict::satisfied) answer.chosen = std::move(chosen);
      if (answer.verdict != Verdict::violated || !rests_on_choices(answer.cycle)) return answer;
      if (!learn(resolved, *graph, answer.cycle)) return {};
    }
  }

 private:
  // One variable per candidate: at least one of them is the one.
  void add_choices() {
    Node reader = 1;
    for (const Choice& choice : observation_.choices()) {
      while (first_read(observation_, reader) + observation_.reads(reader).size() <= choice.seen) {
        ++reader;
      }
      const std::size_t guess = guess_of(choice, reader);
      std::vector<Literal> clause;
      for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
        const Literal is_it = literal(search_.add_variable(i == guess), true);
        if (base_.reads) search_.add_edge(choice.candidates[i], reader, is_it);
        clause.push_back(is_it);
      }
      first_.push_back(clause.front() / 2);
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

  std::vector<Node> chosen_writers() const {
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

  // What of these reads is a choice.
  void collect(const OrderEdge& edge, std::vector<Literal>& chosen) const {
    const auto& choices = observation_.choices();
    const auto choice = std::ranges::lower_bound(choices, edge.read, {}, &Choice::seen);
    if (choice != choices.end() && choice->seen == edge.read) {
      const auto index = static_cast<std::size_t>(choice - choices.begin());
      chosen.push_back(literal(first_[index] + static_cast<std::uint32_t>(place_of(index)), true));
    }
    for (const OrderEdge& reason : edge.because) collect(reason, chosen);
  }

  bool rests_on_choices(const std::vector<OrderEdge>& cycle) const {
    std::vector<Literal> chosen;
    for (const OrderEdge& edge : cycle) collect(edge, chosen);
    return !chosen.empty();
  }

  // Of a cycle some edge at least is not kept. False: a bound was hit.
  bool learn(const Observation& resolved, const OrderGraph& graph,
             const std::vector<OrderEdge>& cycle) {
    std::vector<Arc> broken;
    for (Node to = 0; to < graph.real_count(); ++to) {
      for (const Node from : graph.forced(to)) {
        if (graph.is_real(from) && from != kInitialNode && !is_kept(from, to)) {
          broken.push_back({from, to});
        }
      }
    }
    std::ranges::sort(broken);
    broken.erase(std::unique(broken.begin(), broken.end()), broken.end());
    if (!meter_.may_allocate(kBytesPerLesson * broken.size())) return false;
    std::vector<OrderEdge> lessons = labelled_arcs(resolved, broken, level_, base_);
    for (const OrderEdge& edge : cycle) {
      if (!is_kept(edge.from, edge.to)) lessons.push_back(edge);
    }
    // What the guess chose is gone once it is taken back.
    std::vector<std::vector<Literal>> reasons;
    for (const OrderEdge& edge : lessons) {
      collect(edge, reasons.emplace_back());
      std::ranges::sort(reasons.back());
      reasons.back().erase(std::unique(reasons.back().begin(), reasons.back().end()),
                           reasons.back().end());
    }
    search_.take_back();
    for (std::size_t i = 0; i < lessons.size(); ++i) {
      add_lesson(lessons[i], std::move(reasons[i]));
    }
    return meter_.may_step(lessons.size());
  }

  // Nothing comes before the initial state.
  bool is_kept(Node from, Node to) const {
    return from == kInitialNode || (to != kInitialNode && search_.place(from) < search_.place(to));
  }

  void add_lesson(const OrderEdge& edge, std::vector<Literal> reasons) {
    if (edge.to != kInitialNode) return search_.add_edge_when(edge.from, edge.to, reasons);
    for (Literal& reason : reasons) reason = negated(reason);
    search_.add_clause(std::move(reasons));
  }

  const Observation& observation_;
  const IsolationLevel level_;
  const BaseOrder base_;
  Meter& meter_;
  ClauseSearch search_;
  std::vector<std::uint32_t> first_;  // per choice: the variable of its first candidate
};

}  // namespace

EngineAnswer choose_writers(const Observation& observation, IsolationLevel level,
                            const OrderSwitches& switches, Meter& meter) {
  HEDDLE_ASSERT(!observation.choices().empty());
  if (has_illegal(observation, level)) return {Verdict::violated};
  const BaseOrder base = base_order(level, switches);
  OrderGraph known(observation.node_count(), base_arcs(observation, base));
  known.set_forced(ArcsInto(known.node_count(), version_arcs(observation)));
  EngineAnswer without = decide(observation, known, level, base, meter);
  if (without.verdict != Verdict::satisfied) return without;
  const std::vector<Node> order = topological_order(known, meter);
  if (order.empty()) return {};
  return WriterChoice(observation, level, base, known, order, meter).run();
}

}  // namespace heddle
