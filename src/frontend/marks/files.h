// Which files may use a store in a language that has no reader, and which have one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heddle/result.h"

namespace heddle::marks {

// Adds those of the files below a folder that are in a language of the table. Left out are what
// build tools and package managers put there, and tests, unless these are kept. Returns how many
// tests it left out.
std::size_t add_foreign_sources(const std::vector<std::string>& files, const std::string& folder,
                                bool keeps_tests, std::vector<std::string>& found);

// Why a file that a user names cannot be one of a program: it has no reader. None: it can.
std::optional<Diagnostic> refuse_file(const std::string& path);

}  // namespace heddle::marks
