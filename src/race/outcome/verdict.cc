// The run is compared with both serial orders first: equal to one of them, only the logs are left
// to be looked at. Else, where a request ended with an error, its answer is left out and what the
// rest did is compared with what the rest does alone. What is equal to nothing is confirmed.
#include "race/outcome/verdict.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"
#include "race/outcome/answers.h"
#include "race/outcome/differences.h"
#include "race/outcome/list_order.h"
#include "race/outcome/normalise.h"
#include "race/outcome/outcome_tuple.h"
#include "race/outcome/tuple_comparison.h"

namespace heddle {

struct RaceBaseline {
  SerialRaceRuns serial;
  JudgeSettings settings;
  mutable TupleReader reader;  // it keeps the places of the runs that are judged
  SerialTuples tuples = {};
  OutcomeTuple untouched = {};  // of a run in which nothing is asked for
  const OutcomeTuple* first_alone = nullptr;
  const OutcomeTuple* second_alone = nullptr;
  LearnedRules learned = {};
  ComparedPart part = {};    // without the answers of benign endpoints
  std::string trouble = {};  // why no run can be judged; empty: each can
};

namespace {

std::string serial_trouble(const SerialRaceRuns& serial) {
  for (const auto* const runs : {&serial.first_then_second, &serial.second_then_first}) {
    for (const RacedRun& run : *runs) {
      if (!run.trouble.empty()) return "a serial run does not count: " + run.trouble;
    }
  }
  return "";
}

std::vector<OutcomeTuple> read_runs(const std::vector<RacedRun>& runs, TupleReader& reader) {
  std::vector<OutcomeTuple> tuples;
  for (const RacedRun& run : runs) tuples.push_back(reader.read(run));
  return tuples;
}

bool counts(const std::optional<RacedRun>& run) { return run && run->trouble.empty(); }

void read_lone_runs(RaceBaseline& baseline) {
  const SerialRaceRuns& serial = baseline.serial;
  std::vector<OutcomeTuple>& alone = baseline.tuples.alone;
  if (counts(serial.first_alone)) alone.push_back(baseline.reader.read(*serial.first_alone));
  if (counts(serial.second_alone)) alone.push_back(baseline.reader.read(*serial.second_alone));
  if (counts(serial.first_alone)) baseline.first_alone = &alone.front();
  if (counts(serial.second_alone)) baseline.second_alone = &alone.back();
}

// A benign endpoint may answer what it likes.
ComparedPart compared_part(const SerialRaceRuns& serial, const JudgeSettings& settings) {
  ComparedPart part;
  for (const RacedRequest& request : serial.requests) {
    if (is_of_endpoint(request, settings.benign)) part.without.insert(request.unit);
  }
  return part;
}

// Judges one run.
class RunJudge {
 public:
  RunJudge(const RaceBaseline& baseline, const RacedRun& run)
      : baseline_(baseline),
        run_(run),
        tuple_(with_unordered_lists(baseline.reader.read(run), baseline.learned.unordered)),
        first_(baseline.tuples.first_then_second.front()),
        second_(baseline.tuples.second_then_first.front()) {}

  RaceVerdict judge() {
    const bool is_first = equals(first_, baseline_.part);
    const bool is_second = equals(second_, baseline_.part);
    verdict_.broken = broken_by_overlap();
    if (!verdict_.broken.empty()) return confirm_broken(is_first || is_second);
    if (is_first || is_second) return judge_logs(is_first, is_second);
    return judge_errors();
  }

 private:
  bool equals(const OutcomeTuple& other, const ComparedPart& part) const {
    return are_equal(tuple_, other, baseline_.learned.rules, part);
  }

  std::vector<std::string> broken_by_overlap() const {
    std::set<std::string> kept;
    for (const RacedRun* run : {&baseline_.serial.first_then_second.front(),
                                &baseline_.serial.second_then_first.front()}) {
      for (const std::string& name : broken_in(*run)) kept.insert(name);
    }
    std::vector<std::string> broken = broken_in(run_);
    std::erase_if(broken, [&](const std::string& name) { return kept.contains(name); });
    return broken;
  }

