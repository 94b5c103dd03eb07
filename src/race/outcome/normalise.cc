#include "race/outcome/normalise.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/path_pattern.h"
#include "race/outcome/chance.h"
#include "race/outcome/field_words.h"
#include "race/outcome/list_order.h"
#include "race/outcome/name_flows.h"
#include "race/outcome/tuple_comparison.h"

namespace heddle {

namespace {

// "created_at", "orders.created_at", or a place as a whole.
bool names_place(const std::string& pattern, const std::string& place) {
  if (matches_glob(pattern, place)) return true;
  for (const char* const before : {"*.", "*: ", "* "}) {
    if (matches_glob(before + pattern, place)) return true;
  }
  return false;
}

std::vector<const OutcomeTuple*> all_of(const SerialTuples& serial) {
  std::vector<const OutcomeTuple*> all;
  for (const auto* const runs :
       {&serial.first_then_second, &serial.second_then_first, &serial.alone}) {
    for (const OutcomeTuple& run : *runs) all.push_back(&run);
  }
  return all;
}

std::vector<EqualRuns> equal_runs(const SerialTuples& serial) {
  std::vector<EqualRuns> pairs;
  for (const auto* const runs : {&serial.first_then_second, &serial.second_then_first}) {
    for (std::size_t i = 1; i < runs->size(); ++i) pairs.push_back({runs->data(), &(*runs)[i]});
  }
  return pairs;
}

std::set<std::string> places_of(const SerialTuples& serial) {
  std::set<std::string> places;
  for (const OutcomeTuple* tuple : all_of(serial)) {
    for (const TupleBlock& block : tuple->blocks) {
      for (const TupleRow& row : block.rows) {
        for (const TupleCell& cell : row.cells) {
          if (cell.place != nullptr) places.insert(*cell.place);
        }
      }
    }
  }
  return places;
}

// What the stores say of their columns.
void add_told_rules(const TupleReader& reader, OutcomeRules& rules) {
  for (const auto& [place, column] : reader.filled()) {
    if (column.domain == "clock") {
      rules.places[place] = {.treatment = Treatment::masked};
      continue;
    }
    rules.places[place] = {Treatment::named, column.domain};
    rules.fixed[column.domain].insert(column.before.begin(), column.before.end());
  }
  rules.fixed[std::string(kUuidDomain)] = reader.uuids_before();
  rules.times_before = reader.times_before();
}

// By the names of places: what the team does not want to be compared, and what a stopwatch says.
void add_named_rules(const SerialTuples& serial, const JudgeSettings& settings,
                     OutcomeRules& rules) {
  for (const std::string& place : places_of(serial)) {
    const bool is_masked = std::ranges::any_of(
        settings.masked, [&](const std::string& pattern) { return names_place(pattern, place); });
    if (is_masked) {
      rules.places[place] = {.treatment = Treatment::ignored};
    } else if (names_stopwatch(field_words(place))) {
      rules.places[place] = {.treatment = Treatment::masked};
    }
  }
}

bool are_all_equal(const std::vector<EqualRuns>& pairs, const OutcomeRules& rules) {
  return std::ranges::all_of(
      pairs, [&](const EqualRuns& runs) { return are_equal(*runs.one, *runs.other, rules, {}); });
}

// Names that chance makes may repeat in one run and not in the other, as numbers of threads do:
// then they are no names. One place is given up, else all.
void give_up_names(const std::vector<EqualRuns>& pairs, const std::vector<TokenPlace>& learned,
                   OutcomeRules& rules) {
  for (const TokenPlace& place : learned) {
    const PlaceRule before = std::exchange(rules.tokens[place], {.treatment = Treatment::masked});
    if (are_all_equal(pairs, rules)) return;
    rules.tokens[place] = before;
  }
  for (const TokenPlace& place : learned) rules.tokens[place] = {.treatment = Treatment::masked};
}

std::vector<TokenPlace> named_tokens(const OutcomeRules& rules) {
  std::vector<TokenPlace> named;
  for (const auto& [place, rule] : rules.tokens) {
    if (rule.treatment == Treatment::named) named.push_back(place);
  }
  return named;
}

std::vector<std::string> remaining_trouble(const std::vector<EqualRuns>& pairs,
                                           const OutcomeRules& rules) {
  std::vector<std::string> trouble;
  for (const EqualRuns& runs : pairs) {
    for (const DifferingRows& each : differing_rows(*runs.one, *runs.other, rules, {})) {
      trouble.push_back(fmt::format("{}: what refers to what is not equal", each.title));
    }
  }
  return trouble;
}

}  // namespace

LearnedRules learn_rules(const TupleReader& reader, SerialTuples& serial,
                         const JudgeSettings& settings) {
  LearnedRules learned;
  add_told_rules(reader, learned.rules);
  add_named_rules(serial, settings, learned.rules);
  const std::vector<EqualRuns> pairs = equal_runs(serial);
  learned.unordered = find_unordered_lists(pairs, learned.rules);
  for (auto* const runs : {&serial.first_then_second, &serial.second_then_first, &serial.alone}) {
    for (OutcomeTuple& run : *runs) run = with_unordered_lists(std::move(run), learned.unordered);
  }
  learned.trouble = learn_chance(pairs, learned.rules);
  if (!learned.trouble.empty()) return learned;
  const std::vector<TokenPlace> by_chance = named_tokens(learned.rules);
  for (const TokenPlace& place : by_chance) {
    learned.rules.fixed[learned.rules.tokens[place].domain].merge(
        reader.values_before(place.first));
  }
  learn_name_flows(all_of(serial), learned.rules);
  if (!are_all_equal(pairs, learned.rules)) give_up_names(pairs, by_chance, learned.rules);
  if (!are_all_equal(pairs, learned.rules)) {
    learned.trouble = remaining_trouble(pairs, learned.rules);
  }
  return learned;
}

}  // namespace heddle
