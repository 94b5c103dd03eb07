// Mermaid's sequence diagrams: the sessions and the store are participants, a step is a message to
// the store, what came back is its answer. Mermaid ends a statement at a semicolon, reads "#" as
// the beginning of a character code and gives meaning to colons, per cents and angle brackets, so
// all of these are written as character codes; line ends are <br/>.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/diagram/diagram.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

constexpr std::size_t kMessageWidth = 44;
constexpr std::size_t kNoteWidth = 72;

// A colon inside of a word, or after "wrap", would be read as a part of Mermaid's own syntax.
bool is_plain_colon(std::string_view text, std::size_t at) {
  return at + 1 < text.size() && text[at + 1] == ' ' && !text.substr(0, at).ends_with("wrap");
}

std::string plain(std::string_view text) {
  constexpr std::string_view kSpecial = "#;:%<>&\"'`{}\\";
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool special =
        kSpecial.find(c) != std::string_view::npos && !(c == ':' && is_plain_colon(text, at));
    result += special ? fmt::format("#{};", static_cast<int>(c)) : std::string(1, c);
  }
  return result;
}

std::string wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string& line : wrap(text, width)) lines.push_back(plain(line));
  return join(lines, "<br/>");
}

std::string wrapped(const std::vector<std::string>& texts, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string& text : texts) lines.push_back(wrapped(text, width));
  return join(lines, "<br/>");
}

std::vector<std::string> texts_of(const StyledCell& cell, std::size_t first) {
  std::vector<std::string> texts;
  for (std::size_t i = first; i < cell.size(); ++i) texts.push_back(cell[i].text);
  return texts;
}

bool has_error(const StyledCell& cell) {
  for (const StyledLine& line : cell) {
    if (line.style == TextStyle::error || line.text.starts_with("✗")) return true;
  }
  return false;
}

class MermaidDiagram {
 public:
  explicit MermaidDiagram(const Diagram& diagram) : diagram_(diagram) {}

  std::string render(const DiagramNotes& notes) {
    text_ = "sequenceDiagram\n";
    add("title " + plain(notes.title));
    for (std::size_t i = 0; i < diagram_.columns.size(); ++i) {
      add(fmt::format("participant p{} as {}", i + 1, plain(diagram_.columns[i])));
    }
    add_stores();
    if (!notes.above.empty()) note_over_all({notes.above});
    for (const DiagramRow& row : diagram_.rows) add_row(row);
    for (const std::vector<std::string>& note : notes.below) note_over_all(note);
    return text_;
  }

 private:
  void add(const std::string& line) { text_ += "  " + line + "\n"; }

  // Several stores have names.
  void add_stores() {
    for (std::size_t i = 0; i < diagram_.stores.size(); ++i) {
      const std::string name = plain(diagram_.stores[i]);
      add("participant " + store_id(i) + " as " + (name.empty() ? "store" : name));
    }
  }

  std::string store_id(std::size_t store) const {
    return diagram_.stores.size() < 2 ? "store" : fmt::format("store{}", store + 1);
  }
  // Everything; where nobody takes a step there is nothing but the stores.
  std::string all_participants() const {
    const std::string last = store_id(std::max<std::size_t>(diagram_.stores.size(), 1) - 1);
    if (!diagram_.columns.empty()) return "p1," + last;
    return diagram_.stores.size() < 2 ? last : store_id(0) + "," + last;
  }

  void note_over_all(const std::vector<std::string>& texts) {
    add("Note over " + all_participants() + ": " + wrapped(texts, kNoteWidth));
  }

  void add_row(const DiagramRow& row) {
    if (row.setup) return add_setup(row);
    if (row.wrong) add("rect rgb(255, 226, 220)");
    const std::string session = fmt::format("p{}", row.active + 1);
    const StyledCell& cell = row.cells[row.active];
    if (row.resumes && !row.let_go) {
      add_answer(row, 0, row.label + ": ");
    } else if (row.skipped || row.held || row.folded) {
      add_note(row, session);
    } else {
      add(session + "->>" + store_id(row.store) + ": " + step_text(row.label, cell));
      if (row.waits) {
        add("Note over " + session + ": " + wrapped(texts_of(cell, 1), kMessageWidth));
      } else if (!row.open) {
        add_answer(row, 1, "");
      }
    }
    if (row.wrong) add("end");
  }

  // What was not sent, or not for the reader.
  void add_note(const DiagramRow& row, const std::string& session) {
    const StyledCell& cell = row.cells[row.active];
    std::string text = step_text(row.label, cell);
    if (cell.size() > 1) text += "<br/>" + wrapped(texts_of(cell, 1), kMessageWidth);
    add("Note over " + session + ": " + text);
  }

  void add_setup(const DiagramRow& row) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (row.cells[i].empty()) continue;
      add(fmt::format("Note over p{}: {}", i + 1, step_text(row.label, row.cells[i])));
    }
  }

  void add_answer(const DiagramRow& row, std::size_t first, const std::string& label) {
    const StyledCell& cell = row.cells[row.active];
    std::vector<std::string> texts = texts_of(cell, first);
    if (texts.empty()) texts = {"done"};
    texts[0] = label + texts[0];
    const std::string arrow = has_error(cell) ? "--x" : "-->>";
    add(fmt::format("{}{}p{}: {}", store_id(row.store), arrow, row.active + 1,
                    wrapped(texts, kMessageWidth)));
  }

  static std::string step_text(const std::string& label, const StyledCell& cell) {
    return wrapped(label + ": " + cell[0].text, kMessageWidth);
  }

  const Diagram& diagram_;
  std::string text_;
};

}  // namespace

std::string render_mermaid(const Diagram& diagram, const DiagramNotes& notes) {
  return MermaidDiagram(diagram).render(notes);
}

}  // namespace heddle
