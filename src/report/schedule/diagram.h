// The schedule diagram: one column per session, one row per event of the run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "heddle/finding.h"
#include "report/text/layout.h"

namespace heddle {

// A step that was sent, a step that came back after waiting, or the sessions' setup.
struct DiagramRow {
  std::string label;              // the step's name; "setup"
  std::vector<StyledCell> cells;  // one per column; empty where nothing happens
  bool setup = false;             // what the sessions did before the first step
  std::size_t active = 0;         // the column in which the event happens
  bool wrong = false;             // where the run parts from every serial order
  std::size_t record = 0;         // into Run::records, unless setup
  bool waits = false;             // the step was sent and the store made it wait
  bool resumes = false;           // the step came back after waiting
};

struct Diagram {
  std::vector<std::string> columns;  // the sessions' names
  std::vector<DiagramRow> rows;
};

// The diagram of the run of a finding, with the values its steps read and wrote. Sessions without
// steps in the schedule have no column.
Diagram draw(const Finding& finding);

// A table with a frame, at most as wide as the options say. Where the columns would become too
// narrow to read there is one line per event with the session's name instead.
std::string render_diagram_text(const Diagram& diagram, const TextOptions& options);

std::string render_diagram_markdown(const Diagram& diagram);

}  // namespace heddle
