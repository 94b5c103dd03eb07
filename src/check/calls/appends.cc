// Keys that texts are appended to, each text once, and that are read whole. The longest text that
// was read tells the order of the appends in it, and each other one how many of them came before
// its get: all calls have a place in one order, up to gets of the same text and appends that nobody
// saw, which come last. There is an order if and only if that one keeps to the calls' times. Where
// a text can be cut into appends in several ways, nothing is known. O(n log n), and each text is
// read once.
#include "check/calls/appends.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "check/calls/elements.h"
#include "check/calls/model_objects.h"

namespace heddle {

std::string text_of(const ObjectHistory& history, Value value) {
  return value == kNil ? std::string() : history.texts.to_string(value);
}

CutText cut_into_appends(std::string_view text, std::size_t from, const AppendedTexts& appends) {
  std::set<std::size_t> lengths;
  for (const auto& [appended, call] : appends) lengths.insert(appended.size());
  CutText cut;
  while (from < text.size()) {
    std::optional<std::uint32_t> next;
    std::size_t end = from;
    for (const std::size_t length : lengths) {
      const std::string_view piece = text.substr(from, length);
      const auto found = appends.find(piece);
      if (piece.size() != length || found == appends.end()) continue;
      cut.is_ambiguous = cut.is_ambiguous || next.has_value();
      next = found->second;
      end = from + length;
    }
    if (!next || cut.is_ambiguous) return cut;
    cut.appends.push_back(*next);
    cut.ends.push_back(end);
    from = end;
  }
  return cut;
}

namespace {

// The calls of one place in the order.
struct AppendPlace {
  std::vector<std::uint32_t> calls;
};

class AppendOrder {
 public:
  explicit AppendOrder(const CallProblem& problem) : problem_(problem) {}

  QuickOutcome run() {
    if (!read_calls()) return {};
    if (auto outcome = find_longest()) return *outcome;
    if (auto outcome = cut_longest()) return *outcome;
    if (is_ambiguous_) return {};
    if (auto outcome = place_calls()) return *outcome;
    if (auto outcome = find_inversion()) return *outcome;
    return confirmed(problem_, order());
  }

 private:
  const RankedCall& at(std::uint32_t i) const { return problem_.calls[i]; }

  bool read_calls() {
    using enum ObjectFunction;
    for (std::uint32_t i = 0; i < problem_.calls.size(); ++i) {
      const ObjectCall& call = *at(i).call;
      if (call.function == append) {
        std::string text = text_of(*problem_.history, call.argument);
        if (text.empty() || !appends_.emplace(std::move(text), i).second) return false;
      } else if (call.function != get) {
        return false;
      } else if (result_of(call) == kUnseen) {
        if (at(i).certain) blind_.push_back(i);
      } else if (at(i).certain) {
        gets_[call.result.code].push_back(i);
      }
    }
    return !appends_.empty();
  }

  // Texts of which neither begins with the other are of no one object.
  std::optional<QuickOutcome> find_longest() {
    longest_ = text_of(*problem_.history, problem_.history->initial);
    initial_size_ = longest_.size();
    for (const auto& [code, calls] : gets_) {
      std::string text = text_of(*problem_.history, at(calls.front()).call->result);
      const bool is_longer = text.size() > longest_.size();
      const std::string_view shorter = is_longer ? longest_ : text;
      if (!std::string_view(is_longer ? text : longest_).starts_with(shorter)) {
        std::vector<std::uint32_t> culprits = {calls.front()};
        if (longest_get_) culprits.push_back(*longest_get_);
        return violated(std::move(culprits));
      }
      sizes_[text.size()].insert(sizes_[text.size()].end(), calls.begin(), calls.end());
      if (!is_longer) continue;
      longest_ = std::move(text);
      longest_get_ = calls.front();
    }
    if (!sizes_.empty() && sizes_.begin()->first < initial_size_) {
      return violated({sizes_.begin()->second.front()});
    }
    return std::nullopt;
  }

  // Into the appends that it is made of.
  std::optional<QuickOutcome> cut_longest() {
    CutText cut = cut_into_appends(longest_, initial_size_, appends_);
    std::set<std::uint32_t> taken;
    for (const std::uint32_t call : cut.appends) {
      if (!taken.insert(call).second) return violated({*longest_get_, call});
    }
    is_ambiguous_ = cut.is_ambiguous;
    if (is_ambiguous_) return std::nullopt;
    chain_ = std::move(cut.appends);
    ends_ = {initial_size_};
    ends_.insert(ends_.end(), cut.ends.begin(), cut.ends.end());
    if (ends_.back() < longest_.size()) return violated({*longest_get_});
    return std::nullopt;
  }

