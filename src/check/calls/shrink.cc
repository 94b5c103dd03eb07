// Explains a violation by few calls. Calls may only be left out where an order of the whole history
// would still be one of what is left, or the rest might fail for no fault of its own (a read whose
// write is gone). That holds for: calls that only read; all calls of one element of a queue, stack,
// priority queue or set; all writes of a value of a register, with the values that compare-and-sets
// tie to it, once nothing reads them any more; and everything after some moment, where calls that
// still run then may have happened or not. Any other call can only be taken as one that may have
// happened at any time since it was called. Whatever is accepted was found to fail again.
#include <algorithm>
#include <map>
#include <numeric>

#include "check/calls/decide.h"
#include "check/calls/model_objects.h"
#include "check/calls/search.h"

namespace heddle {

namespace {

constexpr std::uint64_t kStepsPerTry = 2'000;     // and as many again as there are calls, times
constexpr std::uint64_t kStepsPerCall = 20;       // this
constexpr std::uint64_t kSteps = 100'000;         // in all, and to look at one beginning
constexpr std::uint64_t kTriedCalls = 4'000'000;  // in all
constexpr std::size_t kFewCalls = 64;             // few enough to try each one by itself
constexpr std::size_t kManyCalls = 100'000;       // too many to look for the longest beginning

// Names what a mutator is about; calls of the same name go together. None: it cannot be left out.
using UnitName = std::optional<std::int64_t>;

class UnitNames {
 public:
  UnitNames(const PartCheck& check, std::span<const std::uint32_t> indices) : check_(check) {
    usable_ = check.is_own_model && check.order != CallOrder::quiescent;
    for (const std::uint32_t i : indices) {
      const ObjectCall& call = check.history.calls[i];
      if (call.outcome == CallOutcome::failed) continue;
      const bool is_blind = result_of(call) == kUnseen && call.outcome == CallOutcome::ok;
      if (call.function == ObjectFunction::append) usable_ = false;
      if (is_take(call) && is_blind) usable_ = false;
      if (call.function == ObjectFunction::read && check.history.model == ObjectModel::set &&
          !is_blind && call.outcome == CallOutcome::ok) {
        usable_ = false;
      }
      if (call.function == ObjectFunction::compare_and_set) join(call.argument, call.second);
    }
  }

  UnitName of(const ObjectCall& call) {
    if (!usable_) return std::nullopt;
    switch (check_.history.model) {
      case ObjectModel::cas_register:
      case ObjectModel::key_value:
        return root(code_of(call.function == ObjectFunction::compare_and_set ? call.second
                                                                             : call.argument));
      case ObjectModel::set:
        return call.argument.code;
      case ObjectModel::queue:
      case ObjectModel::stack:
      case ObjectModel::priority_queue:
        if (!is_take(call)) return call.argument.code;
        if (result_of(call) == kUnseen) return std::nullopt;
        return call.result.code;
      default:
        return std::nullopt;
    }
  }

  // What calls that only read are about, if it is one value: its writes must stay while they do.
  UnitName of_read(const ObjectCall& call) {
    if (!usable_) return std::nullopt;
    switch (check_.history.model) {
      case ObjectModel::cas_register:
      case ObjectModel::key_value:
        return root(code_of(result_of(call)));
      case ObjectModel::set:
        return call.argument.code;
      default:
        return std::nullopt;
    }
  }

 private:
  static bool is_take(const ObjectCall& call) {
    return call.function == ObjectFunction::dequeue || call.function == ObjectFunction::pop ||
           call.function == ObjectFunction::remove_minimum;
  }

  std::int64_t root(std::int64_t code) {
    for (auto up = parent_.find(code); up != parent_.end(); up = parent_.find(code)) {
      const auto above = parent_.find(up->second);
      if (above != parent_.end()) up->second = above->second;
      code = up->second;
    }
    return code;
  }

  void join(Value a, Value b) {
    const std::int64_t from = root(a.code);
    const std::int64_t to = root(b.code);
    if (from != to) parent_[from] = to;
  }

  // Values that a key-value store cannot tell apart are one: those with the same text.
  std::int64_t code_of(Value value) {
    if (check_.history.model != ObjectModel::key_value || value == kUnseen) return value.code;
    const std::string text = value == kNil ? "" : check_.history.texts.to_string(value);
    return codes_.emplace(text, static_cast<std::int64_t>(codes_.size())).first->second;
  }

  const PartCheck& check_;
  bool usable_ = false;
  std::map<std::int64_t, std::int64_t> parent_;
  std::map<std::string, std::int64_t> codes_;
};

class Shrinking {
 public:
  Shrinking(const PartCheck& check, std::span<const std::uint32_t> indices,
            const LinearizabilityOptions& options)
      : check_(check), options_(options), indices_(indices.begin(), indices.end()) {
    std::erase_if(indices_, [&check](std::uint32_t i) {
      return check.history.calls[i].outcome == CallOutcome::failed;
    });
    uses_.assign(indices_.size(), CallUse::as_it_is);
  }