  std::vector<std::string> broken_in(const RacedRun& run) const {
    std::vector<std::string> broken;
    for (const BrokenInvariant& each : run.broken) broken.push_back("invariant " + each.name);
    for (std::string& each : broken_fields(run, baseline_.settings, baseline_.serial.requests)) {
      broken.push_back("that " + std::move(each));
    }
    return broken;
  }

  RaceVerdict confirm(std::string why) {
    verdict_.kind = RaceVerdictKind::confirmed;
    verdict_.why = std::move(why);
    verdict_.differences = differences(baseline_.part);
    return std::move(verdict_);
  }

  // `is_serial`: only what is broken differs from a serial order.
  RaceVerdict confirm_broken(bool is_serial) {
    verdict_ =
        confirm(join(verdict_.broken, ", ") + " does not hold, but after both serial orders");
    if (is_serial) verdict_.differences.clear();
    for (const std::string& name : verdict_.broken) {
      verdict_.differences.push_back({.kind = DifferenceKind::stated,
                                      .subject = name,
                                      .where = name,
                                      .observed = "does not hold",
                                      .first_then_second = "holds",
                                      .second_then_first = "holds"});
    }
    return std::move(verdict_);
  }

  std::vector<RaceDifference> differences(const ComparedPart& part,
                                          const OutcomeTuple* other_alone = nullptr) const {
    return list_differences({&tuple_, &first_, &second_, other_alone}, baseline_.learned.rules,
                            part);
  }

  // What the logs have that a serial run with this outcome has not.
  std::vector<RaceDifference> new_errors(const OutcomeTuple& serial) const {
    std::vector<RaceDifference> found;
    for (const auto& [service, errors] : tuple_.errors) {
      const auto known = serial.errors.find(service);
      for (const auto& [words, times] : errors) {
        if (baseline_.learned.rules.chance_errors.contains(words)) continue;
        if (known != serial.errors.end() && known->second.contains(words)) continue;
        found.push_back({.kind = DifferenceKind::log,
                         .subject = service,
                         .where = "errors in the log of " + service,
                         .observed = tuple_.error_lines.at(words),
                         .first_then_second = "no such error",
                         .second_then_first = "no such error"});
      }
    }
    return found;
  }

  RaceVerdict judge_logs(bool is_first, bool is_second) {
    for (const auto& [is_equal, serial] :
         {std::pair(is_first, &first_), std::pair(is_second, &second_)}) {
      if (!is_equal) continue;
      verdict_.differences = new_errors(*serial);
      if (verdict_.differences.empty()) return {};
    }
    verdict_.kind = RaceVerdictKind::error_under_overlap;
    verdict_.why = "a log has an error that no serial order with this outcome has";
    return std::move(verdict_);
  }

  std::vector<std::uint64_t> requests_with_errors() const {
    std::vector<std::uint64_t> units;
    for (const RacedRequest& request : baseline_.serial.requests) {
      const ObservedResponse* response = find_response(run_, request.unit);
      if (response != nullptr && is_error(*response)) units.push_back(request.unit);
    }
    return units;
  }

  RaceVerdict judge_errors() {
    const std::vector<std::uint64_t> units = requests_with_errors();
    if (units.empty()) return confirm("no serial order has this outcome");
    std::vector<std::set<std::uint64_t>> choices;
    for (const std::uint64_t unit : units) choices.push_back({unit});
    if (units.size() > 1) choices.emplace_back(units.begin(), units.end());
    bool is_known = true;
    for (const std::set<std::uint64_t>& refused : choices) {
      if (is_refused_alike(refused)) return refuse(refused);
      const OutcomeTuple* rest = outcome_without(refused);
      is_known = is_known && rest != nullptr;
      if (rest != nullptr && equals(*rest, without(refused))) return refuse(refused);
    }
    if (!is_known) {
      verdict_.kind = RaceVerdictKind::inconclusive;
      verdict_.why =
          "a request ended with an error, and what the other one does alone is not known";
      return std::move(verdict_);
    }
    return confirm_remains(units);
  }

