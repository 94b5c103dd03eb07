#include "jvm/java_program.h"

#include <memory>
#include <utility>

#include "jvm/java_machine.h"

namespace heddle {

ProgramOpener java_program(const std::string& class_path, std::optional<bool> autocommit) {
  if (class_path.empty()) return {};
  return [class_path, autocommit](Dialect store) -> Result<std::shared_ptr<ControlledProgram>> {
    const JavaDriver driver = store == Dialect::mysql ? JavaDriver::mariadb : JavaDriver::postgres;
    auto machine = JavaMachine::open(class_path, autocommit, driver);
    if (!machine) return machine.error();
    return std::shared_ptr<ControlledProgram>(std::move(*machine));
  };
}

}  // namespace heddle
