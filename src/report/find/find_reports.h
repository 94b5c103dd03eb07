// What a program says and what find says of it: as text, Markdown, JSON, a page and what other
// programs take in.
#pragma once

#include <string>

#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/program_repair.h"
#include "report/find/detail_choice.h"
#include "report/text/text_options.h"

namespace heddle {

// Every statement of a program: what it reads and writes, under which conditions, and what of it
// was not read exactly.
std::string render_text(const Program& program, const TextOptions& options);
std::string render_json(const Program& program);

// The anomalies that a program allows: causes, each with its shortest cycle, and which
// functionalities have which kinds.
std::string render_text(const FindReport& report, const Program& program,
                        const TextOptions& options);
// `repairs`: null where nobody looked for some.
std::string render_json(const FindReport& report, const Program& program,
                        const ProgramRepairReport* repairs = nullptr);
// What to change so that none of them is left.
std::string render_text(const ProgramRepairReport& report, const TextOptions& options);
// The causes that the levels remove, each with the axioms that do it.
std::string render_text(const RemovedReport& report, const Program& program,
                        const TextOptions& options);
std::string render_json(const RemovedReport& report, const Program& program);
// SARIF 2.1.0, a result for each cause that execution did not refute, on the lines of the code.
std::string render_sarif(const FindReport& report, const Program& program);

// The table of all causes, how many there are of which, and those that are chosen in full.
std::string render_text(const FindReport& report, const Program& program,
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
