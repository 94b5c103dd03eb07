#include "report/find/cause_table.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "report/schedule/run_text.h"
#include "report/text/counted.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

// Of a row; the details have all.
constexpr std::size_t kMostPlaces = 2;

std::string printable_list(const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  for (const std::string& text : texts) parts.push_back(printable(text));
  return join(parts, ", ");
}

std::vector<std::string> shown_places(const CauseRow& row) {
  std::vector<std::string> places;
  for (const std::string& place : row.places) {
    if (places.size() == kMostPlaces) break;
    places.push_back(printable(place));
  }
  if (row.places.size() > kMostPlaces) {
    places.push_back(fmt::format("and {} more", row.places.size() - kMostPlaces));
  }
  return places;
}

std::string shown_status(const CauseRow& row) {
  return row.suppressed ? row.status + ", suppressed" : row.status;
}

using Rows = std::vector<const CauseRow*>;

// In the order of their first ones.
std::vector<Rows> grouped(const std::vector<CauseRow>& rows) {
  std::vector<Rows> groups;
  std::map<std::size_t, std::size_t> known;
  for (const CauseRow& row : rows) {
    const auto [place, is_new] = known.try_emplace(row.group, groups.size());
    if (is_new || row.group == 0) {
      place->second = groups.size();
      groups.emplace_back();
    }
    groups[place->second].push_back(&row);
  }
  return groups;
}

std::string numbers_of(const Rows& group) {
  std::vector<std::size_t> numbers;
  for (const CauseRow* row : group) numbers.push_back(row->number);
  return number_ranges(numbers);
}

// A line for each way, unless there are too many of them: then one for each status.
std::vector<std::string> shown_ways(const Rows& group) {
  constexpr std::size_t kMostWays = 4;
  std::vector<std::string> lines = {fmt::format("on {} ways:", group.size())};
  if (group.size() <= kMostWays) {
    for (const CauseRow* row : group) {
      lines.push_back(fmt::format(
          "{} {}, {}", row->number, printable(row->way),
          row->effect.empty() ? shown_status(*row) : shown_status(*row) + " " + row->effect));
    }
    return lines;
  }
  std::vector<std::pair<std::string, Rows>> by_status;
  for (const CauseRow* row : group) {
    const std::string status =
        row->effect.empty() ? shown_status(*row) : shown_status(*row) + " " + row->effect;
    const auto known =
        std::ranges::find(by_status, status, &decltype(by_status)::value_type::first);
    if (known == by_status.end()) {
      by_status.push_back({status, {row}});
    } else {
      known->second.push_back(row);
    }
  }
  for (const auto& [status, of] : by_status) {
    lines.push_back(fmt::format("{} {}", numbers_of(of), status));
  }
  return lines;
}

// What a run of a later call or of another order adds to the diagram before it.
std::string further_text(const FoundBreak& further, const TextOptions& options) {
  std::string text = "\n";
  for (const std::string& name : further.invariants) {
    text += wrapped_text(
        fmt::format("a further run, which breaks the invariant \"{}\":", printable(name)), options);
  }
  return text + "\n" + run_text(further.finding, telling_contrasts(further.finding), options);
}

}  // namespace

std::size_t rows_shown(const std::vector<CauseRow>& rows, std::size_t most) {
  std::size_t shown = 0;
  std::size_t left = most;
  for (const Rows& group : grouped(rows)) {
    if (left-- == 0) break;
    shown += group.size();
  }
  return shown;
}

std::string cause_table_text(const std::vector<CauseRow>& rows, std::size_t most,
                             const TextOptions& options) {
  const bool has_effects =
      std::ranges::any_of(rows, [](const CauseRow& row) { return !row.effect.empty(); });
  const bool has_broken =
      std::ranges::any_of(rows, [](const CauseRow& row) { return !row.broken_invariants.empty(); });
  ListTable table{.header = {"#", "cause", "tables", "status"}, .rows = {}};
  if (has_effects) table.header.emplace_back("effect");
  if (has_broken) table.header.emplace_back("breaks");
  std::size_t left = most;
  for (const Rows& group : grouped(rows)) {
    if (left-- == 0) break;
    const CauseRow& row = *group.front();
    ListTable::Row& line = table.rows.emplace_back();
    line.cells = {numbers_of(group), printable(row.what), printable(row.tables), shown_status(row)};
    if (has_effects) line.cells.push_back(row.effect);
    if (has_broken) line.cells.push_back(printable_list(row.broken_invariants));
    line.below = shown_places(row);
    if (group.size() == 1) continue;
    for (std::string& way : shown_ways(group)) line.below.push_back(std::move(way));
  }
  return render_list_table(table, options);
}

std::string cause_details_text(const CauseDetails& details, const TextOptions& options) {
  std::string text =
      heading_text(fmt::format("{}. {}", details.number, printable(details.title)), options);
  for (const std::string& line : details.about) text += indented_text(2, printable(line), options);
  for (const CauseStatement& statement : details.statements) {
    const std::string place =
        fmt::format("  {}  {}:", printable(statement.transaction), printable(statement.place));
    for (const std::string& line :
         wrap_behind(place, printable(statement.text), options.width, 6)) {
      text += line + "\n";
    }
  }
  for (const std::string& line : details.sentences) {
    text += indented_text(4, printable(line), options);
  }
  if (!details.remarks.empty()) {
    text += indented_text(2, printable(join(details.remarks, "; ")), options);
  }
  if (details.finding != nullptr) {
    text += "\n" + run_text(*details.finding, telling_contrasts(*details.finding), options);
  }
  for (const FoundBreak& further : details.further) text += further_text(further, options);
  return text;
}

}  // namespace heddle