  void run(const PartOutcome& outcome) {
    if (!outcome.culprits.empty()) keep_only(outcome.culprits);
    if (outcome.stuck) cut_behind(*outcome.stuck);
    drop_units();
    cut_at_first_failure();
    drop_units();
    if (indices_.size() <= kFewCalls) relax_calls();
  }

  void report(LinearizabilityPart& part) const {
    part.core = indices_;
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      const bool is_unknown = check_.history.calls[indices_[i]].outcome == CallOutcome::unknown;
      if (is_unknown || uses_[i] == CallUse::optional) part.core_optional.push_back(indices_[i]);
    }
  }

  // The search's view of the core: what happened until the call that cannot.
  PartOutcome order_core() const {
    BoundMeter meter(bounds());
    PartCheck check = check_;
    check.is_own_model = false;
    return decide_part(check, indices_, uses_, kNever, meter);
  }

 private:
  using Units = std::vector<std::vector<std::size_t>>;  // of places in indices_

  LinearizabilityOptions bounds() const {
    LinearizabilityOptions result = options_;
    result.steps = kStepsPerTry + kStepsPerCall * indices_.size();
    return result;
  }

  bool fails(const std::vector<CallUse>& uses) {
    const auto left = static_cast<std::uint64_t>(
        std::ranges::count_if(uses, [](CallUse use) { return use != CallUse::left_out; }));
    if (tried_ + left > kTriedCalls || steps_ > kSteps) return false;
    tried_ += left;
    BoundMeter meter(bounds());
    const Verdict verdict = decide_part(check_, indices_, uses, kNever, meter).verdict;
    steps_ += meter.steps();
    return verdict == Verdict::violated;
  }

  bool accept_if_fails(std::vector<CallUse> uses) {
    if (!fails(uses)) return false;
    uses_ = std::move(uses);
    return true;
  }

  // Forgets what is left out.
  void compact() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      if (uses_[i] == CallUse::left_out) continue;
      indices_[kept] = indices_[i];
      uses_[kept++] = uses_[i];
    }
    indices_.resize(kept);
    uses_.resize(kept);
  }

  bool only_reads(std::size_t place) const {
    return check_.model.only_reads(check_.history.calls[indices_[place]]);
  }

  // What can be left out together. Reads of a value come before its writes.
  Units units() const {
    UnitNames names(check_, indices_);
    Units result;
    std::map<std::int64_t, std::vector<std::size_t>> mutators;
    std::map<std::int64_t, bool> is_read;
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      const ObjectCall& call = check_.history.calls[indices_[i]];
      if (only_reads(i)) {
        if (check_.order != CallOrder::quiescent) result.push_back({i});
        if (const UnitName name = names.of_read(call)) is_read[*name] = true;
      } else if (const UnitName name = names.of(call)) {
        mutators[*name].push_back(i);
      }
    }
    for (auto& [name, places] : mutators) {
      if (!is_read.contains(name)) result.push_back(std::move(places));
    }
    return result;
  }

  // Values with all that reads them, so that they can be left out in one go.
  Units value_units() const {
    UnitNames names(check_, indices_);
    std::map<std::int64_t, std::vector<std::size_t>> by_value;
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      const ObjectCall& call = check_.history.calls[indices_[i]];
      const UnitName name = only_reads(i) ? names.of_read(call) : names.of(call);
      if (name) by_value[*name].push_back(i);
    }
    Units result;
    for (auto& [name, places] : by_value) result.push_back(std::move(places));
    return result;
  }

  // Leaves out all that can be, but for what has to do with `culprits`.
  void keep_only(const std::vector<std::uint32_t>& culprits) {
    std::vector<bool> is_culprit(indices_.size(), false);
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      is_culprit[i] = std::ranges::binary_search(culprits, indices_[i]);
    }
    std::vector<CallUse> uses = uses_;
    for (const Units& units : {value_units(), units_of_reads()}) {
      for (const std::vector<std::size_t>& unit : units) {
        if (std::ranges::any_of(unit, [&](std::size_t i) { return is_culprit[i]; })) continue;
        for (const std::size_t i : unit) uses[i] = CallUse::left_out;
      }
    }
    if (accept_if_fails(std::move(uses))) compact();
  }

  Units units_of_reads() const {
    Units result;
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      if (only_reads(i) && check_.order != CallOrder::quiescent) result.push_back({i});
    }
    return result;
  }

  // Takes the history as it stood when that call returned.
  void cut_behind(std::uint32_t stuck) {
    const Moment last = check_.history.calls[stuck].returned;
    std::vector<CallUse> uses = uses_;
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      const ObjectCall& call = check_.history.calls[indices_[i]];
      if (call.called > last) {
        uses[i] = CallUse::left_out;
      } else if (call.returned > last && uses[i] == CallUse::as_it_is) {
        uses[i] = CallUse::optional;
      }
    }
    if (accept_if_fails(std::move(uses))) compact();
  }

  void cut_at_first_failure() {
    if (indices_.size() > kManyCalls) return;
    const PartOutcome outcome = order_core();
    if (outcome.stuck) cut_behind(*outcome.stuck);
  }

  // Halves, quarters and so on of the units, as long as something can go (Zeller and Hildebrandt,
  // "Simplifying and isolating failure-inducing input", 2002).
  void drop_units() {
    drop(value_units());
    drop(units());
    drop(units());  // writes whose reads went
  }

  void drop(const Units& units) {
    for (std::size_t size = (units.size() + 1) / 2; size > 0;
         size = size == 1 ? 0 : (size + 1) / 2) {
      for (std::size_t first = 0; first < units.size(); first += size) {
        drop(units, first, std::min(first + size, units.size()));
      }
    }
    compact();
  }

  void drop(const Units& units, std::size_t first, std::size_t end) {
    std::vector<CallUse> uses = uses_;
    bool changes = false;
    for (std::size_t unit = first; unit < end; ++unit) {
      for (const std::size_t i : units[unit]) {
        changes |= uses[i] != CallUse::left_out;
        uses[i] = CallUse::left_out;
      }
    }
    if (changes) accept_if_fails(std::move(uses));
  }

  void relax_calls() {
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      const bool is_ok = check_.history.calls[indices_[i]].outcome == CallOutcome::ok;
      if (!is_ok || uses_[i] != CallUse::as_it_is || only_reads(i)) continue;
      std::vector<CallUse> uses = uses_;
      uses[i] = CallUse::optional;
      accept_if_fails(std::move(uses));
    }
  }

  const PartCheck& check_;
  const LinearizabilityOptions& options_;
  std::vector<std::uint32_t> indices_;
  std::vector<CallUse> uses_;
  std::uint64_t tried_ = 0;  // calls
  std::uint64_t steps_ = 0;
};

