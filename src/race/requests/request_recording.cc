#include "race/requests/request_recording.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "race/requests/answer_values.h"

namespace heddle {
namespace {

constexpr std::array<std::string_view, 3> kNeedWords = {"value", "row", "memory"};
constexpr std::array<std::string_view, 5> kLinkWords = {"placeholder", "distinctive", "name", "row",
                                                        "only"};

template <typename Enum, std::size_t size>
std::string word_of(Enum value, const std::array<std::string_view, size>& words) {
  return std::string(words[static_cast<std::size_t>(value)]);
}

template <typename Enum, std::size_t size>
std::optional<Enum> value_of(const std::string& word,
                             const std::array<std::string_view, size>& words) {
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) return std::nullopt;
  return static_cast<Enum>(found - words.begin());
}

std::set<std::uint64_t> planned_units(const PairPlan& plan) {
  std::set<std::uint64_t> units(plan.before.begin(), plan.before.end());
  units.insert({plan.first, plan.second});
  return units;
}

// The requests, and the statements in the flows of the two.
Trace planned_part(const Trace& trace, const PairPlan& plan) {
  const std::set<std::uint64_t> units = planned_units(plan);
  Trace part{.head = trace.head};
  std::set<std::uint64_t> flows;
  for (const TraceRequest& each : trace.requests) {
    if (!units.contains(each.unit)) continue;
    if (each.unit == plan.first || each.unit == plan.second) flows.insert(each.flow.number);
    part.requests.push_back(each);
  }
  const auto is_of_flows = [&](std::uint64_t flow) { return flow != 0 && flows.contains(flow); };
  for (const TraceStatement& each : trace.statements) {
    if (is_of_flows(each.flow.number) || std::ranges::any_of(each.flow.candidates, is_of_flows)) {
      part.statements.push_back(each);
    }
  }
  return part;
}

// The recorded requests with the values of each, and of their answers.
class RecordedValues {
 public:
  explicit RecordedValues(const Trace& trace) {
    for (const TraceRequest& each : trace.requests) {
      const std::string resource = resource_of(each.target);
      requests_[each.unit] = {.values = values_of(text_of_request(each), resource),
                              .answer = answer_values(values_of(text_of_answer(each), resource))};
    }
  }

  bool contains(std::uint64_t unit) const { return requests_.contains(unit); }
  const std::vector<MessageValue>& values(std::uint64_t unit) const {
    return requests_.at(unit).values;
  }
  const AnswerValues& answer(std::uint64_t unit) const { return requests_.at(unit).answer; }

 private:
  struct Values {
    std::vector<MessageValue> values;
    AnswerValues answer;
  };
  std::map<std::uint64_t, Values> requests_;
};

RaceLink kept_link(const ValueLink& link, const std::vector<MessageValue>& values) {
  RaceLink kept{.unit = link.unit,
                .place = values[link.value].path,
                .occurrence = 1,
                .begin = link.begin,
                .size = link.size,
                .from = link.from,
                .from_place = link.path,
                .from_begin = link.from_begin,
                .by = word_of(link.evidence, kLinkWords)};
  for (std::size_t i = 0; i < link.value; ++i) kept.occurrence += values[i].path == kept.place;
  return kept;
}

Diagnostic misfit(std::string what) {
  return {.what = std::move(what), .what_to_do = "let heddle race --replay --save write it again"};
}

// Which of the values it is; none: it is not there.
std::optional<std::size_t> value_at(const RaceLink& link, const std::vector<MessageValue>& values) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].path == link.place && ++seen == link.occurrence) return i;
  }
  return std::nullopt;
}

bool is_within(std::size_t begin, std::size_t size, const std::string& text) {
  return begin <= text.size() && size <= text.size() - begin;
}

Result<ValueLink> read_link(const RaceLink& link, const RecordedValues& recorded) {
  const auto evidence = value_of<LinkEvidence>(link.by, kLinkWords);
  if (!evidence || !recorded.contains(link.unit) || !recorded.contains(link.from)) {
    return misfit(fmt::format("a link of unit {} is from nowhere", link.unit));
  }
  const auto value = value_at(link, recorded.values(link.unit));
  const auto source = recorded.answer(link.from).find(link.from_place);
  const bool fits = value && source != recorded.answer(link.from).end() &&
                    is_within(link.begin, link.size, recorded.values(link.unit)[*value].text()) &&
                    is_within(link.from_begin, link.size, source->second.text());
  if (!fits) {
    return misfit(
        fmt::format("a link says that {} of unit {} came from {} of unit {}, where it is "
                    "not",
                    link.place, link.unit, link.from_place, link.from));
  }
  return ValueLink{.unit = link.unit,
                   .value = *value,
                   .begin = link.begin,
                   .size = link.size,
                   .from = link.from,
                   .path = link.from_place,
                   .from_begin = link.from_begin,
                   .evidence = *evidence};
}

// Where a link's part stands in its request.
using PartPlace = std::tuple<std::uint64_t, MessagePart, std::size_t, std::size_t, std::size_t>;

