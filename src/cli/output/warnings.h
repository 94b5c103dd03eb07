// --warnings: warnings of one kind on one line.
#pragma once

#include <string>
#include <vector>

#include "cli/options/options.h"
#include "heddle/result.h"

namespace heddle {

OptionDefinition warnings_option();

// On standard error, as --warnings says. REQUIRES: the option is the command's.
void print_warnings(const std::vector<Diagnostic>& warnings, const Arguments& arguments);

// Warnings of one kind, in the order of their first ones: the first with its text, how many more
// there are, and the first places of these.
std::vector<Diagnostic> brief_warnings(const std::vector<Diagnostic>& warnings);

// What warnings of one kind have in common: the text without what is quoted and without names, of
// tables, methods and files.
std::string kind_of_warning(const Diagnostic& warning);

}  // namespace heddle