// The call that returns last.
std::uint32_t last_of(const PartCheck& check, const std::vector<std::uint32_t>& calls) {
  return *std::ranges::max_element(calls, {}, [&check](std::uint32_t i) {
    const ObjectCall& call = check.history.calls[i];
    return call.outcome == CallOutcome::ok ? call.returned : call.called;
  });
}

// The longest beginning of the history that has an order, by bisection over its returns; the one
// that ends with `latest` has none. Only the drawing gains by it: where a beginning is hard to
// decide, as with many calls under way at its end, the core has to do.
void find_beginning(const PartCheck& check, std::span<const std::uint32_t> indices,
                    std::uint32_t latest, const LinearizabilityOptions& options,
                    LinearizabilityPart& part) {
  std::vector<std::uint32_t> returns;
  const auto moment = [&check](std::uint32_t i) { return check.history.calls[i].returned; };
  for (const std::uint32_t i : indices) {
    const bool is_ok = check.history.calls[i].outcome == CallOutcome::ok;
    if (is_ok && moment(i) < kNever - 1 && moment(i) <= moment(latest)) returns.push_back(i);
  }
  std::ranges::sort(returns, [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(moment(a), a) < std::pair(moment(b), b);
  });
  std::size_t good = 0;  // so many returns have an order
  std::size_t bad = returns.size();
  std::vector<std::uint32_t> order;
  while (good + 1 < bad) {
    const std::size_t middle = (good + bad) / 2;
    LinearizabilityOptions bounds = options;
    bounds.steps = std::min(options.steps, kSteps);
    BoundMeter meter(bounds);
    PartOutcome outcome = decide_part(check, indices, {}, moment(returns[middle - 1]) + 1, meter);
    if (outcome.verdict == Verdict::unknown) return;
    if (outcome.verdict == Verdict::satisfied) order = std::move(outcome.order);
    (outcome.verdict == Verdict::satisfied ? good : bad) = middle;
  }
  if (bad == 0) return;
  part.stuck = returns[bad - 1];
  part.order = std::move(order);
}

}  // namespace

void explain_violation(const PartCheck& check, std::span<const std::uint32_t> indices,
                       const PartOutcome& outcome, const LinearizabilityOptions& options,
                       LinearizabilityPart& part) {
  part.order = outcome.order;
  part.stuck = outcome.stuck;
  part.core.assign(indices.begin(), indices.end());
  if (!options.shrink) return;
  if (!explain_appends(check, indices, outcome.culprits, options, part)) {
    Shrinking shrinking(check, indices, options);
    shrinking.run(outcome);
    shrinking.report(part);
    PartOutcome of_core = shrinking.order_core();
    part.core_order = std::move(of_core.order);
    part.core_stuck = of_core.stuck;
  }
  if (part.stuck) return;
  part.order = part.core_order;
  part.stuck = part.core_stuck;
  if (indices.size() > kManyCalls) return;
  find_beginning(check, indices, part.stuck.value_or(last_of(check, part.core)), options, part);
}

}  // namespace heddle
