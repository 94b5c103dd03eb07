// Files for nobody else's eyes.
#pragma once

#include <string>
#include <string_view>

#include "heddle/result.h"

namespace heddle {

/// As write_file_atomically (file.h), but afterwards only this user may read and write the file,
/// whatever the mask, and whatever the file that it replaces allowed.
Result<void> write_private_file_atomically(const std::string& path, std::string_view content);

}  // namespace heddle
