#include "jvm/java_program.h"

#include <memory>
#include <utility>

#include "jvm/java_machine.h"

namespace heddle {

ProgramOpener java_program(const std::string& class_path) {
  if (class_path.empty()) return {};
  return [class_path]() -> Result<std::shared_ptr<ControlledProgram>> {
    auto machine = JavaMachine::open(class_path);
    if (!machine) return machine.error();
    return std::shared_ptr<ControlledProgram>(std::move(*machine));
  };
}

}  // namespace heddle
