// Reports of causes: what find and split say, in the formats in which that is told in full or in
// part. report.h has the others.
#pragma once

#include <string>

#include "heddle/find.h"
#include "heddle/program_repair.h"
#include "heddle/split.h"
#include "heddle/split_failures.h"
#include "report/detail_choice.h"
#include "report/report.h"

namespace heddle {

// The table of all causes, how many there are of which, and those that are chosen in full.
std::string render_text(const FindReport& report, const Program& program,
                        const TextOptions& options, const DetailChoice& choice);
// The same of the cores that a cut adds.
std::string render_text(const SplitReport& report, const TextOptions& options,
                        const DetailChoice& choice);

// What is left where a functionality stops between two of its sub-transactions.
std::string render_text(const FailureReport& report, const SplitReport& split,
                        const TextOptions& options, const DetailChoice& choice);

// `repairs`: null where nobody looked for some.
std::string render_markdown(const FindReport& report, const Program& program,
                            const ProgramRepairReport* repairs, const DetailChoice& choice);

// One page with everything, without scripts and without anything from elsewhere.
std::string render_html(const FindReport& report, const Program& program,
                        const ProgramRepairReport* repairs);

// JUnit's XML: a case for the search, which fails when something kept it from being complete, and
// one for each cause, which passes when that is refuted and is skipped when it is suppressed.
std::string render_junit(const FindReport& report, const Program& program);

}  // namespace heddle
