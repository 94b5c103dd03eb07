#include "report/find/cause_table.h"

#include <algorithm>

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

std::string cause_table_text(const std::vector<CauseRow>& rows, std::size_t most,
                             const TextOptions& options) {
  const bool has_effects =
      std::ranges::any_of(rows, [](const CauseRow& row) { return !row.effect.empty(); });
  const bool has_broken =
      std::ranges::any_of(rows, [](const CauseRow& row) { return !row.broken_invariants.empty(); });
  ListTable table{.header = {"#", "cause", "tables", "status"}, .rows = {}};
  if (has_effects) table.header.emplace_back("effect");
  if (has_broken) table.header.emplace_back("breaks");
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
    const CauseRow& row = rows[i];
    ListTable::Row& line = table.rows.emplace_back();
    line.cells = {fmt::format("{}", row.number), printable(row.what), printable(row.tables),
                  shown_status(row)};
    if (has_effects) line.cells.push_back(row.effect);
    if (has_broken) line.cells.push_back(printable_list(row.broken_invariants));
    line.below = shown_places(row);
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
