// What the command line knows of Java: how a program in it is opened.
#pragma once

#include <optional>
#include <string>

#include "heddle/replay.h"

namespace heddle {

// Opens a Java machine for the class path when it is needed; for an empty one nothing.
// `autocommit`: what the program's connections are at first; none: those that it opens commit after
// each statement.
ProgramOpener java_program(const std::string& class_path, std::optional<bool> autocommit = {});

}  // namespace heddle
