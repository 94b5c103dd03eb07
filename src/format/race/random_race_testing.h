// Findings of races of random content, in which every member takes every kind of value, for tests.
// They are well-formed and mean nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "format/trace/random_trace_testing.h"
#include "heddle/race_finding.h"

namespace heddle::sample {

class RandomRace {
 public:
  explicit RandomRace(std::uint32_t seed) : random_(seed) {}

  RaceFinding make();

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  bool coin() { return below(2) == 0; }

  template <class Make>
  auto several(const Make& make) {
    std::vector<decltype(make())> values;
    for (std::size_t count = below(4); count > 0; --count) values.push_back(make());
    return values;
  }

  std::string text() {
    static const std::vector<std::string> kParts = {"a",  " ",    "\"",   "\\",   "\n", "é",
                                                    "漢", "\xff", "\xc3", "\x1b", ""};
    std::string result;
    for (std::size_t count = below(5); count > 0; --count) result += kParts[below(kParts.size())];
    return result;
  }

  RaceConflict conflict() {
    return {random_(), random_(), text(), text(), text(), several([&] { return text(); }),
            coin(),    coin(),    coin()};
  }

  RaceRunStep step() {
    RaceRunStep step;
    if (coin()) step.party = below(2);
    step.caller = text();
    step.callee = text();
    step.is_request = coin();
    step.is_outer = coin();
    step.connection = random_();
    step.text = text();
    step.outcome = text();
    step.is_error = coin();
    step.sent = below(9);
    step.answered = below(9);
    step.was_held = coin();
    step.has_waited = coin();
    step.conflicts = coin();
    return step;
  }

  RaceRecording recording() {
    RaceRecording made{
        .first = random_(), .second = random_(), .trace = RandomTrace(random_()).make()};
    Trace kept{.head = made.trace.head};
    kept.statements = std::move(made.trace.statements);
    kept.requests = std::move(made.trace.requests);
    made.trace = std::move(kept);
    made.needs = several([&] { return RaceNeed{random_(), random_(), text(), text()}; });
    made.links = several([&] {
      return RaceLink{random_(), text(), below(9), below(9), below(9),
                      random_(), text(), below(9), text()};
    });
    made.secrets = several([&] { return RaceSecret{text(), random_(), text(), coin()}; });
    made.created = several([&] { return RaceName{random_(), text()}; });
    made.writers = several([&] { return std::uint64_t{random_()}; });
    return made;
  }

  std::mt19937 random_;
};

inline RaceFinding RandomRace::make() {
  RaceFinding finding;
  finding.id = text();
  finding.result = static_cast<RaceResult>(below(10));
  finding.why = text();
  finding.what_helps = text();
  finding.pattern = static_cast<RacePattern>(below(5));
  finding.first_endpoint = text();
  finding.second_endpoint = text();
  finding.is_between_branches = coin();
  finding.conflicts = several([&] { return conflict(); });
  finding.requests = several([&] { return text(); });
  finding.restored = text();
  finding.schedule = text();
  finding.turns = several([&] { return RaceTurn{below(2), text(), text(), text(), below(9)}; });
  finding.steps = several([&] { return step(); });
  if (coin() && !finding.steps.empty()) finding.wrong_step = below(finding.steps.size());
  finding.differences =
      several([&] { return RaceFindingDifference{text(), text(), text(), text()}; });
  finding.broken = several([&] { return text(); });
  finding.explanation = {text(), text(), text()};
  finding.runs = below(100);
  finding.left = below(100);
  finding.masked = several([&] { return text(); });
  if (coin()) finding.recording = recording();
  return finding;
}

}  // namespace heddle::sample
