// Files of reports and findings.
#pragma once

#include <string>
#include <string_view>

#include "heddle/result.h"

namespace heddle {

/// Writes the file, whole or not at all. What may hold rows of a given server is for its user's
/// eyes only.
Result<void> write_report_file(const std::string& path, std::string_view content);

}  // namespace heddle
