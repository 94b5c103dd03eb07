// What the command line knows of Java: how a program in it is opened.
#pragma once

#include <string>

#include "heddle/replay.h"

namespace heddle {

// Opens a Java machine for the class path when it is needed; for an empty one nothing.
ProgramOpener java_program(const std::string& class_path);

}  // namespace heddle
