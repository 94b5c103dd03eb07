// Any bytes as a finding of a thread program: refused, or read and written and read again with the
// same text, and drawn.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "heddle/sched_finding.h"
#include "report/sched/sched_reports.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const heddle::Result<heddle::SchedFinding> finding =
      heddle::parse_sched_finding(text, "fuzz.json");
  if (!finding) return 0;
  const std::string written = heddle::to_json(*finding);
  const heddle::Result<heddle::SchedFinding> again =
      heddle::parse_sched_finding(written, "again.json");
  if (!again || heddle::to_json(*again) != written) std::abort();
  heddle::render_text(*finding, heddle::TextOptions{});
  heddle::render_svg(*finding);
  heddle::render_html(*finding);
  return 0;
}