  // 2 k: gets of the first k appends; 2 k - 1: the append before them; behind all: who was not
  // seen.
  std::optional<QuickOutcome> place_calls() {
    places_.resize(2 * chain_.size() + 2);
    for (const auto& [size, calls] : sizes_) {
      const auto end = std::ranges::lower_bound(ends_, size);
      if (end == ends_.end() || *end != size) return violated({calls.front(), *longest_get_});
      const auto place = static_cast<std::size_t>(2 * (end - ends_.begin()));
      places_[place].calls = calls;
    }
    std::vector<bool> is_seen(problem_.calls.size(), false);
    for (std::size_t k = 0; k < chain_.size(); ++k) {
      places_[2 * k + 1].calls = {chain_[k]};
      is_seen[chain_[k]] = true;
    }
    for (const auto& [text, call] : appends_) {
      if (!is_seen[call] && at(call).certain) places_.back().calls.push_back(call);
    }
    for (AppendPlace& place : places_) {
      std::ranges::sort(place.calls, {}, [&](std::uint32_t i) { return at(i).called; });
    }
    return std::nullopt;
  }

  // A call that returned before one was called that has a place in front of it.
  std::optional<QuickOutcome> find_inversion() const {
    std::optional<std::uint32_t> latest;
    for (const AppendPlace& place : places_) {
      for (const std::uint32_t i : place.calls) {
        if (latest && at(i).returned < at(*latest).called) return inversion(*latest, i);
      }
      for (const std::uint32_t i : place.calls) {
        if (!latest || at(i).called > at(*latest).called) latest = i;
      }
    }
    return std::nullopt;
  }

  // Two appends need a get that shows their order.
  QuickOutcome inversion(std::uint32_t first, std::uint32_t second) const {
    const bool are_appends = at(first).call->function == ObjectFunction::append &&
                             at(second).call->function == ObjectFunction::append;
    if (!are_appends) return violated({first, second});
    return violated({first, second, *longest_get_});
  }

  // Gets that were not told what they read stand behind the last call that came before them.
  std::vector<std::uint32_t> order() const {
    std::vector<std::uint32_t> placed;
    for (const AppendPlace& place : places_) {
      placed.insert(placed.end(), place.calls.begin(), place.calls.end());
    }
    std::vector<PlacedCall> all;
    std::vector<std::uint32_t> returned_until(placed.size());  // the earliest return from there on
    std::uint32_t earliest = kNeverReturns;
    for (std::size_t i = placed.size(); i-- > 0;) {
      earliest = std::min(earliest, at(placed[i]).returned);
      returned_until[i] = earliest;
    }
    for (std::uint32_t i = 0; i < placed.size(); ++i) all.push_back({i, 0, 0, placed[i]});
    for (const std::uint32_t get : blind_) {
      const auto behind = std::ranges::partition_point(
          returned_until, [&](std::uint32_t moment) { return moment < at(get).called; });
      const auto count = static_cast<std::uint32_t>(behind - returned_until.begin());
      // In the gap behind so many calls.
      all.push_back({count == 0 ? 0 : count - 1, count == 0 ? 0U : 1U,
                     count == 0 ? -1 : std::int64_t{at(get).called}, get});
    }
    return sorted_calls(std::move(all));
  }

  const CallProblem& problem_;
  AppendedTexts appends_;
  std::map<std::int64_t, std::vector<std::uint32_t>> gets_;  // by what they returned
  std::map<std::size_t, std::vector<std::uint32_t>> sizes_;  // by the size of that
  std::vector<std::uint32_t> blind_;                         // gets without a result
  std::string longest_;
  std::optional<std::uint32_t> longest_get_;
  std::size_t initial_size_ = 0;
  std::vector<std::uint32_t> chain_;  // the appends of the longest text
  std::vector<std::size_t> ends_;     // where the text ends before the first and behind each
  bool is_ambiguous_ = false;
  std::vector<AppendPlace> places_;
};

}  // namespace

QuickOutcome order_appends(const CallProblem& problem) { return AppendOrder(problem).run(); }

}  // namespace heddle
