#include "cli/program/coverage_check.h"

#include <fmt/format.h>

namespace heddle {

ExitCode exit_code_of(const Coverage& coverage) {
  return is_complete(coverage) ? ExitCode::nothing_found : ExitCode::unknown;
}

std::optional<Diagnostic> refuse_inexact(const Coverage& coverage) {
  if (is_exact(coverage)) return std::nullopt;
  const std::size_t unread = count_unread(coverage);
  for (const UnreadUse& use : coverage.unread) {
    if (use.places.empty()) continue;
    return Diagnostic{
        .what = fmt::format("not read: {}{}", use.technology,
                            unread == 1 ? "" : fmt::format(", the first of {} places", unread)),
        .what_to_do = use.what_to_do,
        .file = use.places.front().file,
        .position = use.places.front().position};
  }
  const std::size_t inexact = coverage.statements.approximately + coverage.statements.not_at_all;
  return Diagnostic{.what = fmt::format("{} {} not read exactly", inexact,
                                        inexact == 1 ? "statement is" : "statements are"),
                    .what_to_do = "heddle find --list-statements names them"};
}

}  // namespace heddle
