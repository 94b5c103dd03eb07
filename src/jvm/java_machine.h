// A Java virtual machine with the classes of a program, in which their methods are called.
//
//   auto machine = JavaMachine::open("build/classes:driver.jar");
//   auto worker = (*machine)->open_worker();   // a thread of it
//
// It runs in a throwaway directory and ends with the connection to us, however we end.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>

#include "control/controlled_program.h"
#include "heddle/result.h"
#include "stream/line_channel.h"
#include "stream/stream.h"
#include "throwaway/directory.h"

namespace heddle {

// Whose driver the program connects with.
enum class JavaDriver : std::uint8_t { postgres, mariadb };

class JavaMachine : public ControlledProgram {
 public:
  // `autocommit`: java_program()'s. Whoever asks for the same while somebody holds the machine gets
  // the same one; thread-safe. Errors: environment where there is no Java, or no such driver.
  static Result<std::shared_ptr<JavaMachine>> open(const std::string& class_path,
                                                   std::optional<bool> autocommit = {},
                                                   JavaDriver driver = JavaDriver::postgres);
  ~JavaMachine() override;

  const ProgramWords& words() const override;
  std::string why_not_callable(const ProgramCall& call) const override;
  Result<std::unique_ptr<StreamListener>> listen() override;
  Result<std::unique_ptr<ProgramWorker>> open_worker() override;

 private:
  explicit JavaMachine(JavaDriver driver) : driver_(driver) {}

  static Result<std::shared_ptr<JavaMachine>> start(const std::string& class_path,
                                                    std::optional<bool> autocommit,
                                                    JavaDriver driver);
  Result<void> launch(const std::string& program, const std::string& class_path,
                      std::optional<bool> autocommit);
  // The next connection that knows the token.
  Result<LineChannel> accept_channel(Deadline deadline);
  Diagnostic trouble(const std::string& what) const;

  JavaDriver driver_;
  std::unique_ptr<ThrowawayDirectory> directory_;
  pid_t process_ = 0;
  std::unique_ptr<StreamListener> listener_;
  std::string token_;
  LineChannel orders_;
  std::mutex mutex_;
};

}  // namespace heddle
