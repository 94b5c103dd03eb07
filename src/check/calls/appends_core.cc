// Explains why appends to a key have no order. A text says which appends came before its get, and
// in which order: what all texts of the few calls begin with can stand for itself, and the appends
// that it is made of need not be among them. An order of all calls would be one of these few on a
// key that holds that text at first, for an append that a text does not have comes after its get.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "check/calls/appends.h"
#include "check/calls/decide.h"
#include "check/calls/model_objects.h"

namespace heddle {

namespace {

constexpr std::size_t kFewAppends = 64;  // few enough to try each by itself

// A key that holds a text at first.
class BeginsWith final : public CallModel {
 public:
  BeginsWith(const CallModel& model, std::string text) : model_(model), text_(std::move(text)) {}
  std::string initial() const override { return text_; }
  bool step(std::string& state, const ObjectCall& call) const override {
    return model_.step(state, call);
  }
  bool only_reads(const ObjectCall& call) const override { return model_.only_reads(call); }

 private:
  const CallModel& model_;
  const std::string text_;
};

// What a get returned, and the appends in it as far as it can be cut.
struct CutText {
  std::string text;
  std::vector<std::uint32_t> appends;  // into ObjectHistory::calls
  std::vector<std::size_t> ends;       // of each, in bytes
};

class AppendsCore {
 public:
  AppendsCore(const PartCheck& check, std::span<const std::uint32_t> indices,
              const std::vector<std::uint32_t>& culprits)
      : check_(check), indices_(indices), culprits_(culprits) {}

  // Whether it could be explained so.
  bool explain(const LinearizabilityOptions& options, LinearizabilityPart& part) {
    if (!read_appends() || !cut_texts()) return false;
    const std::size_t begin = common_beginning();
    const std::string beginning = texts_.front().text.substr(0, begin);
    std::vector<std::uint32_t> core = culprits_;
    for (const CutText& cut : texts_) {
      for (std::size_t i = 0; i < cut.appends.size(); ++i) {
        if (cut.ends[i] > begin) core.push_back(cut.appends[i]);
      }
    }
    std::ranges::sort(core);
    core.erase(std::unique(core.begin(), core.end()), core.end());
    const BeginsWith model(check_.model, beginning);
    const PartCheck check{check_.history, model, check_.order, false};
    std::vector<CallUse> uses(core.size(), CallUse::as_it_is);
    PartOutcome outcome = decide(check, core, uses, options);
    if (outcome.verdict != Verdict::violated) return false;
    relax(check, core, uses, options, outcome);
    part.core_order = std::move(outcome.order);
    part.core_stuck = outcome.stuck;
    part.core_begins_with = beginning;
    for (std::size_t i = 0; i < core.size(); ++i) {
      const bool is_unknown = check_.history.calls[core[i]].outcome == CallOutcome::unknown;
      if (is_unknown || uses[i] == CallUse::optional) part.core_optional.push_back(core[i]);
    }
    part.core = std::move(core);
    return true;
  }

 private:
  static PartOutcome decide(const PartCheck& check, std::span<const std::uint32_t> core,
                            std::span<const CallUse> uses, const LinearizabilityOptions& options) {
    BoundMeter meter(options);
    return decide_part(check, core, uses, kNever, meter);
  }

  // Finds appends that need not be where they are.
  void relax(const PartCheck& check, std::span<const std::uint32_t> core,
             std::vector<CallUse>& uses, const LinearizabilityOptions& options,
             PartOutcome& outcome) const {
    if (core.size() > kFewAppends) return;
    for (std::size_t i = 0; i < core.size(); ++i) {
      const ObjectCall& call = check_.history.calls[core[i]];
      if (call.function == ObjectFunction::get || call.outcome != CallOutcome::ok) continue;
      uses[i] = CallUse::optional;
      PartOutcome relaxed = decide(check, core, uses, options);
      if (relaxed.verdict == Verdict::violated) {
        outcome = std::move(relaxed);
      } else {
        uses[i] = CallUse::as_it_is;
      }
    }
  }

  bool read_appends() {
    for (const std::uint32_t i : indices_) {
      const ObjectCall& call = check_.history.calls[i];
      if (call.outcome == CallOutcome::failed) continue;
      if (call.function == ObjectFunction::put) return false;
      if (call.function != ObjectFunction::append) continue;
      if (!appends_.emplace(text_of(check_.history, call.argument), i).second) return false;
      lengths_.insert(text_of(check_.history, call.argument).size());
    }
    return !appends_.empty() && !lengths_.contains(0);
  }

  bool cut_texts() {
    for (const std::uint32_t i : culprits_) {
      const ObjectCall& call = check_.history.calls[i];
      if (call.function != ObjectFunction::get) continue;
      auto cut = cut_text(text_of(check_.history, call.result));
      if (!cut) return false;
      texts_.push_back(std::move(*cut));
    }
    return !texts_.empty();
  }

  // None where it can be cut in several ways, or does not begin as the key does.
  std::optional<CutText> cut_text(std::string text) const {
    CutText cut{.text = std::move(text), .appends = {}, .ends = {}};
    const std::string initial = text_of(check_.history, check_.history.initial);
    if (!cut.text.starts_with(initial)) return std::nullopt;
    std::size_t at = initial.size();
    while (at < cut.text.size()) {
      std::optional<std::uint32_t> next;
      std::size_t end = at;
      for (const std::size_t length : lengths_) {
        const std::string_view piece = std::string_view(cut.text).substr(at, length);
        const auto found = appends_.find(piece);
        if (piece.size() != length || found == appends_.end()) continue;
        if (next) return std::nullopt;
        next = found->second;
        end = at + length;
      }
      if (!next) break;
      cut.appends.push_back(*next);
      cut.ends.push_back(end);
      at = end;
    }
    return cut;
  }

  // The end of the last append that all texts have, in front of those that are at fault.
  std::size_t common_beginning() const {
    std::size_t begin = text_of(check_.history, check_.history.initial).size();
    const CutText& first = texts_.front();
    for (std::size_t i = 0; i < first.appends.size(); ++i) {
      const bool is_shared = std::ranges::all_of(texts_, [&](const CutText& other) {
        return i < other.appends.size() && other.appends[i] == first.appends[i];
      });
      if (!is_shared || std::ranges::binary_search(culprits_, first.appends[i])) break;
      begin = first.ends[i];
    }
    return begin;
  }

  const PartCheck& check_;
  std::span<const std::uint32_t> indices_;
  std::vector<std::uint32_t> culprits_;
  std::map<std::string, std::uint32_t, std::less<>> appends_;
  std::set<std::size_t> lengths_;
  std::vector<CutText> texts_;
};

}  // namespace

bool explain_appends(const PartCheck& check, std::span<const std::uint32_t> indices,
                     const std::vector<std::uint32_t>& culprits,
                     const LinearizabilityOptions& options, LinearizabilityPart& part) {
  const bool is_asked = check.is_own_model && check.order != CallOrder::sequential &&
                        check.history.model == ObjectModel::key_value && !culprits.empty();
  return is_asked && AppendsCore(check, indices, culprits).explain(options, part);
}

}  // namespace heddle
