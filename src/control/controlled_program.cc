#include "control/controlled_program.h"

namespace heddle {

ProgramWorker::~ProgramWorker() = default;
ControlledProgram::~ControlledProgram() = default;

}  // namespace heddle
