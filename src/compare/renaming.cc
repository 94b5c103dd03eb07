// Colour refinement with individualisation, as in graph isomorphism (McKay, "Practical graph
// isomorphism", 1981), on rows instead of edges.
//
// All names begin with one colour. A row is then described by its literals and the colours of its
// names, a name by its colour and the rows it stands in; names described differently get different
// colours, until nothing changes. Colours are ranks in sorted lists of descriptions, so renamed
// patterns are coloured alike. Where names still share a colour, one of them is singled out and
// each name of that colour on the other side is tried as its partner. Groups of names that are
// connected by rows and all differ in colour are interchangeable as wholes and need no trying. Real
// outcomes rarely need a second try; patterns made on purpose can need exponentially many, so the
// work is bounded.
#include "compare/renaming.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/assert.h"

namespace heddle {
namespace {

using Colours = std::vector<std::size_t>;  // by name

// Counts what was looked at; the search ends when nothing is left.
class Work {
 public:
  explicit Work(std::size_t limit) : left_(limit) {}

  void spend(std::size_t amount) { left_ -= std::min(amount, left_); }
  bool is_over() const { return left_ == 0; }

 private:
  std::size_t left_;
};

// A row with its names; each name once, at its first place.
struct ShapedRow {
  std::size_t literal_rank = 0;  // of the row's text without names, in Shape::literals
  std::vector<std::size_t> names;
};

struct RowUse {
  std::size_t row = 0;
  std::size_t place = 0;  // in ShapedRow::names
};

// A pattern prepared for refinement.
struct Shape {
  std::string labels;
  std::vector<std::string> literals;  // sorted, one per row
  std::vector<ShapedRow> rows;
  std::vector<std::vector<RowUse>> uses;  // by name
  std::size_t cells = 0;                  // of names
};

// The rank of each key among the distinct keys.
template <class Key>
std::vector<std::size_t> ranks_of(const std::vector<Key>& keys) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  std::vector<std::size_t> ranks(keys.size());
  std::size_t rank = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && keys[order[i - 1]] < keys[order[i]]) ++rank;
    ranks[order[i]] = rank;
  }
  return ranks;
}

// The row's text, each name as the place of its first occurrence in the row.
std::string read_row(const PatternRow& row, std::vector<std::size_t>& names) {
  std::string text;
  for (const PatternCell& cell : row) {
    text += cell.name ? 'n' : 'l';
    append_counted(text, cell.literal);
    if (!cell.name) continue;
    const auto found = std::find(names.begin(), names.end(), *cell.name);
    text += std::to_string(found - names.begin()) + ',';
    if (found == names.end()) names.push_back(*cell.name);
  }
  return text;
}

Shape shape_of(const Pattern& pattern) {
  Shape shape;
  shape.uses.resize(pattern.names);
  for (std::size_t block = 0; block < pattern.blocks.size(); ++block) {
    const PatternBlock& content = pattern.blocks[block];
    append_counted(shape.labels, content.label);
    shape.labels += content.ordered ? 'o' : 'm';
    for (std::size_t i = 0; i < content.rows.size(); ++i) {
      ShapedRow& row = shape.rows.emplace_back();
      const std::string place =
          std::to_string(block) + '.' + (content.ordered ? std::to_string(i) : "") + ' ';
      shape.literals.push_back(place + read_row(content.rows[i], row.names));
    }
  }
  const std::vector<std::size_t> ranks = ranks_of(shape.literals);
  for (std::size_t i = 0; i < shape.rows.size(); ++i) {
    ShapedRow& row = shape.rows[i];
    row.literal_rank = ranks[i];
    shape.cells += row.names.size();
    for (std::size_t place = 0; place < row.names.size(); ++place) {
      HEDDLE_ASSERT(row.names[place] < pattern.names);
      shape.uses[row.names[place]].push_back({i, place});
    }
  }
  std::sort(shape.literals.begin(), shape.literals.end());
  return shape;
}

// One key per row: its literals and the colours of its names.
std::vector<std::vector<std::size_t>> row_keys(const Shape& shape, const Colours& colours) {
  std::vector<std::vector<std::size_t>> keys;
  keys.reserve(shape.rows.size());
  for (const ShapedRow& row : shape.rows) {
    std::vector<std::size_t>& key = keys.emplace_back(1, row.literal_rank);
    for (std::size_t name : row.names) key.push_back(colours[name]);
  }
  return keys;
}

