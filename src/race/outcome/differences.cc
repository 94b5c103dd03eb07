#include "race/outcome/differences.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {

namespace {

constexpr std::size_t kMostRows = 5;
constexpr std::size_t kLongestCell = 120;

std::string cell_shown(const TupleCell& cell) {
  if (cell.is_null) return "NULL";
  if (cell.text.size() <= kLongestCell) return cell.text;
  return cell.text.substr(0, kLongestCell) + "...";
}

// "(id=4, status=paid)".
std::string table_row_text(const TupleRow& row) {
  std::vector<std::string> cells;
  for (const TupleCell& cell : row.cells) {
    const std::size_t dot = cell.place->rfind('.');
    cells.push_back(cell.place->substr(dot + 1) + '=' + cell_shown(cell));
  }
  return fmt::format("{}({})", row.label == "gone" ? "without " : "", join(cells, ", "));
}

// What an answer has there: without what kind of JSON value it is, or all of an element of a list
// without an order.
std::string answer_row_text(const TupleRow& row) {
  if (row.cells.size() < 3) return cell_shown(row.cells.back());
  std::string text;
  for (const TupleCell& cell : row.cells) text += cell_shown(cell);
  return text;
}

// "status of A", "A: $.refund", "rows of orders-db: orders".
std::string where_of(const DifferingRows& rows, const TupleRow& row) {
  if (rows.kind == BlockKind::table) return "rows of " + rows.title;
  if (row.label == "status") return "status of " + rows.title;
  return rows.title + ": " + row.label;
}

using RowSet = std::vector<const TupleRow*>;

// The rows of one place that differ somewhere, in each of the runs.
struct PlaceRows {
  BlockKind kind = BlockKind::answer;
  std::string subject;
  std::string label;
  RowSet run;
  RowSet first_then_second;
  RowSet second_then_first;
  RowSet other_alone;
  std::vector<RowSet PlaceRows::*> differing = {};  // the others that differ from the run
};

DifferenceKind kind_of_place(const PlaceRows& place) {
  if (place.kind == BlockKind::table) return DifferenceKind::rows;
  return place.label == "status" ? DifferenceKind::status : DifferenceKind::field;
}

bool differs(const PlaceRows& place, RowSet PlaceRows::* side) {
  return std::ranges::find(place.differing, side) != place.differing.end();
}

void add_once(RowSet& rows, const TupleRow* row) {
  if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
}

std::string rows_shown(const RowSet& rows, BlockKind kind) {
  if (rows.empty()) return kind == BlockKind::table ? "no such row" : "nothing";
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < rows.size() && i < kMostRows; ++i) {
    texts.push_back(kind == BlockKind::table ? table_row_text(*rows[i])
                                             : answer_row_text(*rows[i]));
  }
  std::ranges::sort(texts);
  if (rows.size() > kMostRows) {
    texts.push_back(fmt::format("and {} more", rows.size() - kMostRows));
  }
  return join(texts, ", ");
}

class DifferenceList {
 public:
  DifferenceList(const OutcomeRules& rules, const OutcomeTuple& run) : rules_(rules), run_(run) {}

  void add(const OutcomeTuple* other, RowSet PlaceRows::* side, const ComparedPart& part) {
    if (other == nullptr) return;
    for (const DifferingRows& each : differing_rows(run_, *other, rules_, part)) {
      for (const TupleRow* row : each.one) add_once(place_for(each, *row, side).run, row);
      for (const TupleRow* row : each.other) (place_for(each, *row, side).*side).push_back(row);
    }
  }

  std::vector<RaceDifference> finish() const {
    std::vector<RaceDifference> list;
    for (const auto& [key, place] : places_) {
      const auto shown = [&](RowSet PlaceRows::* side) {
        if (!differs(place, side)) return std::string();
        return rows_shown(place.*side, place.kind);
      };
      list.push_back({.kind = kind_of_place(place),
                      .subject = place.subject,
                      .field = place.kind == BlockKind::table ? "" : place.label,
                      .where = key.second,
                      .observed = rows_shown(place.run, place.kind),
                      .first_then_second = shown(&PlaceRows::first_then_second),
                      .second_then_first = shown(&PlaceRows::second_then_first),
                      .other_alone = shown(&PlaceRows::other_alone)});
    }
    return list;
  }

 private:
  PlaceRows& place_for(const DifferingRows& rows, const TupleRow& row, RowSet PlaceRows::* side) {
    PlaceRows& place = places_[{rows.kind, where_of(rows, row)}];
    place.kind = rows.kind;
    place.subject = rows.title;
    place.label = row.label;
    if (!differs(place, side)) place.differing.push_back(side);
    return place;
  }

  const OutcomeRules& rules_;
  const OutcomeTuple& run_;
  std::map<std::pair<BlockKind, std::string>, PlaceRows> places_;
};

}  // namespace

std::vector<RaceDifference> list_differences(const ComparedRuns& runs, const OutcomeRules& rules,
                                             const ComparedPart& part) {
  DifferenceList list(rules, *runs.run);
  list.add(runs.first_then_second, &PlaceRows::first_then_second, part);
  list.add(runs.second_then_first, &PlaceRows::second_then_first, part);
  list.add(runs.other_alone, &PlaceRows::other_alone, {.has_answers = false});
  return list.finish();
}

}  // namespace heddle
