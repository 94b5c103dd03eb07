#include "frontend/spec/permutation_links.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/spec/text/spec_token.h"

namespace heddle {

namespace {

constexpr std::string_view kUseStepName = "use the name of a step of one of the sessions";

class PermutationLinker {
 public:
  PermutationLinker(const PermutationText& text, const Scenario& scenario,
                    const StepNames& step_names)
      : text_(text), scenario_(scenario), step_names_(step_names) {}

  Result<Permutation> link() {
    Permutation permutation;
    permutation.position = text_.position;
    for (const PlacedStepText& placed : text_.steps) {
      const auto found = step_names_.find(placed.name);
      if (found == step_names_.end()) return unknown_step(placed);
      permutation.steps.push_back({found->second, {}});
      if (const std::optional<StepId> early = too_early(permutation)) {
        return comes_first(placed, *early);
      }
    }
    // Markers may name steps that come later, so all steps are linked before.
    for (std::size_t i = 0; i < text_.steps.size(); ++i) {
      for (const BlockerText& blocker : text_.steps[i].blockers) {
        if (std::optional<Diagnostic> error = link_blocker(blocker, permutation.steps[i])) {
          return *std::move(error);
        }
      }
    }
    return permutation;
  }

 private:
  std::optional<Diagnostic> link_blocker(const BlockerText& text, PlacedStep& placed) const {
    Blocker blocker{text.kind, StepId(), text.notices};
    if (text.kind != Blocker::Kind::once) {
      const bool present = std::ranges::any_of(
          text_.steps, [&text](const PlacedStepText& step) { return step.name == text.name; });
      if (!present) return absent_blocker(text);
      blocker.step = step_names_.find(text.name)->second;
      if (session_of(blocker.step) == session_of(placed.step)) {
        return own_session(text, scenario_.steps[placed.step.index()].name);
      }
    }
    placed.blockers.push_back(blocker);
    return std::nullopt;
  }

  // A step before the last one whose session has to wait for that of the last one.
  std::optional<StepId> too_early(const Permutation& permutation) const {
    const SessionId last = session_of(permutation.steps.back().step);
    if (!scenario_.sessions[last.index()].is_first) return std::nullopt;
    for (const PlacedStep& placed : permutation.steps) {
      const SessionId other = session_of(placed.step);
      const bool is_before =
          scenario_.sessions[other.index()].is_first && other.value <= last.value;
      if (!is_before) return placed.step;
    }
    return std::nullopt;
  }

  Diagnostic comes_first(const PlacedStepText& placed, StepId early) const {
    const SessionId session = session_of(step_names_.find(placed.name)->second);
    return error(
        placed.position,
        fmt::format("\"{}\" is of the session \"{}\", which comes first, and stands behind "
                    "\"{}\"",
                    placed.name, scenario_.sessions[session.index()].name,
                    scenario_.steps[early.index()].name),
        "put the steps of sessions that are first before all others");
  }

  SessionId session_of(StepId step) const { return scenario_.steps[step.index()].session; }

  Diagnostic unknown_step(const PlacedStepText& placed) const {
    std::vector<std::string> names;
    names.reserve(scenario_.steps.size());
    for (const Step& step : scenario_.steps) names.push_back(step.name);
    // What was meant may also be one of heddle's own items after the permutation.
    const std::vector<std::string> words(extension_words().begin(), extension_words().end());
    if (closest_word(placed.name, names).empty() && !is_extension_word(placed.name)) {
      const std::string item = closest_word(placed.name, words);
      if (!item.empty()) names = {item};
    }
    return error(placed.position, fmt::format("unknown step \"{}\" in a permutation", placed.name),
                 advise_names(placed.name, names, kUseStepName));
  }

  Diagnostic absent_blocker(const BlockerText& blocker) const {
    std::vector<std::string> names;
    for (const PlacedStepText& step : text_.steps) {
      if (std::ranges::find(names, step.name) == names.end()) {
        names.push_back(step.name);
      }
    }
    return error(
        blocker.position,
        fmt::format("the marker names the step \"{}\", which this permutation does not have",
                    blocker.name),
        advise_names(blocker.name, names, kUseStepName));
  }

  Diagnostic own_session(const BlockerText& blocker, const std::string& step) const {
    return error(
        blocker.position,
        fmt::format(R"(step "{}" cannot wait for "{}" of its own session)", step, blocker.name),
        "name a step of another session");
  }

  Diagnostic error(SourcePosition position, std::string what, std::string what_to_do) const {
    return {std::move(what), std::move(what_to_do), scenario_.file, position};
  }

  const PermutationText& text_;
  const Scenario& scenario_;
  const StepNames& step_names_;
};

}  // namespace

Result<Permutation> link_permutation(const PermutationText& text, const Scenario& scenario,
                                     const StepNames& step_names) {
  return PermutationLinker(text, scenario, step_names).link();
}

std::vector<Diagnostic> unused_steps(const Scenario& scenario) {
  if (scenario.permutations.empty()) return {};
  std::map<std::string_view, SourcePosition> unused;
  for (const Step& step : scenario.steps) {
    // Nobody knows how many of them a call needs.
    if (scenario.sessions[step.session.index()].call) continue;
    unused.emplace(step.name, step.position);
  }
  for (const Permutation& permutation : scenario.permutations) {
    for (const PlacedStep& placed : permutation.steps) {
      unused.erase(scenario.steps[placed.step.index()].name);
    }
  }
  std::vector<Diagnostic> warnings;
  warnings.reserve(unused.size());
  for (const auto& [name, position] : unused) {
    warnings.push_back({fmt::format("unused step name: {}", name),
                        "use it in a permutation or remove it", scenario.file, position});
  }
  return warnings;
}

bool parse_count(std::string_view digits, std::uint32_t& count) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return error == std::errc() && end == digits.data() + digits.size();
}

}  // namespace heddle