std::size_t count_colours(const Colours& colours) {
  Colours sorted = colours;
  std::sort(sorted.begin(), sorted.end());
  return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
}

// Splits colours until names of one colour stand in rows of the same kinds.
Colours refine(const Shape& shape, Colours colours, Work& work) {
  std::size_t count = count_colours(colours);
  while (!work.is_over()) {
    work.spend(shape.cells + shape.rows.size() + colours.size());
    const std::vector<std::size_t> kinds = ranks_of(row_keys(shape, colours));
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> keys(colours.size());
    for (std::size_t name = 0; name < colours.size(); ++name) {
      for (const RowUse& use : shape.uses[name]) keys[name].emplace_back(kinds[use.row], use.place);
      std::sort(keys[name].begin(), keys[name].end());
      keys[name].insert(keys[name].begin(), {colours[name], 0});
    }
    colours = ranks_of(keys);
    const std::size_t refined = count_colours(colours);
    if (refined == count) break;
    count = refined;
  }
  return colours;
}

std::vector<std::vector<std::size_t>> classes_of(const Colours& colours) {
  std::vector<std::vector<std::size_t>> classes(count_colours(colours));
  for (std::size_t name = 0; name < colours.size(); ++name) classes[colours[name]].push_back(name);
  return classes;
}

// What a coloured pattern looks like to someone who sees colours instead of names.
struct ColouredForm {
  std::vector<std::vector<std::size_t>> rows;  // sorted row keys
  std::vector<std::size_t> class_sizes;

  friend bool operator==(const ColouredForm&, const ColouredForm&) = default;
};

ColouredForm form_of(const Shape& shape, const Colours& colours) {
  ColouredForm form;
  form.rows = row_keys(shape, colours);
  std::sort(form.rows.begin(), form.rows.end());
  for (const auto& names : classes_of(colours)) form.class_sizes.push_back(names.size());
  return form;
}

// Names whose partner is open and that are connected by rows, as the least name among them.
// Names that are alone in their class are no open question and connect nothing.
std::vector<std::size_t> components_of(const Shape& shape, const Colours& colours,
                                       const std::vector<std::vector<std::size_t>>& classes) {
  std::vector<std::size_t> parents(colours.size());
  std::iota(parents.begin(), parents.end(), std::size_t{0});
  const auto root_of = [&](std::size_t name) {
    while (parents[name] != name) name = parents[name] = parents[parents[name]];
    return name;
  };
  for (const ShapedRow& row : shape.rows) {
    std::optional<std::size_t> first;
    for (std::size_t name : row.names) {
      if (classes[colours[name]].size() < 2) continue;
      const auto [low, high] = std::minmax({root_of(name), root_of(first.value_or(name))});
      parents[high] = low;
      first = low;
    }
  }
  for (std::size_t name = 0; name < parents.size(); ++name) parents[name] = root_of(name);
  return parents;
}

// The smallest class whose names need telling apart, or nothing. A component in which each colour
// occurs once can be exchanged as a whole with any other that has one of its colours: colours tell
// its names apart, and names of one colour stand in rows of the same kinds.
std::optional<std::size_t> class_to_split(const Shape& shape, const Colours& colours) {
  const auto classes = classes_of(colours);
  const std::vector<std::size_t> components = components_of(shape, colours, classes);
  std::vector<bool> is_unclear(colours.size());  // by component
  for (const auto& names : classes) {
    std::vector<std::size_t> seen;
    for (std::size_t name : names) seen.push_back(components[name]);
    std::sort(seen.begin(), seen.end());
    for (std::size_t i = 1; i < seen.size(); ++i) {
      if (seen[i - 1] == seen[i]) is_unclear[seen[i]] = true;
    }
  }
  std::optional<std::size_t> best;
  for (std::size_t colour = 0; colour < classes.size(); ++colour) {
    const auto& names = classes[colour];
    if (names.size() < 2 || (best && classes[*best].size() <= names.size())) continue;
    const bool needs_split = std::any_of(
        names.begin(), names.end(), [&](std::size_t name) { return is_unclear[components[name]]; });
    if (needs_split) best = colour;
  }
  return best;
}

