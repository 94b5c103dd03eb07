// Sets. Without reads of the whole set, elements have nothing to do with each other: each is
// decided alone, by the search, over two states; the orders are merged by letting each call happen
// as early as its place in its own order lets it. Sets that only grow, whose reads return the whole
// set, and to which each element is added once, have one possible order of levels: reads by
// inclusion, and each addition between the last read that lacks it and the first that has it. What
// is added and read in one level must not return before something in a level in front of it is
// called. O(n log n) in the size of what was read.
#include <algorithm>
#include <unordered_map>

#include "check/calls/elements.h"
#include "check/calls/model_objects.h"
#include "check/calls/search.h"

namespace heddle {

namespace {

bool is_whole_read(const RankedCall& call) { return call.call->function == ObjectFunction::read; }

// The problem of some calls of another one, with the same ranks.
CallProblem problem_of(const CallProblem& whole, const std::vector<std::uint32_t>& places) {
  CallProblem part;
  part.history = whole.history;
  part.order = whole.order;
  part.calls.reserve(places.size());
  std::vector<std::uint32_t> ranks;
  for (const std::uint32_t place : places) {
    part.calls.push_back(whole.calls[place]);
    ranks.push_back(part.calls.back().called);
    if (part.calls.back().returned != kNeverReturns) ranks.push_back(part.calls.back().returned);
  }
  std::ranges::sort(ranks);
  const auto rank_of = [&ranks](std::uint32_t rank) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(ranks, rank) - ranks.begin());
  };
  for (RankedCall& call : part.calls) {
    call.called = rank_of(call.called);
    if (call.returned != kNeverReturns) call.returned = rank_of(call.returned);
  }
  part.events = static_cast<std::uint32_t>(ranks.size());
  return part;
}

QuickOutcome order_by_element(const CallProblem& problem, BoundMeter& meter) {
  std::unordered_map<std::int64_t, std::uint32_t> numbers;
  std::vector<std::vector<std::uint32_t>> calls_of;
  for (std::uint32_t i = 0; i < problem.calls.size(); ++i) {
    const auto [entry, is_new] =
        numbers.emplace(problem.calls[i].call->argument.code, calls_of.size());
    if (is_new) calls_of.emplace_back();
    calls_of[entry->second].push_back(i);
  }
  const std::unique_ptr<CallModel> model = make_model(*problem.history);
  std::vector<PlacedCall> placed;
  std::int64_t turn = 0;
  for (const std::vector<std::uint32_t>& places : calls_of) {
    const SearchOutcome outcome = search_order(problem_of(problem, places), *model, meter);
    if (outcome.verdict == Verdict::unknown) return {};
    if (outcome.verdict == Verdict::violated) return violated(places);
    std::uint32_t gap = 0;
    for (const std::uint32_t i : outcome.order) {
      gap = std::max(gap, problem.calls[places[i]].called);
      placed.push_back({gap, 0, turn++, places[i]});
    }
  }
  return confirmed(problem, sorted_calls(std::move(placed)));
}

// A set that only grows, and is read as a whole.
class LevelOrder {
 public:
  explicit LevelOrder(const CallProblem& problem) : problem_(problem) {}

