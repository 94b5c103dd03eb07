// Paragraphs of a check's report: wrapped, with words in the margin.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/linearizability.h"
#include "report/check/explanation.h"
#include "report/text/layout.h"

namespace heddle {

// "1 session", "12,000 sessions".
std::string counted(std::size_t count, std::string_view what);

// "linearizable".
std::string_view order_word(CallOrder order);

std::string paragraph(const std::string& text, const TextOptions& options);
std::string paragraph_heading(const std::string& text, const TextOptions& options);

// "Then T1 reads x = 0 ...", each sentence on a line of its own beside the word.
std::string beside_word(std::string_view word, const std::vector<std::string>& sentences,
                        const TextOptions& options);

// "Let T1 = r1[x=0] w1[x=1] c1   (s2, line 7)".
std::string render_let(const std::vector<CheckExplanation::Let>& let, const TextOptions& options);

}  // namespace heddle