PartPlace part_place(const ValueLink& link, const RecordedValues& recorded) {
  const MessageValue& value = recorded.values(link.unit)[link.value];
  const CodedText part = part_of(value.coded, link.begin, link.size);
  return {link.unit, value.part, value.header, part.begin(), part.end()};
}

// No byte may be replaced twice.
bool have_overlaps(const std::vector<ValueLink>& links, const RecordedValues& recorded) {
  std::vector<PartPlace> places;
  for (const ValueLink& each : links) places.push_back(part_place(each, recorded));
  std::ranges::sort(places);
  for (std::size_t i = 1; i < places.size(); ++i) {
    const auto& [unit, part, header, begin, end] = places[i];
    const auto& [unit_before, part_before, header_before, begin_before, end_before] = places[i - 1];
    const bool are_of_one =
        std::tie(unit, part, header) == std::tie(unit_before, part_before, header_before);
    if (are_of_one && begin < end_before) return true;
  }
  return false;
}

Result<std::vector<ValueLink>> read_links(const RaceRecording& recording,
                                          const RecordedValues& recorded) {
  std::vector<ValueLink> links;
  for (const RaceLink& each : recording.links) {
    auto link = read_link(each, recorded);
    if (!link) return link.error();
    links.push_back(std::move(*link));
  }
  std::ranges::stable_sort(links, {}, [](const ValueLink& link) {
    return std::tuple(link.unit, link.value, link.begin);
  });
  if (have_overlaps(links, recorded)) return misfit("two links are about the same bytes");
  return links;
}

Result<void> check_requests(const RaceRecording& recording, const RecordedValues& recorded) {
  const Trace& trace = recording.trace;
  std::set<std::uint64_t> seen;
  for (const TraceRequest& each : trace.requests) {
    if (!trace.head.edges[each.edge].is_outer) {
      return misfit(fmt::format("the request of unit {} does not come from outside", each.unit));
    }
    if (!seen.insert(each.unit).second) {
      return misfit(fmt::format("there are two requests of unit {}", each.unit));
    }
  }
  if (recording.first > recording.second) return misfit("its second request is the earlier one");
  for (const std::uint64_t unit : {recording.first, recording.second}) {
    if (!recorded.contains(unit)) {
      return misfit(fmt::format("the request of unit {} is not in it", unit));
    }
  }
  return {};
}

}  // namespace

RaceRecording record_requests(const Trace& trace, const RequestDependencies& dependencies,
                              const PairPlan& plan) {
  const std::set<std::uint64_t> units = planned_units(plan);
  RaceRecording recording{
      .first = plan.first, .second = plan.second, .trace = planned_part(trace, plan)};
  const RecordedValues recorded(recording.trace);
  for (const RequestDependency& each : dependencies.each) {
    if (!units.contains(each.unit) || !units.contains(each.on)) continue;
    recording.needs.push_back({each.unit, each.on, word_of(each.kind, kNeedWords), each.what});
  }
  for (const ValueLink& each : dependencies.links) {
    if (!units.contains(each.unit) || !units.contains(each.from)) continue;
    recording.links.push_back(kept_link(each, recorded.values(each.unit)));
  }
  for (const auto& [placeholder, secret] : dependencies.client_secrets) {
    if (!units.contains(secret.unit)) continue;
    recording.secrets.push_back({placeholder, secret.unit, secret.field, secret.is_in_body});
  }
  for (const CreatedName& each : dependencies.created) {
    if (units.contains(each.unit)) recording.created.push_back({each.unit, each.value});
  }
  for (const std::uint64_t unit : dependencies.writers) {
    if (units.contains(unit)) recording.writers.push_back(unit);
  }
  return recording;
}

Result<RequestDependencies> recorded_dependencies(const RaceRecording& recording) {
  const RecordedValues recorded(recording.trace);
  if (auto checked = check_requests(recording, recorded); !checked) return checked.error();
  RequestDependencies dependencies;
  for (const RaceNeed& each : recording.needs) {
    const auto kind = value_of<RequestDependencyKind>(each.by, kNeedWords);
    if (!kind || !recorded.contains(each.unit) || !recorded.contains(each.on)) {
      return misfit(fmt::format("what unit {} needs of unit {} is not known", each.unit, each.on));
    }
    dependencies.each.push_back({each.unit, each.on, *kind, each.what});
  }
  std::ranges::stable_sort(dependencies.each, {}, [](const RequestDependency& each) {
    return std::tuple(each.unit, each.on, each.kind);
  });
  auto links = read_links(recording, recorded);
  if (!links) return links.error();
  dependencies.links = std::move(*links);
  for (const RaceSecret& each : recording.secrets) {
    dependencies.client_secrets[each.placeholder] = {each.unit, each.field, each.is_in_body};
  }
  for (const RaceName& each : recording.created) {
    dependencies.created.push_back({each.unit, each.value});
  }
  dependencies.writers.insert(recording.writers.begin(), recording.writers.end());
  return dependencies;
}

}  // namespace heddle
