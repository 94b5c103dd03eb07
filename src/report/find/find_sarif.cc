// Anomalies of a program as results of SARIF: on the lines of the code whose statements make them.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/printable.h"
#include "base/text.h"
#include "format/json/sarif.h"
#include "report/find/cause_text.h"
#include "report/find/find_reports.h"
#include "report/text/coverage_text.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

SarifPlace place_in_file(const SourceLocation& source) {
  return {printable(source.file), source.position, ""};
}

SarifResult result_of_cause(const FoundCause& cause, const CauseText& words) {
  const FoundCycle& cycle = cause.cores.front();
  SarifResult result;
  result.kind = cause.kind;
  result.grave = cause.execution && cause.execution->finding &&
                 cause.execution->finding->effect == Effect::internal;
  const FindingStatus status = cause.execution ? cause.execution->status : FindingStatus::possible;
  result.is_for_review = status == FindingStatus::not_shown;
  result.message = words.title(cause) + ".";
  for (const FoundEdge& edge : cycle.edges)
    result.message += " " + words.sentence(cycle, edge) + ".";
  result.message = printable(result.message + " " + words.status(cause) + ".");
  for (const FoundNode& node : nodes_in_order(cycle)) {
    const SourceLocation& source = words.statement(node).source;
    const std::string text = printable(
        fmt::format("{}: {}", words.name(node.functionality), words.statement_text(node)));
    result.related.push_back({place_in_file(source), fmt::format("T{} {}", node.instance + 1, text),
                              result.related.size() + 1});
  }
  result.place = result.related.front().place;
  result.fingerprint = cause.id;
  if (cause.suppressed) result.suppressed = printable(*cause.suppressed);
  result.properties = {{"status", std::string(slug(status))}};
  return result;
}

}  // namespace

std::string render_sarif(const FindReport& report, const Program& program) {
  const CauseText words(program);
  SarifLog log;
  for (const FoundCause& cause : report.causes) {
    const bool is_refuted = cause.execution && cause.execution->status == FindingStatus::refuted;
    if (!is_refuted) log.results.push_back(result_of_cause(cause, words));
  }
  for (const Diagnostic& note : program.notes) {
    log.notifications.push_back(
        {false, shown_message(note.what), {printable(note.file), note.position, ""}});
  }
  for (const UnreadUse& use : program.coverage.unread) {
    for (const UnreadPlace& place : use.places) {
      log.notifications.push_back({false,
                                   printable(fmt::format("not read, {}: {}; {}", use.technology,
                                                         place.what, use.what_to_do)),
                                   {printable(place.file), place.position, ""}});
    }
  }
  if (const auto lines = coverage_lines(program.coverage); !lines.empty()) {
    log.notifications.push_back({false, lines.front().text, {}});
  }
  if (!report.bound.empty()) log.notifications.push_back({false, report.bound, {}});
  return to_sarif(log);
}

}  // namespace heddle
