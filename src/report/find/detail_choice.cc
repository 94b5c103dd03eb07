#include "report/find/detail_choice.h"

#include <algorithm>

#include <fmt/format.h>

#include "heddle/verdict.h"

namespace heddle {

namespace {

constexpr std::size_t kFewDetails = 3;
constexpr std::size_t kFewRows = 20;

bool has_status(const CauseRow& row, FindingStatus status) {
  return row.status == to_string(status) && !row.suppressed;
}

std::vector<std::size_t> first_rows(const std::vector<CauseRow>& rows) {
  std::vector<std::size_t> confirmed;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (has_status(rows[i], FindingStatus::confirmed)) confirmed.push_back(i);
    if (!rows[i].suppressed && !has_status(rows[i], FindingStatus::refuted)) open.push_back(i);
  }
  std::vector<std::size_t>& chosen = confirmed.empty() ? open : confirmed;
  if (chosen.size() > kFewDetails) chosen.resize(kFewDetails);
  return chosen;
}

bool is_within(const std::vector<DetailChoice::Range>& ranges, std::size_t number) {
  return std::ranges::any_of(ranges, [&](const DetailChoice::Range& range) {
    return range.first <= number && number <= range.last;
  });
}

}  // namespace

std::vector<std::size_t> chosen_rows(const DetailChoice& choice,
                                     const std::vector<CauseRow>& rows) {
  if (!choice.is_given) return first_rows(rows);
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const CauseRow& row = rows[i];
    const bool is_in_range = is_within(choice.ranges, row.number);
    const bool is_named = std::ranges::find(choice.ids, row.id) != choice.ids.end();
    if (choice.all || is_in_range || is_named) chosen.push_back(i);
  }
  return chosen;
}

std::vector<std::size_t> chosen_failures(const DetailChoice& choice,
                                         const std::vector<std::size_t>& shown) {
  std::vector<std::size_t> chosen;
  for (const std::size_t number : shown) {
    const bool is_first = !choice.is_given && chosen.size() < kFewDetails;
    if (choice.all || is_first || is_within(choice.failures, number)) chosen.push_back(number);
  }
  return chosen;
}

std::size_t rows_in_table(const DetailChoice& choice) {
  return choice.is_given ? static_cast<std::size_t>(-1) : kFewRows;
}

std::vector<std::string> unknown_choices(const DetailChoice& choice,
                                         const std::vector<CauseRow>& rows) {
  std::vector<std::string> unknown;
  for (const DetailChoice::Range& range : choice.ranges) {
    const bool is_there = std::ranges::any_of(rows, [&](const CauseRow& row) {
      return range.first <= row.number && row.number <= range.last;
    });
    if (!is_there) {
      unknown.push_back(range.first == range.last ? fmt::format("{}", range.first)
                                                  : fmt::format("{}-{}", range.first, range.last));
    }
  }
  for (const std::string& id : choice.ids) {
    if (std::ranges::find(rows, id, &CauseRow::id) == rows.end()) unknown.push_back(id);
  }
  return unknown;
}

}  // namespace heddle
