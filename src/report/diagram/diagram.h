// The schedule diagram: who goes when, what each of them saw, and where it went wrong. One column
// per session, or whoever takes turns, and one row per event. It knows neither what they are nor
// what they run.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/text/layout.h"

namespace heddle {

// A step that was sent, a step that came back after waiting, or what went before the first step.
struct DiagramRow {
  std::string label;              // the step's name; "setup"
  std::vector<StyledCell> cells;  // one per column; empty where nothing happens
  bool setup = false;             // what the columns did before the first step
  std::size_t active = 0;         // the column in which the event happens
  bool wrong = false;             // where the run parts from every serial order
  std::size_t record = 0;         // the number of the step in the run, unless setup
  bool waits = false;             // the step was sent and was made to wait
  bool resumes = false;           // the step came back after waiting
  bool skipped = false;           // the step was not run
  std::size_t store = 0;          // into Diagram::stores: whom it was sent to
  bool open = false;              // the step was sent, and its answer is another row
  bool held = false;              // the step waits because it was not sent yet
  bool let_go = false;            // the step that was held was sent now
  bool folded = false;  // several steps that matter less: their number is all that is told
};

struct Diagram {
  std::vector<std::string> columns;  // names
  std::vector<std::string> stores;   // what the steps were sent to; one that may have no name
  std::vector<DiagramRow> rows;
  std::string column_word = "session";  // what a column is
};

// A dependency of a cycle as a diagram shows it: an arrow from one of its rows to another, and a
// sentence.
struct ShownDependency {
  std::string label;     // "1 rw"
  std::string sentence;  // "s2 reads account(id=1) in r2, s1 overwrites it in w1"
  // Rows of the diagram, where both ends are in it: a session's order needs no arrow.
  struct Arrow {
    std::size_t from = 0;
    std::size_t to = 0;
  };
  std::optional<Arrow> arrow;
};

// A table with a frame, at most as wide as the options say. Where the columns would become too
// narrow to read there is one line per event with the column's name instead.
std::string render_diagram_text(const Diagram& diagram, const TextOptions& options);

std::string render_diagram_markdown(const Diagram& diagram);

// What stands around a sequence diagram.
struct DiagramNotes {
  std::string title;
  std::string above;                            // the rows
  std::vector<std::vector<std::string>> below;  // each of several lines
};

// As Mermaid's sequence diagram.
std::string render_mermaid(const Diagram& diagram, const DiagramNotes& notes);

}  // namespace heddle