Colours single_out(Colours colours, std::size_t name) {
  for (std::size_t& colour : colours) colour = 2 * colour + 1;
  --colours[name];
  return colours;
}

// The names of each class in the order of their components, so that the names of one component of
// one side are paired with those of one component of the other.
std::vector<std::vector<std::size_t>> ordered_classes(const Shape& shape, const Colours& colours) {
  auto classes = classes_of(colours);
  const std::vector<std::size_t> components = components_of(shape, colours, classes);
  for (auto& names : classes) {
    std::sort(names.begin(), names.end(),
              [&](std::size_t a, std::size_t b) { return components[a] < components[b]; });
  }
  return classes;
}

// REQUIRES: equal forms, no class to split.
std::vector<std::size_t> pair_names(const Shape& from, const Colours& left, const Shape& to,
                                    const Colours& right) {
  const auto names = ordered_classes(from, left);
  const auto partners = ordered_classes(to, right);
  std::vector<std::size_t> result(left.size());
  for (std::size_t colour = 0; colour < names.size(); ++colour) {
    for (std::size_t i = 0; i < names[colour].size(); ++i) {
      result[names[colour][i]] = partners[colour][i];
    }
  }
  return result;
}

// A name of `from` was singled out; its partners in `to` are tried one by one.
struct Choice {
  Colours from;  // refined after the singling out
  Colours to;    // before it
  std::vector<std::size_t> candidates;
  std::size_t next = 0;
};

Renaming search_renaming(const Shape& from, const Shape& to, Work& work) {
  std::vector<Choice> choices;
  Colours left = refine(from, Colours(from.uses.size()), work);
  Colours right = refine(to, Colours(to.uses.size()), work);
  while (true) {
    if (work.is_over()) return {RenamingVerdict::unknown, {}};
    if (form_of(from, left) == form_of(to, right)) {
      const std::optional<std::size_t> open = class_to_split(from, left);
      if (!open) return {RenamingVerdict::exists, pair_names(from, left, to, right)};
      const std::size_t name = classes_of(left)[*open].front();
      std::vector<std::size_t> candidates = classes_of(right)[*open];
      choices.push_back({refine(from, single_out(left, name), work), right, std::move(candidates)});
    }
    while (!choices.empty() && choices.back().next == choices.back().candidates.size()) {
      choices.pop_back();
    }
    if (choices.empty()) return {};
    Choice& choice = choices.back();
    left = choice.from;
    right = refine(to, single_out(choice.to, choice.candidates[choice.next++]), work);
  }
}

std::string print_form(const Shape& shape, const Colours& colours) {
  std::string text = shape.labels + '\n';
  for (const std::string& literal : shape.literals) append_counted(text, literal);
  text += '\n';
  const ColouredForm form = form_of(shape, colours);
  for (const auto& row : form.rows) {
    for (std::size_t part : row) text += std::to_string(part) + ' ';
    text += ';';
  }
  text += '\n';
  for (std::size_t size : form.class_sizes) text += std::to_string(size) + ' ';
  return text;
}

}  // namespace

void append_counted(std::string& text, const std::string& part) {
  text += std::to_string(part.size());
  text += ':';
  text += part;
}

Renaming find_renaming(const Pattern& from, const Pattern& to, std::size_t work_limit) {
  const Shape left = shape_of(from);
  const Shape right = shape_of(to);
  if (left.labels != right.labels || left.literals != right.literals || from.names != to.names) {
    return {};
  }
  if (from.names == 0) return {RenamingVerdict::exists, {}};
  Work work(work_limit);
  return search_renaming(left, right, work);
}

std::string renaming_key(const Pattern& pattern, std::size_t work_limit) {
  const Shape shape = shape_of(pattern);
  if (pattern.names == 0) return print_form(shape, {});
  Work work(work_limit);
  Colours colours = refine(shape, Colours(pattern.names), work);
  while (const std::optional<std::size_t> open = class_to_split(shape, colours)) {
    colours = refine(shape, single_out(colours, classes_of(colours)[*open].front()), work);
    if (work.is_over()) break;
  }
  if (!work.is_over()) return print_form(shape, colours);
  std::iota(colours.begin(), colours.end(), std::size_t{0});
  return print_form(shape, colours);
}

}  // namespace heddle
