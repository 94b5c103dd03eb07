#include "report/split/split_counts.h"

#include <set>

#include "base/text.h"

namespace heddle {

namespace {

std::string functionalities_of(const SplitCause& cause, const Program& program) {
  std::set<std::string> names;
  for (const std::vector<SplitPart>& parts : cause.parts) {
    names.insert(program.functionalities[parts.front().functionality].name);
  }
  return join(std::vector<std::string>(names.begin(), names.end()), " and ");
}

}  // namespace

SplitCounts count_causes(const SplitReport& report) {
  SplitCounts counts{.total = {},
                     .tables = {{"kind", {}}, {"tables", {}}, {"functionalities", {}}},
                     .executed = {}};
  for (const SplitCause& cause : report.causes) {
    counts.total.add(cause);
    counts.tables[0].counts[std::string(definition(cause.kind).name)].add(cause);
    counts.tables[1].counts[join(cause.tables, ", ")].add(cause);
    counts.tables[2].counts[functionalities_of(cause, report.chopped.program)].add(cause);
    if (!cause.execution) continue;
    if (cause.is_core) ++counts.executed[cause.execution->status];
  }
  return counts;
}

}  // namespace heddle
