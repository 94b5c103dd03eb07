#include <algorithm>
#include <optional>
#include <vector>

#include "find/forms/foreign_keys.h"
#include "find/terms/unfold.h"
#include "heddle/find.h"

namespace heddle {

namespace {

// By functionality and statement: whether what it reads has no say in what is written.
using IdleReads = std::vector<std::vector<bool>>;

IdleReads idle_reads(const Program& program) {
  const find::ForeignKeys foreign_keys(program);
  find::RowSources every_table;
  IdleReads idle;
  for (const Functionality& functionality : program.functionalities) {
    std::vector<find::FormedStatement> statements =
        find::form_statements(functionality, program.schema, foreign_keys, every_table);
    find::note_idle_reads(functionality, statements);
    std::vector<bool>& own = idle.emplace_back();
    for (const find::FormedStatement& formed : statements) own.push_back(formed.form.reads_idly);
  }
  return idle;
}

bool has_idle_read(const FoundCycle& cycle, const IdleReads& idle) {
  return std::ranges::any_of(cycle.edges, [&](const FoundEdge& edge) {
    if (edge.kind == DependencyKind::ww) return false;
    const FoundNode& reader = cycle.nodes[edge.kind == DependencyKind::wr ? edge.to : edge.from];
    return idle[reader.functionality][reader.statement];
  });
}

}  // namespace

void keep_internal(const Program& program, FindReport& report) {
  const IdleReads idle = idle_reads(program);
  const auto concerns_reads = [&](const FoundCause& cause) {
    const auto is_external = [&](const FoundCycle& cycle) { return has_idle_read(cycle, idle); };
    if (cause.execution) {
      const std::optional<Finding>& finding = cause.execution->finding;
      return finding && finding->effect == Effect::external;
    }
    return std::ranges::all_of(cause.cores, is_external) &&
           std::ranges::all_of(cause.extensions, is_external);
  };
  report.external_left_out += std::erase_if(report.causes, concerns_reads);
}

}  // namespace heddle
