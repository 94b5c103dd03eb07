// What cuts into services cost.
#pragma once

#include <string>

#include "heddle/cut_search.h"
#include "heddle/split.h"
#include "heddle/split_failures.h"
#include "report/find/detail_choice.h"
#include "report/text/text_options.h"

namespace heddle {

// What a cut into services adds.
std::string render_text(const SplitReport& report, const TextOptions& options);
// SVG: its tables, coloured by service, and how many causes join two of them. HTML: the same, what
// is counted, and each core with its statements.
std::string render_svg(const SplitReport& report);
std::string render_html(const SplitReport& report);
// For build servers: SARIF 2.1.0, a result for each cause that execution did not refute; JUnit's
// XML, a case for the search and one for each cause, which passes when that is refuted.
std::string render_sarif(const SplitReport& report);
std::string render_junit(const SplitReport& report);
// What several cuts cost, side by side, and the best of those that were looked for.
std::string render_text(const CutComparison& comparison, const TextOptions& options);
std::string render_text(const CutSearchReport& report, const TextOptions& options);

// The table of all cores that it adds, how many there are of which, and those that are chosen in
// full.
std::string render_text(const SplitReport& report, const TextOptions& options,
                        const DetailChoice& choice);

// What is left where a functionality stops between two of its sub-transactions.
std::string render_text(const FailureReport& report, const SplitReport& split,
                        const TextOptions& options, const DetailChoice& choice);

}  // namespace heddle
