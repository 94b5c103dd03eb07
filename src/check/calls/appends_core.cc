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

// What a get returned, and what that is made of.
struct GotText {
  std::string text;
  CutText cut;
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
    for (const auto& [text, cut] : texts_) {
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
    }
    return !appends_.empty() && !appends_.contains("");
  }

  bool cut_texts() {
    for (const std::uint32_t i : culprits_) {
      const ObjectCall& call = check_.history.calls[i];
      if (call.function != ObjectFunction::get) continue;
      std::string text = text_of(check_.history, call.result);
      const std::string initial = text_of(check_.history, check_.history.initial);
      if (!text.starts_with(initial)) return false;
      CutText cut = cut_into_appends(text, initial.size(), appends_);
      if (cut.is_ambiguous) return false;
      texts_.push_back({std::move(text), std::move(cut)});
    }
    return !texts_.empty();
  }

  // The end of the last append that all texts have, in front of those that are at fault.
  std::size_t common_beginning() const {
    std::size_t begin = text_of(check_.history, check_.history.initial).size();
    const CutText& first = texts_.front().cut;
    for (std::size_t i = 0; i < first.appends.size(); ++i) {
      const bool is_shared = std::ranges::all_of(texts_, [&](const GotText& other) {
        return i < other.cut.appends.size() && other.cut.appends[i] == first.appends[i];
      });
      if (!is_shared || std::ranges::binary_search(culprits_, first.appends[i])) break;
      begin = first.ends[i];
    }
    return begin;
  }

  const PartCheck& check_;
  std::span<const std::uint32_t> indices_;
  std::vector<std::uint32_t> culprits_;
  AppendedTexts appends_;
  std::vector<GotText> texts_;
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
