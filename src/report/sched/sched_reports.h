// Findings of thread programs as documents.
#pragma once

#include <string>

#include "heddle/sched_finding.h"
#include "report/text/junit_xml.h"
#include "report/text/text_options.h"

namespace heddle {

// As a test program prints it.
std::string render_text(const SchedFinding& finding, const TextOptions& options);

// A drawing that needs nothing but itself.
std::string render_svg(const SchedFinding& finding);

// A page that needs nothing but itself.
std::string render_html(const SchedFinding& finding);

// A case of JUnit's XML that failed.
TestCase case_of(const SchedFinding& finding);

}  // namespace heddle
