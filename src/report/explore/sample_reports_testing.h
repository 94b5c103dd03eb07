// Made-up findings and reports.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "format/sample_finding_testing.h"
#include "heddle/explore.h"
#include "report/text/golden_testing.h"

namespace heddle::sample {

// Three sessions, an aborted one, wide values, errors, texts that would harm a terminal.
inline Finding three_sessions() {
  RunNotes notes(parse(R"(setup { CREATE TABLE note (id int, body text); }
session writer
step w1 { UPDATE note
          SET body = 'a rather long text that has to be wrapped somewhere', -- or it will not fit
              changed_by = current_user, changed_at = clock_timestamp()
          WHERE id IN (SELECT id FROM note_to_change WHERE priority > 3 ORDER BY id LIMIT 10); }
step w2 { UPDATE note SET body = 'y' WHERE id = 2; }
step w3 { COMMIT; }
session "漢字"
setup { BEGIN; }
step x1 { UPDATE note SET body = 'x' WHERE id = 2; }
step x2 { UPDATE note SET body = 'x' WHERE id = 1; }
step x3 { ROLLBACK; }
session reader
step q1 { SELECT id, body FROM note ORDER BY id; }
step q2 { SELECT id FROM note; }
step q3 { SELECT count(*) FROM note WHERE false; SELECT 1 AS one, NULL AS two; }
)",
                       "three.spec"));
  notes.done("w1", {tag("UPDATE 1")});
  notes.writes("note", "id=1",
               "(1,漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字)");
  notes.done("x1", {tag("UPDATE 1")});
  notes.waits("w2", "漢字");
  notes.done("q1", {rows({"id", "body"}, {{"1", "日本語のテキスト"},
                                          {"2", "line\nbreak \x1b[31mred"},
                                          {"3", std::nullopt},
                                          {"4", "\xff\xfe"},
                                          {"5", ""},
                                          {"6", "|"}})});
  notes.waits("x2", "writer");
  notes.resumes("x2", {error(ErrorClass::deadlock, "40P01", "deadlock detected")});
  notes.resumes("w2", {tag("UPDATE 1")});
  notes.skipped("x3");
  notes.done("w3", {tag("COMMIT")});
  notes.done("q2", {rows({"id"}, {{"1"}, {"2"}, {"3"}, {"4"}, {"5"}, {"6"}})});
  notes.done("q3", {rows({"count"}, {}), rows({"one", "two"}, {{"1", {}}})});
  Finding& finding = notes.finding();
  finding.kind = AnomalyKind::aborted_read;
  finding.effect = Effect::external;
  finding.status = FindingStatus::confirmed;
  finding.store = "PostgreSQL 15.4 (throwaway)";
  finding.isolation = IsolationLevel::read_committed;
  finding.wrong_step = 3;
  finding.boundary_problem = true;
  finding.broken_invariants = {"no empty body"};
  finding.run.invariants = {{"no empty body", false, {{"f", "5"}}, {"holds", "id"}}};
  finding.rows = {"note(id=2)"};
  finding.cause_steps = {"x1", "q1"};
  for (const char* order : {"writer reader 漢字", "writer 漢字 reader", "reader writer 漢字",
                            "reader 漢字 writer", "漢字 writer reader", "漢字 reader writer"}) {
    finding.serial.push_back({split(order, ' '), {{"result of step q1", "(2, x)", "(2, old)"}}});
  }
  finding.explanation = {"Let note(id=2) be written by 漢字, which the store then aborts.",
                         "then reader reads it.", "However, nobody may read it."};
  finding.also.assign(5, finding.schedule);
  return finding;
}

// More sessions than columns fit.
inline Finding many_sessions() {
  std::string spec = "setup { CREATE TABLE t (n int); }\n";
  for (int i = 1; i <= 9; ++i) {
    spec += "session session_number_" + std::to_string(i) + "\n";
    if (i < 3) spec += "setup { BEGIN; }\n";
    spec += "step s" + std::to_string(i) + " { UPDATE t SET n = n + 1; }\n";
  }
  RunNotes notes(parse(spec, "many.spec"));
  notes.done("s1", {tag("UPDATE 1")});
  for (int i = 2; i <= 9; ++i) {
    notes.waits("s" + std::to_string(i), "session_number_" + std::to_string(i - 1));
  }
  for (int i = 2; i <= 9; ++i) notes.resumes("s" + std::to_string(i), {tag("UPDATE 1")});
  notes.finding().wrong_step = 8;
  return notes.finding();
}

inline ExploreReport explored(std::vector<LevelReport> levels) {
  ExploreReport report;
  report.store = "PostgreSQL 15.4 (throwaway)";
  report.levels = std::move(levels);
  return report;
}

inline LevelReport level(std::optional<IsolationLevel> isolation, std::vector<Finding> findings,
                         std::size_t aborted) {
  LevelReport report;
  report.isolation = isolation;
  report.verdict = findings.empty() ? Verdict::satisfied : Verdict::violated;
  report.interleavings = 20;
  report.anomalous = findings.size() * 2;
  report.aborted_runs = aborted;
  report.serial_orders = 2;
  for (Finding& finding : findings) finding.isolation = isolation;
  report.findings = std::move(findings);
  return report;
}

inline Finding write_skew() {
  Finding finding = lost_update();
  finding.kind = AnomalyKind::write_skew;
  finding.cause_steps = {"r1", "w2"};
  finding.also.clear();
  return finding;
}

}  // namespace heddle::sample
