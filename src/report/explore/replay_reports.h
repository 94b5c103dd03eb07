// Several findings that were run again, as one report.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "heddle/finding.h"
#include "heddle/replay.h"
#include "heddle/result.h"

namespace heddle {

// A file and what running its finding gave, or the trouble that kept it from being run.
struct ReplayedFile {
  std::string file;
  std::optional<Finding> finding = {};      // none: it could not be read
  std::optional<ReplayReport> report = {};  // REQUIRES: there is a finding
  std::optional<Diagnostic> trouble = {};   // none: there is a report
};

// "findings/a.json: confirmed 10/10 on PostgreSQL 15.4 (throwaway): lost update by r1 r2 w1 w2".
// REQUIRES: there is a report.
std::string replay_line(const ReplayedFile& replayed);

// "3 findings: 1 in every run, 2 in none; 1 file could not be run". `left`: that nobody came to.
std::string replay_summary(std::span<const ReplayedFile> replayed, std::size_t left);

// JUnit's XML: a suite with one case for each file.
std::string render_junit(std::span<const ReplayedFile> replayed);

}  // namespace heddle
