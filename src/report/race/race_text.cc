#include "report/race/race_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/race/paper_table.h"
#include "report/text/counted.h"
#include "report/text/layout.h"

namespace heddle {
namespace {

constexpr std::size_t kMostConflicts = 12;  // of a candidate that are shown

std::string wrapped_behind(std::string_view prefix, std::string_view text,
                           const TextOptions& options) {
  constexpr std::size_t kHanging = 6;
  std::string all;
  for (const std::string& line : wrap_behind(std::string(prefix), printable(text),
                                             std::max(options.width, kNarrowestText), kHanging)) {
    all += line + "\n";
  }
  return all;
}

std::string table_text(const RaceTable& table, const TextOptions& options) {
  return render_list_table(paper_table(table), options) +
         fmt::format("{:.1f} % of random pairs were left out\n", share_left_out(table));
}

std::string endpoints_text(const RaceCandidate& candidate) {
  if (candidate.is_between_branches) {
    return candidate.first_endpoint + ", between its own branches";
  }
  if (candidate.first_endpoint == candidate.second_endpoint) {
    return candidate.first_endpoint + ", two of them";
  }
  return candidate.first_endpoint + " and " + candidate.second_endpoint;
}

std::string request_text(const RequestSummary& request) {
  return fmt::format("{} {} {}{}", request.unit, request.method, request.target,
                     request.status == 0 ? ": no answer" : fmt::format(": {}", request.status));
}

std::string statement_text(const StatementSummary& statement, const std::string& through) {
  return fmt::format("{} {}{}{}", statement.unit, statement.text,
                     statement.values.empty() ? "" : fmt::format("  [{}]", statement.values),
                     through.empty() ? "" : ", by " + through);
}

std::string conflict_text(const ConflictSummary& summary, const TextOptions& options) {
  const RaceConflict& conflict = *summary.conflict;
  const std::string columns =
      conflict.columns == std::vector<std::string>{"*"} ? "the row" : join(conflict.columns, ", ");
  std::string text =
      wrapped_behind("    ",
                     fmt::format("{} {}: {}{}", conflict.store, conflict.entity, columns,
                                 conflict.is_coarse ? " (the trace does not tell which rows)" : ""),
                     options);
  for (const auto& [statement, through] : {std::pair(&summary.first, &conflict.first_through),
                                           std::pair(&summary.second, &conflict.second_through)}) {
    text += wrapped_behind(statement->writes ? "      w " : "      r ",
                           statement_text(*statement, *through), options);
  }
  return text;
}

std::string candidate_text(std::size_t number, const CandidateSummary& summary,
                           const TextOptions& options) {
  const RaceCandidate& candidate = *summary.candidate;
  std::string text = "\n" +
                     paint(fmt::format("{}. {}", number, to_string(candidate.pattern)),
                           TextStyle::heading, options) +
                     "  " + candidate.id + "\n";
  text += wrapped_behind("  ", endpoints_text(candidate), options);
  const std::string count = counted(candidate.pairs.size(), "pair", "pairs");
  if (candidate.is_between_branches) {
    text += wrapped_behind("  ", fmt::format("{}; request {}", count, request_text(summary.first)),
                           options);
  } else {
    text += wrapped_behind("  ",
                           fmt::format("{}; requests {} and {}", count, request_text(summary.first),
                                       request_text(summary.second)),
                           options);
  }
  for (std::size_t i = 0; i < std::min(summary.conflicts.size(), kMostConflicts); ++i) {
    text += conflict_text(summary.conflicts[i], options);
  }
  if (summary.conflicts.size() > kMostConflicts) {
    text += fmt::format("    and {} more\n", summary.conflicts.size() - kMostConflicts);
  }
  return text;
}

}  // namespace

std::string race_candidates_text(const RaceCandidates& found, const Trace& trace,
                                 const TextOptions& options) {
  std::string text = table_text(found.table, options) + "\n";
  if (found.candidates.empty()) {
    text += "no two requests can step on each other, as far as the trace tells\n";
  } else {
    text += counted(found.candidates.size(), "candidate", "candidates") +
            ", the most promising first; none of them has been made to happen\n";
  }
  const std::vector<CandidateSummary> all = summarize_candidates(found, trace);
  for (std::size_t i = 0; i < all.size(); ++i) text += candidate_text(i + 1, all[i], options);
  if (!found.remarks.empty()) text += "\n";
  for (const std::string& remark : found.remarks) text += wrapped_behind("", remark, options);
  return text;
}

std::string pair_answer_text(const PairAnswer& answer, const RaceCandidates& found,
                             const TextOptions& options) {
  std::string text = wrapped_behind("", request_text(answer.first), options) +
                     wrapped_behind("", request_text(answer.second), options);
  for (const std::size_t number : answer.candidates) {
    const RaceCandidate& candidate = found.candidates[number - 1];
    text += wrapped_behind("  ",
                           fmt::format("to test: candidate {}, {} ({})", number,
                                       to_string(candidate.pattern), candidate.id),
                           options);
  }
  for (const LeftOutPair* each : answer.left_out) {
    const bool is_whole = each->first == each->first_span && each->second == each->second_span;
    const std::string spans =
        is_whole ? "" : fmt::format("spans {} and {} ", each->first_span, each->second_span);
    text += wrapped_behind(
        "  ", fmt::format("{}left out by {}: {}", spans, to_string(each->step), each->why),
        options);
  }
  if (answer.candidates.empty() && answer.left_out.empty()) {
    text += "  no random pair: they touch no entity of one name and key of which one writes\n";
  }
  return text;
}

}  // namespace heddle
