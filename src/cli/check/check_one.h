// One recorded history of heddle check: read or generated, then checked or converted.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/isolation.h"
#include "heddle/result.h"
#include "heddle/verdict.h"
#include "report/text/text_options.h"

namespace heddle {

struct TextOptions;  // report/text/text_options.h

struct CheckRequest {
  std::vector<IsolationLevel> levels = {};  // empty: all that fit
  bool session = false;
  bool realtime = false;
  std::string from = {};                     // name of a format; empty: by looking at the file
  std::string model = {};                    // name of an object model; empty: by the functions
  std::optional<std::string> initial = {};   // what keys hold at first
  std::optional<std::string> generate = {};  // make the history of this shape up
  std::string standard_input = {};           // what "-" stands for
  std::size_t memory_bytes = 0;              // 0: no limit
  std::uint64_t steps = 0;
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  bool json = false;
  bool witness = false;
};

struct CheckedHistory {
  std::vector<std::string> reports;    // one per history, or per level of calls
  Verdict verdict = Verdict::unknown;  // of what was asked, which decides the exit code
};

// The path is that of a file, of a folder with Cobra's logs, or "-"; with request.generate it is
// only the history's name.
Result<CheckedHistory> check_one(const CheckRequest& request, const std::string& path,
                                 const TextOptions& options);

// The history in the format of that name. REQUIRES: there is such a format.
Result<std::string> convert_one(const CheckRequest& request, const std::string& path,
                                std::string_view format);

// "500M", "2G", "800K", "1000000": bytes, where K is a thousand.
Result<std::size_t> parse_memory(std::string_view text);

// Names for the tables of options.
std::vector<std::string_view> readable_formats();
std::vector<std::string_view> writable_formats();
std::vector<std::string_view> object_models();
// "general: 16,000 transactions of ...; tpcc: ...".
std::string shapes_text();

}  // namespace heddle