  ComparedPart without(const std::set<std::uint64_t>& refused) const {
    ComparedPart part = baseline_.part;
    part.without.insert(refused.begin(), refused.end());
    return part;
  }

  // A serial order refuses the same requests, maybe in other words, and all else is equal.
  bool is_refused_alike(const std::set<std::uint64_t>& refused) const {
    for (const auto& [run, tuple] :
         {std::pair(&baseline_.serial.first_then_second.front(), &first_),
          {&baseline_.serial.second_then_first.front(), &second_}}) {
      const RacedRun& serial_run = *run;
      const bool is_alike = std::ranges::all_of(refused, [&](std::uint64_t unit) {
        const ObservedResponse* response = find_response(serial_run, unit);
        return response != nullptr && is_error(*response);
      });
      if (is_alike && equals(*tuple, without(refused))) return true;
    }
    return false;
  }

  // What is there when the rest of the requests runs alone.
  const OutcomeTuple* outcome_without(const std::set<std::uint64_t>& refused) const {
    const std::vector<RacedRequest>& requests = baseline_.serial.requests;
    if (refused.size() == requests.size()) return &baseline_.untouched;
    return refused.contains(requests.front().unit) ? baseline_.second_alone : baseline_.first_alone;
  }

  bool fails_in_some_order(std::uint64_t unit) const {
    for (const RacedRun* run : {&baseline_.serial.first_then_second.front(),
                                &baseline_.serial.second_then_first.front()}) {
      const ObservedResponse* response = find_response(*run, unit);
      if (response != nullptr && is_failure(*response)) return true;
    }
    return false;
  }

  std::string name_of_request(std::uint64_t unit) const {
    const auto found = std::ranges::find(baseline_.serial.requests, unit, &RacedRequest::unit);
    return found->name.empty() ? fmt::format("request {}", unit) : found->name;
  }

  std::string names_of(const std::vector<std::uint64_t>& units) const {
    std::vector<std::string> names;
    for (const std::uint64_t unit : units) names.push_back(name_of_request(unit));
    return join(names, " and ");
  }

  RaceVerdict refuse(const std::set<std::uint64_t>& refused) {
    verdict_.refused.assign(refused.begin(), refused.end());
    const bool is_failed = std::ranges::any_of(refused, [&](std::uint64_t unit) {
      return is_failure(*find_response(run_, unit)) && !fails_in_some_order(unit);
    });
    verdict_.kind = is_failed ? RaceVerdictKind::error_under_overlap : RaceVerdictKind::refused;
    verdict_.why = fmt::format("{} ended with an error, and nothing of it remained",
                               names_of(verdict_.refused));
    verdict_.differences = differences(baseline_.part);
    return std::move(verdict_);
  }

  // Requests ended with errors, and what is there is not what it is without them.
  RaceVerdict confirm_remains(const std::vector<std::uint64_t>& units) {
    verdict_.kind = RaceVerdictKind::confirmed;
    verdict_.refused = units;
    verdict_.why = fmt::format(
        "no serial order has this outcome: {} ended with an error, but what is left is not what is "
        "left without it",
        names_of(units));
    verdict_.differences =
        differences(baseline_.part, outcome_without({units.begin(), units.end()}));
    return std::move(verdict_);
  }

