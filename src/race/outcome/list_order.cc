#include "race/outcome/list_order.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "race/outcome/tuple_comparison.h"

namespace heddle {

namespace {

// The way to a field, cut behind an index: "$.lines[3].price" is the element "$.lines[3]" of the
// list "$.lines[]", and has ".price".
struct ElementPlace {
  std::string list;
  std::string element;
  std::string rest;
};

// All cuts of the way, from the left. Keys with signs in them are texts of JSON in brackets.
std::vector<ElementPlace> element_places(const std::string& path) {
  std::vector<ElementPlace> places;
  std::string list;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '[' || i + 1 == path.size()) {
      list += path[i];
      continue;
    }
    if (is_digit(path[i + 1])) {
      const std::size_t end = path.find(']', i);
      list += "[]";
      places.push_back({list, path.substr(0, end + 1), path.substr(end + 1)});
      i = end;
      continue;
    }
    const std::size_t end = path.find("\"]", i + 2);
    if (end == std::string::npos) break;
    list += path.substr(i, end + 2 - i);
    i = end + 1;
  }
  return places;
}

// Of each list its elements in their order, each as a text without names.
using ListTexts = std::map<std::string, std::vector<std::pair<std::string, std::string>>>;

ListTexts list_texts(const OutcomeTuple& tuple, const OutcomeRules& rules) {
  ListTexts lists;
  for (const TupleBlock& block : tuple.blocks) {
    if (block.kind != BlockKind::answer) continue;
    for (const TupleRow& row : block.rows) {
      for (ElementPlace& place : element_places(row.label)) {
        auto& elements = lists[block.title + ": " + place.list];
        if (elements.empty() || elements.back().first != place.element) {
          elements.emplace_back(place.element, "");
        }
        TupleRow inner = row;
        inner.label = place.rest;
        elements.back().second += outline_text(tuple, inner, rules) + '\n';
      }
    }
  }
  return lists;
}

std::vector<std::string> texts_of(const ListTexts::mapped_type& elements) {
  std::vector<std::string> texts;
  for (const auto& [element, text] : elements) texts.push_back(text);
  return texts;
}

// The outermost of the lists that the field is in.
std::optional<ElementPlace> unordered_place(const TupleBlock& block, const TupleRow& row,
                                            const std::set<std::string>& lists) {
  for (ElementPlace& place : element_places(row.label)) {
    if (lists.contains(block.title + ": " + place.list)) return std::move(place);
  }
  return std::nullopt;
}

TupleBlock gathered(TupleBlock block, const std::set<std::string>& lists) {
  std::vector<TupleRow> rows;
  std::map<std::string, std::size_t> row_of_element;
  for (TupleRow& row : block.rows) {
    const auto place = unordered_place(block, row, lists);
    if (!place) {
      rows.push_back(std::move(row));
      continue;
    }
    const auto [found, is_new] = row_of_element.emplace(place->element, rows.size());
    if (is_new) rows.push_back({place->list, {}});
    std::vector<TupleCell>& cells = rows[found->second].cells;
    cells.push_back({.place = nullptr, .is_null = false, .text = place->rest + " "});
    std::ranges::move(row.cells, std::back_inserter(cells));
  }
  block.rows = std::move(rows);
  return block;
}

}  // namespace

std::set<std::string> find_unordered_lists(const std::vector<EqualRuns>& pairs,
                                           const OutcomeRules& rules) {
  std::set<std::string> unordered;
  for (const EqualRuns& runs : pairs) {
    const ListTexts one = list_texts(*runs.one, rules);
    const ListTexts other = list_texts(*runs.other, rules);
    for (const auto& [list, elements] : one) {
      const auto found = other.find(list);
      if (found == other.end()) continue;
      std::vector<std::string> left = texts_of(elements);
      std::vector<std::string> right = texts_of(found->second);
      if (left == right) continue;
      std::ranges::sort(left);
      std::ranges::sort(right);
      if (left == right) unordered.insert(list);
    }
  }
  return unordered;
}

OutcomeTuple with_unordered_lists(OutcomeTuple tuple, const std::set<std::string>& lists) {
  if (lists.empty()) return tuple;
  for (TupleBlock& block : tuple.blocks) {
    if (block.kind == BlockKind::answer) block = gathered(std::move(block), lists);
  }
  return tuple;
}

}  // namespace heddle
