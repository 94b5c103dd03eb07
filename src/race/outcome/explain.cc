#include "race/outcome/explain.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {

namespace {

// Places that an argument names; whoever wants all looks at the differences.
constexpr std::size_t kMostPlaces = 4;

// What is at the place in some run, as the end of "in that run ...".
std::string place_clause(const RaceDifference& place, const std::string& value) {
  switch (place.kind) {
    case DifferenceKind::status:
      return value == "none" ? place.subject + " got no answer"
                             : fmt::format("{} was answered {}", place.subject, value);
    case DifferenceKind::field:
      return value == "nothing"
                 ? fmt::format("the answer to {} had no {}", place.subject, place.field)
                 : fmt::format("{} in the answer to {} was {}", place.field, place.subject, value);
    case DifferenceKind::rows:
      if (value == "no such row") return place.subject + " had no such row";
      return fmt::format("{} was left {}{}", place.subject,
                         value.starts_with("without ") ? "" : "with ", value);
    case DifferenceKind::log:
      return value == "no such error"
                 ? fmt::format("the log of {} had no such error", place.subject)
                 : fmt::format("the log of {} said \"{}\"", place.subject, value);
    case DifferenceKind::stated:
      return fmt::format("{} {}", place.subject, value == "holds" ? "held" : "did not hold");
  }
  return "";
}

// Statuses tell most and fields least, which only repeat what rows say.
std::vector<RaceDifference> telling_first(std::vector<RaceDifference> places) {
  const auto rank = [](const RaceDifference& place) {
    switch (place.kind) {
      case DifferenceKind::stated:
        return 0;
      case DifferenceKind::status:
        return 1;
      case DifferenceKind::rows:
        return 2;
      default:
        return 3;
    }
  };
  std::ranges::stable_sort(places, {}, rank);
  return places;
}

// What the texts of a member say, of the places that have one there.
std::string clauses(const std::vector<RaceDifference>& places, std::string RaceDifference::* side) {
  std::vector<std::string> said;
  std::size_t left = 0;
  for (const RaceDifference& place : places) {
    if ((place.*side).empty()) continue;
    if (said.size() == kMostPlaces) {
      ++left;
    } else {
      said.push_back(place_clause(place, place.*side));
    }
  }
  if (left > 0) said.push_back(fmt::format("{} more places differed", left));
  if (said.size() < 2) return join(said, "");
  const std::string last = said.back();
  said.pop_back();
  return join(said, ", ") + " and " + last;
}

std::string did_text(const std::string& party, const std::vector<std::string>& statements) {
  return statements.empty() ? "" : fmt::format(" {} did {}.", party, join(statements, ", then "));
}

std::string let_text(const ExplainedRace& race) {
  if (race.is_between_branches) {
    return fmt::format("Let A and B be two branches of {}.", race.first);
  }
  if (race.first == race.second) return fmt::format("Let A and B be two requests {}.", race.first);
  return fmt::format("Let A be {} and B be {}.", race.first, race.second);
}

std::string then_text(const std::vector<RaceDifference>& places, const ExplainedRace& race,
                      RaceOrder order) {
  std::string text;
  if (order == RaceOrder::after_answer) {
    text = fmt::format("{} was sent as soon as {} was answered, before the system was at rest.",
                       race.second_begins ? "A" : "B", race.second_begins ? "B" : "A");
  } else {
    text = race.schedule.empty() ? "A and B overlapped."
                                 : fmt::format("A and B overlapped: {}.", race.schedule);
  }
  text += did_text("A", race.first_statements) + did_text("B", race.second_statements);
  const std::string seen = clauses(places, &RaceDifference::observed);
  return seen.empty() ? text : text + ' ' + capitalized(seen) + '.';
}

// What each serial order has instead.
std::string orders_text(const std::vector<RaceDifference>& places) {
  std::string text;
  const std::string first = clauses(places, &RaceDifference::first_then_second);
  if (!first.empty()) text += fmt::format("When A ended before B began, {}. ", first);
  const std::string second = clauses(places, &RaceDifference::second_then_first);
  if (!second.empty()) text += fmt::format("When B ended before A began, {}. ", second);
  return text;
}

std::string refusal_text(const RaceVerdict& verdict, const std::vector<RaceDifference>& places) {
  const std::string alone = clauses(places, &RaceDifference::other_alone);
  if (verdict.refused.empty() || alone.empty()) return "";
  return fmt::format("The refused request left something: without it, {}. ", alone);
}

std::string however_text(const RaceVerdict& verdict, const std::vector<RaceDifference>& places) {
  switch (verdict.kind) {
    case RaceVerdictKind::confirmed:
      return orders_text(places) + refusal_text(verdict, places) +
             (verdict.broken.empty() ? "No serial order gives all of this."
                                     : "No serial order breaks this.");
    case RaceVerdictKind::refused:
      return fmt::format(
          "{}: what is left is what the rest leaves alone, so that nobody is misled.",
          capitalized(verdict.why));
    case RaceVerdictKind::error_under_overlap:
      return orders_text(places) + capitalized(verdict.why) + '.';
    case RaceVerdictKind::order_dependent:
      return orders_text(places) + "Who is faster decides what is left.";
    case RaceVerdictKind::nothing:
      return "Some serial order gives all of this.";
    case RaceVerdictKind::inconclusive:
      return capitalized(verdict.why) + '.';
  }
  return "";
}

}  // namespace

Explanation explain_verdict(const RaceVerdict& verdict, const ExplainedRace& race,
                            RaceOrder order) {
  const std::vector<RaceDifference> places = telling_first(verdict.differences);
  Explanation explanation;
  explanation.let = let_text(race);
  explanation.then = verdict.kind == RaceVerdictKind::order_dependent
                         ? "A and B ran one after the other, in both orders."
                         : then_text(places, race, order);
  explanation.however = however_text(verdict, places);
  return explanation;
}

}  // namespace heddle
