// Mermaid's sequence diagrams: the sessions and the store are participants, a step is a message to
// the store, what came back is its answer. Mermaid ends a statement at a semicolon, reads "#" as
// the beginning of a character code and gives meaning to colons, per cents and angle brackets, so
// all of these are written as character codes; line ends are <br/>.

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/explore/explore_reports.h"
#include "report/schedule/diagram.h"
#include "report/schedule/summary.h"
#include "report/text/layout.h"
#include "report/text/markup.h"

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
  explicit MermaidDiagram(const Finding& finding) : finding_(finding), diagram_(draw(finding)) {}

  std::string render() {
    text_ = "sequenceDiagram\n";
    add("title " + plain(finding_heading(finding_)));
    for (std::size_t i = 0; i < diagram_.columns.size(); ++i) {
      add(fmt::format("participant p{} as {}", i + 1, plain(diagram_.columns[i])));
    }
    add_stores();
    note_over_all(at_level(finding_.isolation, finding_.scenario));
    for (const DiagramRow& row : diagram_.rows) add_row(row);
    for (const Contrast& contrast : contrasts(finding_)) add_contrast(contrast);
    for (const std::string& line : broken_invariants(finding_)) note_over_all(line);
    return text_;
  }

 private:
  void add(const std::string& line) { text_ += "  " + line + "\n"; }

  // Several stores have names.
  void add_stores() {
    const std::vector<StoreDeclaration>& stores = finding_.scenario.stores;
    if (stores.size() < 2) {
      const std::string store = printable(finding_.store);
      add("participant store as " + (store.empty() ? "store" : plain(store)));
      return;
    }
    for (std::size_t i = 0; i < stores.size(); ++i) {
      add("participant " + store_id(i) + " as " + plain(printable(stores[i].name)));
    }
  }

  std::string store_id(std::size_t store) const {
    return finding_.scenario.stores.size() < 2 ? "store" : fmt::format("store{}", store + 1);
  }
  std::string store_of(const DiagramRow& row) const {
    const StepId step = finding_.run.records[row.record].step;
    return store_id(finding_.scenario.steps[step.index()].sql.store);
  }
  // Everything; sessions without a single step leave nothing but the store.
  std::string all_participants() const {
    const std::size_t stores = finding_.scenario.stores.size();
    const std::string last = store_id(stores == 0 ? 0 : stores - 1);
    if (!diagram_.columns.empty()) return "p1," + last;
    return stores < 2 ? last : store_id(0) + "," + last;
  }

  void note_over_all(const std::string& text) {
    const std::string over = all_participants();
    add("Note over " + over + ": " + wrapped(text, kNoteWidth));
  }

  void add_row(const DiagramRow& row) {
    if (row.setup) return add_setup(row);
    if (row.wrong) add("rect rgb(255, 226, 220)");
    const std::string session = fmt::format("p{}", row.active + 1);
    const StyledCell& cell = row.cells[row.active];
    if (row.resumes) {
      add_answer(row, 0, row.label + ": ");
    } else if (finding_.run.records[row.record].skipped) {
      add("Note over " + session + ": " + step_text(row.label, cell) + "<br/>" +
          wrapped(texts_of(cell, 1), kMessageWidth));
    } else {
      add(session + "->>" + store_of(row) + ": " + step_text(row.label, cell));
      if (row.waits) {
        add("Note over " + session + ": " + wrapped(texts_of(cell, 1), kMessageWidth));
      } else {
        add_answer(row, 1, "");
      }
    }
    if (row.wrong) add("end");
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
    add(fmt::format("{}{}p{}: {}", store_of(row), arrow, row.active + 1,
                    wrapped(texts, kMessageWidth)));
  }

  static std::string step_text(const std::string& label, const StyledCell& cell) {
    return wrapped(label + ": " + cell[0].text, kMessageWidth);
  }

  void add_contrast(const Contrast& contrast) {
    std::vector<std::string> lines = {contrast.where, "this run: " + contrast.observed};
    for (const Contrast::Side& side : contrast.serial) lines.push_back(side.who + ": " + side.text);
    add("Note over " + all_participants() + ": " + wrapped(lines, kNoteWidth));
  }

  const Finding& finding_;
  Diagram diagram_;
  std::string text_;
};

std::string diagram_of_nothing(const ExploredScenario& explored) {
  std::string text = "sequenceDiagram\n  title " + plain(printable(explored.scenario.file)) + "\n";
  const std::string store = printable(explored.report.store);
  text += "  participant store as " + (store.empty() ? "store" : plain(store)) + "\n";
  for (const std::string& line : nothing_to_draw(explored)) {
    text += "  Note over store: " + wrapped(line, kNoteWidth) + "\n";
  }
  return text;
}

struct TitledDiagram {
  std::string title;
  std::string text;
};

std::vector<TitledDiagram> diagrams_of(const ExploredScenario& explored) {
  const std::string file = printable(explored.scenario.file);
  std::vector<TitledDiagram> diagrams;
  for (const Finding* finding : findings_to_draw(explored.report)) {
    diagrams.push_back({file + ": " + finding_heading(*finding), render_mermaid(*finding)});
  }
  if (diagrams.empty()) diagrams.push_back({file, diagram_of_nothing(explored)});
  return diagrams;
}

}  // namespace

std::string render_mermaid(const Finding& finding) { return MermaidDiagram(finding).render(); }

std::string render_mermaid(std::span<const ExploredScenario> explored) {
  std::vector<TitledDiagram> diagrams;
  for (const ExploredScenario& one : explored) {
    for (TitledDiagram& diagram : diagrams_of(one)) diagrams.push_back(std::move(diagram));
  }
  if (diagrams.empty()) {
    return "sequenceDiagram\n  participant store\n  Note over store: nothing was explored\n";
  }
  if (diagrams.size() == 1) return diagrams[0].text;
  std::string text;
  for (const TitledDiagram& diagram : diagrams) {
    text += (text.empty() ? "## " : "\n## ") + markdown_text(diagram.title) + "\n\n";
    text += "```mermaid\n" + diagram.text + "```\n";
  }
  return text;
}

}  // namespace heddle