  const RaceBaseline& baseline_;
  const RacedRun& run_;
  const OutcomeTuple tuple_;
  const OutcomeTuple& first_;
  const OutcomeTuple& second_;
  RaceVerdict verdict_;
};

// Of which request the run has no answer, not even that there was none; empty: it has all.
std::string unanswered(const RaceBaseline& baseline, const RacedRun& run) {
  for (const RacedRequest& request : baseline.serial.requests) {
    if (find_response(run, request.unit) == nullptr) return request.name;
  }
  return "";
}

RaceVerdict inconclusive(std::string why) {
  return {.kind = RaceVerdictKind::inconclusive, .why = std::move(why)};
}

bool is_read(const RacedRequest& request) {
  return is_one_of(request.method, {"GET", "HEAD", "OPTIONS"});
}

// Whether one order refuses a request that the other does not. What a read says of the order, and
// what else an answer says, is no effect.
bool differ_in_refusals(const RaceBaseline& baseline) {
  return std::ranges::any_of(baseline.serial.requests, [&](const RacedRequest& request) {
    if (is_read(request) || baseline.part.without.contains(request.unit)) return false;
    const ObservedResponse* first =
        find_response(baseline.serial.first_then_second.front(), request.unit);
    const ObservedResponse* second =
        find_response(baseline.serial.second_then_first.front(), request.unit);
    return first != nullptr && second != nullptr && is_error(*first) != is_error(*second);
  });
}

}  // namespace

std::shared_ptr<const RaceBaseline> learn_baseline(SerialRaceRuns serial,
                                                   const JudgeSettings& settings) {
  HEDDLE_ASSERT(!serial.first_then_second.empty() && !serial.second_then_first.empty());
  TupleReader reader(serial.requests, serial.before);
  auto baseline = std::make_shared<RaceBaseline>(
      RaceBaseline{.serial = std::move(serial), .settings = settings, .reader = std::move(reader)});
  baseline->part = compared_part(baseline->serial, settings);
  baseline->trouble = serial_trouble(baseline->serial);
  if (!baseline->trouble.empty()) return baseline;
  baseline->tuples.first_then_second =
      read_runs(baseline->serial.first_then_second, baseline->reader);
  baseline->tuples.second_then_first =
      read_runs(baseline->serial.second_then_first, baseline->reader);
  read_lone_runs(*baseline);
  baseline->learned = learn_rules(baseline->reader, baseline->tuples, settings);
  if (!baseline->learned.trouble.empty()) {
    baseline->trouble =
        "two runs of one serial order differ: " + join(baseline->learned.trouble, "; ");
  }
  return baseline;
}

RaceVerdict judge_orders(const RaceBaseline& baseline) {
  if (!baseline.trouble.empty()) return inconclusive(baseline.trouble);
  const OutcomeTuple& first = baseline.tuples.first_then_second.front();
  const OutcomeTuple& second = baseline.tuples.second_then_first.front();
  const bool has_equal_rows =
      are_equal(first, second, baseline.learned.rules, {.has_answers = false});
  if (has_equal_rows && !differ_in_refusals(baseline)) return {};
  RaceVerdict verdict{.kind = RaceVerdictKind::order_dependent,
                      .why = "the two serial orders differ in what they leave or refuse"};
  verdict.differences =
      list_differences({&first, nullptr, &second, nullptr}, baseline.learned.rules, baseline.part);
  for (RaceDifference& each : verdict.differences) {
    each.first_then_second = std::exchange(each.observed, "");
  }
  return verdict;
}

RaceVerdict judge_run(const RaceBaseline& baseline, const RacedRun& run, RaceOrder order) {
  if (!baseline.trouble.empty()) return inconclusive(baseline.trouble);
  if (!run.trouble.empty()) return inconclusive("the run does not count: " + run.trouble);
  const std::string missing = unanswered(baseline, run);
  if (!missing.empty()) return inconclusive("how " + missing + " was answered is not known");
  RaceVerdict verdict = RunJudge(baseline, run).judge();
  verdict.is_stale_read =
      order == RaceOrder::after_answer && verdict.kind == RaceVerdictKind::confirmed;
  return verdict;
}

std::vector<std::string> masked_places(const RaceBaseline& baseline) {
  std::set<std::string> places;
  const auto is_left_out = [](const PlaceRule& rule) {
    return rule.treatment == Treatment::masked || rule.treatment == Treatment::ignored;
  };
  for (const auto& [place, rule] : baseline.learned.rules.places) {
    if (is_left_out(rule)) places.insert(place);
  }
  for (const auto& [place, rule] : baseline.learned.rules.tokens) {
    if (is_left_out(rule)) places.insert("a part of " + place.first);
  }
  return {places.begin(), places.end()};
}

}  // namespace heddle
