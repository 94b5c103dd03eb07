#include "jvm/java_program.h"

#include <memory>
#include <utility>

#include "jvm/java_machine.h"

namespace heddle {

ProgramOpener java_program(const std::string& class_path, std::optional<bool> autocommit) {
  if (class_path.empty()) return {};
  return [class_path, autocommit]() -> Result<std::shared_ptr<ControlledProgram>> {
    auto machine = JavaMachine::open(class_path, autocommit);
    if (!machine) return machine.error();
    return std::shared_ptr<ControlledProgram>(std::move(*machine));
  };
}

}  // namespace heddle
