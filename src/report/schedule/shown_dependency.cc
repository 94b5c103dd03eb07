#include <map>

#include <fmt/format.h>

#include "report/schedule/finding_diagram.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

class DependencyTexts {
 public:
  DependencyTexts(const Finding& finding, const Diagram& diagram) : finding_(finding) {
    // A step that waited took effect in the row in which it came back, which is the later one.
    for (std::size_t i = 0; i < diagram.rows.size(); ++i) {
      if (!diagram.rows[i].setup) rows_[diagram.rows[i].record] = i;
    }
  }

  ShownDependency show(const DependencyEdge& edge, std::size_t number) const {
    ShownDependency shown;
    shown.label = fmt::format("{} {}", number, to_string(edge.kind));
    const std::string from = transaction(edge.from);
    const std::string to = transaction(edge.to);
    if (edge.kind == DependencyKind::so) {
      shown.sentence = from + " comes before " + to + " in their session";
      return shown;
    }
    if (edge.kind == DependencyKind::rt) {
      shown.sentence = from + " ended before " + to + " began";
      return shown;
    }
    shown.arrow = arrow(edge.from_operation, edge.to_operation);
    shown.sentence = from + " " + first_half(edge) + place(edge.from_operation) + ", " + to + " " +
                     second_half(edge) + place(edge.to_operation);
    return shown;
  }

  // A read of what must not be read: from the write of that version, as far as it was seen.
  ShownDependency show_illegal_read(OperationId read) const {
    const Operation& operation = finding_.history.operations[read.index()];
    ShownDependency shown;
    shown.label = "1 wr";
    shown.sentence = transaction(operation.transaction) + " reads" + place(read) +
                     " what it must not see: the version " +
                     (operation.kind == OperationKind::predicate_read ? "that matches"
                                                                      : version_text(operation));
    for (std::size_t i = 0; i < finding_.history.operations.size(); ++i) {
      const Operation& write = finding_.history.operations[i];
      if (write.kind != OperationKind::write || write.version != operation.version) continue;
      shown.arrow = arrow(OperationId(i), read);
      shown.sentence += " written by " + transaction(write.transaction) + place(OperationId(i));
      break;
    }
    return shown;
  }

 private:
  std::string transaction(TransactionId id) const {
    return printable(finding_.history.transactions[id.index()].name);
  }

  std::string row_text(RowId row) const {
    return printable(to_string(finding_.history.rows[row.index()]));
  }

  std::string version_text(const Operation& operation) const {
    return "of " + row_text(finding_.history.versions[operation.version.index()].row);
  }

  std::string first_half(const DependencyEdge& edge) const {
    if (edge.kind != DependencyKind::rw) return "writes " + row_text(edge.row);
    return "reads " + (edge.predicate ? "the rows that match a condition" : row_text(edge.row));
  }

  std::string second_half(const DependencyEdge& edge) const {
    if (edge.kind == DependencyKind::wr) return "reads it";
    return edge.predicate ? "changes which do with " + row_text(edge.row) : "overwrites it";
  }

  std::optional<std::size_t> row_of(OperationId operation) const {
    const auto row = rows_.find(finding_.history.operations[operation.index()].step);
    if (row == rows_.end()) return std::nullopt;
    return row->second;
  }

  std::optional<ShownDependency::Arrow> arrow(OperationId from, OperationId to) const {
    const std::optional<std::size_t> begin = row_of(from);
    const std::optional<std::size_t> end = row_of(to);
    if (!begin || !end || *begin == *end) return std::nullopt;
    return ShownDependency::Arrow{*begin, *end};
  }

  // " in r2"
  std::string place(OperationId operation) const {
    const std::size_t record = finding_.history.operations[operation.index()].step;
    if (record >= finding_.run.records.size()) return "";
    const StepId step = finding_.run.records[record].step;
    return " in " + printable(finding_.scenario.steps[step.index()].name);
  }

  const Finding& finding_;
  std::map<std::size_t, std::size_t> rows_;  // record -> row
};

}  // namespace

std::vector<ShownDependency> shown_dependencies(const Finding& finding, const Diagram& diagram) {
  std::vector<ShownDependency> shown;
  if (finding.cycles.empty()) return shown;
  const DependencyTexts texts(finding, diagram);
  const Cycle& cycle = finding.cycles.front();
  for (std::size_t i = 0; i < cycle.edges.size(); ++i) {
    shown.push_back(texts.show(cycle.edges[i], i + 1));
  }
  if (cycle.illegal_read) shown.push_back(texts.show_illegal_read(*cycle.illegal_read));
  return shown;
}

}  // namespace heddle
