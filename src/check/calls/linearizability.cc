// The check as users call it: the history is cut into objects, which are independent of each other
// (Herlihy and Wing 1990, theorem 1; for quiescent consistency Herlihy and Shavit 2008, 3.4). That
// is not so for sequential consistency, where all objects are one part.
#include "heddle/linearizability.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "check/calls/decide.h"
#include "check/calls/model_objects.h"
#include "check/calls/object_invariants.h"
#include "check/calls/quick.h"
#include "check/calls/search.h"

namespace heddle {

namespace {

// The calls of each object, in the order of the history, side by side.
struct CallsByObject {
  std::vector<std::uint32_t> calls;
  std::vector<std::uint32_t> ends;  // by object

  explicit CallsByObject(const ObjectHistory& history)
      : calls(history.calls.size()), ends(history.objects.size() + 1, 0) {
    for (const ObjectCall& call : history.calls) ++ends[call.object.index() + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    for (std::uint32_t i = 0; i < history.calls.size(); ++i) {
      calls[ends[history.calls[i].object.index()]++] = i;
    }
  }

  std::span<const std::uint32_t> of(std::size_t object) const {
    const std::uint32_t first = object == 0 ? 0 : ends[object - 1];
    return {calls.data() + first, ends[object] - first};
  }
};

std::vector<std::uint32_t> indices_of(const CallProblem& problem,
                                      const std::vector<std::uint32_t>& places) {
  std::vector<std::uint32_t> indices;
  indices.reserve(places.size());
  for (const std::uint32_t place : places) indices.push_back(problem.calls[place].index);
  return indices;
}

LinearizabilityPart check_part(const PartCheck& check, std::span<const std::uint32_t> indices,
                               const LinearizabilityOptions& options, BoundMeter& meter) {
  LinearizabilityPart part;
  PartOutcome outcome = decide_part(check, indices, {}, kNever, meter);
  part.verdict = outcome.verdict;
  part.bound = outcome.verdict == Verdict::unknown ? meter.hit() : "";
  if (outcome.verdict == Verdict::violated) {
    explain_violation(check, indices, outcome, options, part);
  } else {
    part.order = std::move(outcome.order);
  }
  return part;
}

void conclude(LinearizabilityAnswer& answer) {
  answer.verdict = Verdict::satisfied;
  for (const Verdict verdict : {Verdict::violated, Verdict::unknown}) {
    const auto part = std::ranges::find(answer.parts, verdict, &LinearizabilityPart::verdict);
    if (part == answer.parts.end()) continue;
    answer.verdict = verdict;
    answer.culprit = static_cast<std::size_t>(part - answer.parts.begin());
    answer.bound = part->bound;
    return;
  }
}

LinearizabilityAnswer check_parts(const PartCheck& check, const LinearizabilityOptions& options) {
  LinearizabilityAnswer answer;
  BoundMeter meter(options);
  if (check.order == CallOrder::sequential) {
    std::vector<std::uint32_t> all(check.history.calls.size());
    std::iota(all.begin(), all.end(), 0);
    answer.parts.push_back(check_part(check, all, options, meter));
  } else {
    const CallsByObject by_object(check.history);
    for (std::size_t object = 0; object < check.history.objects.size(); ++object) {
      meter.forget_memory_hit();  // what one object took has been given back
      answer.parts.push_back(check_part(check, by_object.of(object), options, meter));
      answer.parts.back().object = KeyId(object);
    }
  }
  answer.steps = meter.steps();
  conclude(answer);
  return answer;
}

}  // namespace

std::string_view to_string(CallOrder order) {
  constexpr std::array<std::string_view, 3> kNames = {"linearizable", "sequential", "quiescent"};
  return kNames[static_cast<std::size_t>(order)];
}

PartOutcome decide_part(const PartCheck& check, std::span<const std::uint32_t> indices,
                        std::span<const CallUse> uses, Moment end, BoundMeter& meter) {
  const MemoryShare share(meter, problem_bytes(indices.size()));
  if (!share.is_granted() || !meter.has_time()) return {};
  const CallProblem problem =
      make_problem(check.history, check.model, check.order, indices, uses, end);
  PartOutcome outcome;
  if (check.is_own_model && check.order != CallOrder::sequential) {
    const MemoryShare quick_share(meter, quick_bytes(check.history.model, indices.size()));
    if (!quick_share.is_granted()) return {};
    const QuickOutcome quick = order_quickly(problem, meter);
    if (quick.verdict != Verdict::unknown) {
      outcome.verdict = quick.verdict;
      auto& calls = quick.verdict == Verdict::satisfied ? outcome.order : outcome.culprits;
      calls = indices_of(problem, quick.calls);
      return outcome;
    }
  }
  if (!meter.hit().empty()) return {};
  const SearchOutcome found = search_order(problem, check.model, meter);
  outcome.verdict = found.verdict;
  outcome.order = indices_of(problem, found.order);
  if (found.stuck) outcome.stuck = problem.calls[*found.stuck].index;
  return outcome;
}

LinearizabilityAnswer check_linearizable(const ObjectHistory& history,
                                         const LinearizabilityOptions& options) {
  if (auto misfit = find_misfit(history)) {
    LinearizabilityAnswer answer;
    answer.bound = std::move(*misfit);
    return answer;
  }
  const std::unique_ptr<CallModel> model = make_model(history);
  LinearizabilityAnswer answer =
      check_parts({history, *model, options.order, !options.search_only}, options);
  const bool has_invariant = history.model == ObjectModel::counter ||
                             history.model == ObjectModel::set ||
                             history.model == ObjectModel::bank;
  if (has_invariant) answer.invariant = check_jepsen_invariant(history);
  return answer;
}

LinearizabilityAnswer check_linearizable(const ObjectHistory& history, const CallModel& model,
                                         const LinearizabilityOptions& options) {
  return check_parts({history, model, options.order, false}, options);
}

}  // namespace heddle
