// The run of a finding for people, without what is said about it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "heddle/finding.h"
#include "report/schedule/summary.h"
#include "report/text/text_options.h"

namespace heddle {

// The diagram, the given places where the run differs from serial orders, and the invariants that
// it breaks.
std::string run_text(const Finding& finding, const std::vector<Contrast>& contrasts,
                     const TextOptions& options);

// The place, and below it what the run gave there and what each serial order gives.
std::string contrast_text(const Contrast& contrast, const TextOptions& options);

// `text` beside a label, its later lines under its first.
std::string text_beside(const std::string& label, std::size_t label_width, const std::string& text,
                        const TextOptions& options);

// The text in lines as wide as the options say.
std::string wrapped_text(const std::string& text, const TextOptions& options);

// The same, indented by so many blanks, and what does not fit on the first line by four more.
std::string indented_text(std::size_t indent, const std::string& text, const TextOptions& options);

// The same as a heading, without an indent.
std::string heading_text(const std::string& text, const TextOptions& options);

// What differed in runs that did not show a finding again, equal ones together; empty: nothing did.
std::string differences_text(const std::vector<std::string>& differences,
                             const TextOptions& options);

}  // namespace heddle
