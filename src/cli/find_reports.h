// The formats of heddle find.
#pragma once

#include <string>
#include <string_view>

#include "cli/options/options.h"
#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/program_repair.h"
#include "heddle/result.h"
#include "report/find/detail_choice.h"
#include "report/text/text_options.h"

namespace heddle {

// What was found in a program.
struct FindResults {
  const FindReport& report;
  const Program& program;
  const ProgramRepairReport* repairs;  // null: nobody looked for some
};

// REQUIRES: the format is one of --format.
std::string find_report_text(const FindResults& results, std::string_view format,
                             const DetailChoice& choice, const TextOptions& options);

// Whether what is asked for can be printed in the format that is asked for.
Result<void> check_find_format(const Arguments& arguments);

}  // namespace heddle
