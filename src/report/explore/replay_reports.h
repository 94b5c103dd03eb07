// Several findings that were run again, of scenarios and of races, as one report.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "heddle/finding.h"
#include "heddle/replay.h"
#include "heddle/result.h"
#include "report/text/junit_xml.h"
#include "report/text/text_options.h"

namespace heddle {

// What running a finding again gave, as it is told.
struct ToldReplay {
  std::string head = {};  // "confirmed 10/10 on ..."
  std::string text = {};
  std::string json = {};
  std::string svg = {};   // empty: it is not drawn
  std::string html = {};  // the same
  TestSuite suite = {};
  Verdict verdict = Verdict::unknown;
  bool is_replayable = true;  // false: no run could be made of it there
  bool is_failing = true;     // that every run showed it is a failure
};

// A file and what running its finding gave, or the trouble that kept it from being run.
struct ReplayedFile {
  std::string file;
  std::string name = "a finding";          // of its case in JUnit's XML, where it was not run
  std::optional<ToldReplay> told = {};     // none: there is trouble, or nobody came to it
  std::optional<Diagnostic> trouble = {};  // none: the file could be read, and was run
};

// What the finding's case in JUnit's XML is called.
std::string case_name(const Finding& finding);

ToldReplay told_replay(const ReplayReport& report, const Finding& finding,
                       const TextOptions& options);

// "findings/a.json: confirmed 10/10 on PostgreSQL 15.4 (throwaway): lost update by r1 r2 w1 w2".
// REQUIRES: it was run.
std::string replay_line(const ReplayedFile& replayed);

// "3 findings: 1 in every run, 2 in none; 1 file could not be run". `left`: that nobody came to.
std::string replay_summary(std::span<const ReplayedFile> replayed, std::size_t left);

// JUnit's XML: a suite with one case for each file.
std::string render_junit(std::span<const ReplayedFile> replayed);

}  // namespace heddle
