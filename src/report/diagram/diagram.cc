#include "report/diagram/diagram.h"

#include "base/text.h"

namespace heddle {

namespace {

// One line per event, for more sessions than fit side by side.
Grid as_list(const Diagram& diagram) {
  Grid grid{{"step", diagram.column_word, "what happens"}, {}};
  for (const DiagramRow& row : diagram.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const bool happens = row.setup ? !row.cells[i].empty() : i == row.active;
      if (!happens) continue;
      grid.rows.push_back({{{TextStyle::heading, row.label}},
                           {{TextStyle::plain, diagram.columns[i]}},
                           row.cells[i]});
    }
  }
  return grid;
}

Grid as_table(const Diagram& diagram) {
  Grid grid{{"step"}, {}};
  grid.header.insert(grid.header.end(), diagram.columns.begin(), diagram.columns.end());
  for (const DiagramRow& row : diagram.rows) {
    std::vector<StyledCell> printed = {{{TextStyle::heading, row.label}}};
    printed.insert(printed.end(), row.cells.begin(), row.cells.end());
    grid.rows.push_back(std::move(printed));
  }
  return grid;
}

// A vertical bar would end the cell, also inside a code span.
std::string in_table(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

std::string code_span(const std::string& text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const std::string blank = longest > 0 ? " " : "";
  return fence + blank + in_table(text) + blank + fence;
}

std::string markdown_line(const StyledLine& line) {
  if (line.style == TextStyle::wrong) return "**" + code_span(line.text) + "**";
  if (line.style == TextStyle::stalled) return "*" + in_table(line.text) + "*";
  return code_span(line.text);
}

}  // namespace

std::string render_diagram_text(const Diagram& diagram, const TextOptions& options) {
  constexpr std::size_t kNarrowestColumn = 16;
  const bool fits = options.width >= (diagram.columns.size() + 1) * kNarrowestColumn;
  return render_grid(fits ? as_table(diagram) : as_list(diagram), options);
}

std::string render_diagram_markdown(const Diagram& diagram) {
  const Grid grid = as_table(diagram);
  std::string text = "|";
  for (const std::string& name : grid.header) text += " " + in_table(name) + " |";
  text += "\n|";
  for (std::size_t i = 0; i < grid.header.size(); ++i) text += " --- |";
  text += "\n";
  for (const DiagramRow& row : diagram.rows) {
    text += "| " + code_span(row.label) + " |";
    for (const StyledCell& cell : row.cells) {
      std::vector<std::string> lines;
      for (const StyledLine& line : cell) lines.push_back(markdown_line(line));
      text += " " + join(lines, "<br>") + (lines.empty() ? "|" : " |");
    }
    text += "\n";
  }
  return text;
}

}  // namespace heddle