  QuickOutcome run() {
    for (std::uint32_t i = 0; i < problem_.calls.size(); ++i) {
      if (!read_call(i)) return {};
    }
    std::ranges::sort(reads_, [](const Read& a, const Read& b) {
      return std::pair(a.elements.size(), a.call) < std::pair(b.elements.size(), b.call);
    });
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      if (auto outcome = set_levels(i)) return *outcome;
    }
    for (const auto& [code, add] : adds_) {
      const bool is_read = add.level != kNoLevel;
      if (is_read || problem_.calls[add.call].certain) {
        placed_.push_back({is_read ? add.level : behind_all(), 0, add.call, add.call});
      }
    }
    return order_levels();
  }

 private:
  static constexpr std::uint32_t kNoLevel = kNoCall;
  struct Add {
    std::uint32_t call = 0;
    std::uint32_t level = kNoLevel;
  };
  struct Read {
    std::vector<std::int64_t> elements;  // sorted
    std::uint32_t call = 0;
    std::uint32_t level = 0;
  };

  std::uint32_t behind_all() const { return static_cast<std::uint32_t>(reads_.size()) + 1; }

  // False: this is not such a set.
  bool read_call(std::uint32_t i) {
    const ObjectCall& call = *problem_.calls[i].call;
    if (call.function == ObjectFunction::add && result_of(call) == kUnseen) {
      return adds_.emplace(call.argument.code, Add{i, kNoLevel}).second;
    }
    if (call.function != ObjectFunction::read) return false;
    if (!problem_.calls[i].certain) return true;
    if (result_of(call) == kUnseen) {
      blind_.push_back(i);
      return true;
    }
    Read read = {{}, i, 0};
    for (const Value value : problem_.history->lists[ListId(call.result.code)]) {
      read.elements.push_back(value.code);
    }
    std::ranges::sort(read.elements);
    read.elements.erase(std::unique(read.elements.begin(), read.elements.end()),
                        read.elements.end());
    reads_.push_back(std::move(read));
    return true;
  }

  // What a read has that the one in front of it lacks was added between them.
  std::optional<QuickOutcome> set_levels(std::size_t i) {
    Read& read = reads_[i];
    const Read* before = i > 0 ? &reads_[i - 1] : nullptr;
    if (before && !std::ranges::includes(read.elements, before->elements)) {
      return violated({read.call, before->call});
    }
    const bool is_same = before && before->elements.size() == read.elements.size();
    read.level = is_same ? before->level : static_cast<std::uint32_t>(i) + 1;
    placed_.push_back({read.level, 1, read.call, read.call});
    if (is_same) return std::nullopt;
    for (const std::int64_t element : read.elements) {
      const auto add = adds_.find(element);
      if (add == adds_.end()) return violated({read.call});
      if (add->second.level == kNoLevel) add->second.level = read.level;
    }
    return std::nullopt;
  }

  // By level; then by gap, so that what was not told what it read finds a place.
  QuickOutcome order_levels() {
    std::ranges::sort(placed_);
    std::uint32_t latest = 0;
    std::uint32_t latest_call = 0;
    std::vector<PlacedCall> by_gap;
    for (const PlacedCall& placed : placed_) {
      const RankedCall& call = problem_.calls[placed.call];
      if (call.returned < latest) return conflict(placed.call, latest_call);
      if (call.called >= latest) {
        latest = call.called;
        latest_call = placed.call;
      }
      by_gap.push_back({latest, 0, static_cast<std::int64_t>(by_gap.size()), placed.call});
    }
    for (const std::uint32_t i : blind_) by_gap.push_back({problem_.calls[i].called, 1, 0, i});
    return confirmed(problem_, sorted_calls(std::move(by_gap)));
  }

  // With the reads, which hold the levels in place.
  QuickOutcome conflict(std::uint32_t a, std::uint32_t b) const {
    std::vector<std::uint32_t> culprits = {a, b};
    for (const Read& read : reads_) culprits.push_back(read.call);
    for (const auto& [code, add] : adds_) {
      if (add.level != kNoLevel) culprits.push_back(add.call);
    }
    return violated(std::move(culprits));
  }

  const CallProblem& problem_;
  std::unordered_map<std::int64_t, Add> adds_;
  std::vector<Read> reads_;
  std::vector<std::uint32_t> blind_;
  std::vector<PlacedCall> placed_;
};

// What LevelOrder keeps of reads, and what the replay of one takes.
std::uint64_t bytes_read(const CallProblem& problem) {
  constexpr std::uint64_t kKept = sizeof(std::int64_t);
  constexpr std::uint64_t kReplayed = 64;  // a node of std::set
  std::uint64_t total = 0;
  std::uint64_t largest = 0;
  for (const RankedCall& call : problem.calls) {
    if (!is_whole_read(call) || !call.call->result_is_list) continue;
    const std::uint64_t size = problem.history->lists[ListId(call.call->result.code)].size();
    total += size;
    largest = std::max(largest, size);
  }
  return total * kKept + largest * kReplayed;
}

}  // namespace

QuickOutcome order_set(const CallProblem& problem, BoundMeter& meter) {
  if (std::ranges::none_of(problem.calls, is_whole_read)) return order_by_element(problem, meter);
  const MemoryShare share(meter, bytes_read(problem));
  return share.is_granted() ? LevelOrder(problem).run() : QuickOutcome();
}

}  // namespace heddle
