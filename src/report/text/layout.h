// Texts on a terminal: safe to print, wrapped by words, in a grid.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.h"
#include "report/text/text_options.h"

namespace heddle {

// Texts are wrapped no narrower, however narrow the terminal is.
constexpr std::size_t kNarrowestText = 20;

// SQL on one line: white space and comments outside quotes become one blank, the final semicolon
// goes.
std::string one_line(std::string_view sql);

// The text cut to `width` columns, with an ellipsis where something was cut.
std::string shorten(std::string_view text, std::size_t width);

// Lines of at most `width` columns, broken between words where possible; all but the first are
// indented by `hanging`. A word that names a file is never broken, however wide it is.
// REQUIRES: printable text, width > hanging + 1.
std::vector<std::string> wrap(std::string_view text, std::size_t width, std::size_t hanging = 0);

// The same; `keeps_files`: whether words that name files may be wider than a line.
std::vector<std::string> wrap_words(std::string_view text, std::size_t width, std::size_t hanging,
                                    bool keeps_files);

// The same with `prefix` in front, which is never broken, whatever is in it: a place with its file.
std::vector<std::string> wrap_behind(const std::string& prefix, std::string_view text,
                                     std::size_t width, std::size_t hanging);

// The same in as few lines as possible, and then in as even ones as possible, so that no line is
// left with a word. REQUIRES: width > 0.
std::vector<std::string> wrap_evenly(const std::string& text, std::size_t width);

// What a piece of text is, which decides its colour.
enum class TextStyle { plain, heading, frame, step, read, write, stalled, commit, error, wrong };

// The text in the colour of its style, when colours are asked for.
std::string paint(std::string_view text, TextStyle style, const TextOptions& options);

struct StyledLine {
  TextStyle style = TextStyle::plain;
  std::string text;

  friend bool operator==(const StyledLine&, const StyledLine&) = default;
};
using StyledCell = std::vector<StyledLine>;

// The lines of the cell, each wrapped evenly.
StyledCell wrap_cell(const StyledCell& cell, std::size_t width);

// A table with a header and a frame. Columns are as wide as their content while that fits into the
// options' width; the widest shrink first.
struct Grid {
  std::vector<std::string> header;
  std::vector<std::vector<StyledCell>> rows;  // one cell per column
};
std::string render_grid(const Grid& grid, const TextOptions& options);

// A table without a frame, which programs can read by lines. Below a row stand texts that are never
// broken, as many on a line as fit.
struct ListTable {
  struct Row {
    std::vector<std::string> cells;  // one per column
    std::vector<std::string> below;
  };
  std::vector<std::string> header;
  std::vector<Row> rows;
};
std::string render_list_table(const ListTable& table, const TextOptions& options);

}  // namespace heddle
