#include "jvm/java_machine.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <optional>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process.h"
#include "base/random_text.h"
#include "base/text.h"
#include "jvm/java_call.h"
#include "jvm/java_launcher.h"
#include "jvm/java_worker.h"
#include "stream/stream_socket.h"
#include "throwaway/server_start.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kStartPatience{60};
constexpr std::chrono::seconds kWorkerPatience{20};
constexpr std::chrono::milliseconds kLookAtProcess{50};
constexpr std::size_t kTokenLength = 16;
constexpr const char* kProgram = "the Java program";
constexpr const char* kLauncher = "HeddleLauncher.java";

struct DriverFacts {
  const char* product;
  const char* type;     // the class
  const char* url;      // what its addresses begin with
  const char* package;  // Debian's
  const char* archive;  // where that puts it
};

constexpr DriverFacts kPostgresDriver = {.product = "PostgreSQL",
                                         .type = "org.postgresql.Driver",
                                         .url = "jdbc:postgresql://",
                                         .package = "libpostgresql-jdbc-java",
                                         .archive = "/usr/share/java/postgresql.jar"};
constexpr DriverFacts kMariadbDriver = {.product = "MariaDB",
                                        .type = "org.mariadb.jdbc.Driver",
                                        .url = "jdbc:mariadb://",
                                        .package = "libmariadb-java",
                                        .archive = "/usr/share/java/mariadb-java-client.jar"};

const DriverFacts& facts_of(JavaDriver driver) {
  return driver == JavaDriver::mariadb ? kMariadbDriver : kPostgresDriver;
}

// The program `java`: of $JAVA_HOME, else the first of $PATH.
std::optional<std::string> find_java() {
  std::vector<std::string> directories;
  if (const char* home = std::getenv("JAVA_HOME"); home != nullptr && *home != '\0') {
    directories.push_back(std::string(home) + "/bin");
  }
  if (const char* path = std::getenv("PATH"); path != nullptr) {
    for (const std::string& directory : split(path, ':')) directories.push_back(directory);
  }
  for (const std::string& directory : directories) {
    std::string program = directory + "/java";
    if (!directory.empty() && ::access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

// The machine works elsewhere. The driver comes last, so that a program's own is preferred.
std::string absolute_class_path(const std::string& class_path, const DriverFacts& driver) {
  std::vector<std::string> entries;
  for (const std::string& entry : split(class_path, ':')) {
    if (!entry.empty()) entries.push_back(fs::absolute(entry).string());
  }
  std::error_code ignored;
  if (fs::exists(driver.archive, ignored)) entries.emplace_back(driver.archive);
  return join(entries, ":");
}

Result<void> check_entries(const std::string& class_path) {
  for (const std::string& entry : split(class_path, ':')) {
    std::error_code ignored;
    // "lib/*" stands for all archives there.
    const std::string path = entry.ends_with("/*") ? entry.substr(0, entry.size() - 2) : entry;
    if (path.empty() || fs::exists(path, ignored)) continue;
    return Diagnostic{.what = fmt::format("the class path names {}, which is not there", path),
                      .what_to_do = "compile the program, and name the folder of its classes",
                      .trouble = Trouble::bad_input};
  }
  return {};
}

std::string port_of(const std::string& address) { return address.substr(address.rfind(':') + 1); }

}  // namespace

Result<std::shared_ptr<JavaMachine>> JavaMachine::open(const std::string& class_path,
                                                       std::optional<bool> autocommit,
                                                       JavaDriver driver) {
  static std::mutex mutex;
  using Key = std::tuple<std::string, std::optional<bool>, JavaDriver>;
  static std::map<Key, std::weak_ptr<JavaMachine>> machines;
  const Key key(class_path, autocommit, driver);
  const std::scoped_lock lock(mutex);
  if (auto running = machines[key].lock()) return running;
  auto started = start(class_path, autocommit, driver);
  if (started) machines[key] = *started;
  return started;
}

Result<std::shared_ptr<JavaMachine>> JavaMachine::start(const std::string& class_path,
                                                        std::optional<bool> autocommit,
                                                        JavaDriver driver) {
  if (auto checked = check_entries(class_path); !checked) return checked.error();
  const std::optional<std::string> program = find_java();
  if (!program) {
    return Diagnostic{.what = "there is no Java to run the program with",
                      .what_to_do = "install a JDK, 11 or newer (Debian: default-jdk-headless)",
                      .trouble = Trouble::environment};
  }
  std::shared_ptr<JavaMachine> machine(new JavaMachine(driver));
  if (auto launched = machine->launch(*program, class_path, autocommit); !launched)
    return launched.error();
  const Deadline deadline = Clock::now() + kStartPatience;
  auto orders = machine->accept_channel(deadline);
  if (!orders) return orders.error();
  machine->orders_ = std::move(*orders);
  const auto said = machine->orders_.await(deadline, kProgram);
  if (!said) return said.error();
  if (said->front() != "driver") {
    return Diagnostic{.what = fmt::format("Java finds no driver for {}", facts_of(driver).product),
                      .what_to_do = fmt::format("put it on the class path, or install {} (Debian)",
                                                facts_of(driver).package),
                      .trouble = Trouble::environment};
  }
  return machine;
}

Result<void> JavaMachine::launch(const std::string& program, const std::string& class_path,
                                 std::optional<bool> autocommit) {
  auto directory = ThrowawayDirectory::create(throwaway_roots(), std::nullopt);
  if (!directory) return directory.error();
  directory_ = std::move(*directory);
  auto listener = listen();
  if (!listener) return listener.error();
  listener_ = std::move(*listener);
  auto token = draw_hexadecimal(kTokenLength);
  if (!token) return token.error();
  token_ = std::move(*token);
  const std::string source = directory_->data() + "/" + kLauncher;
  if (auto written = write_file_atomically(source, java_launcher_source()); !written)
    return written;
  const FileDescriptor log(
      ::open(directory_->log().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.is_open()) return file_trouble(directory_->log(), "make the log", errno);

  Command command;
  // One processor's worth of machine: what is run is short, and waits most of the time.
  command.arguments = {program,
                       "-XX:+UseSerialGC",
                       "-XX:TieredStopAtLevel=1",
                       "-Duser.timezone=UTC",
                       "-Dfile.encoding=UTF-8",
                       "-cp",
                       absolute_class_path(class_path, facts_of(driver_)),
                       source};
  command.environment = inherited_environment({"PATH", "LD_LIBRARY_PATH", "HOME", "LANG"});
  command.environment.push_back(fmt::format("HEDDLE_PORT={}", port_of(listener_->address())));
  command.environment.push_back("HEDDLE_TOKEN=" + token_);
  command.environment.push_back(fmt::format("HEDDLE_DRIVER={}", facts_of(driver_).type));
  command.environment.push_back(fmt::format("HEDDLE_URL={}", facts_of(driver_).url));
  if (autocommit) {
    command.environment.emplace_back(*autocommit ? "HEDDLE_AUTOCOMMIT=on"
                                                 : "HEDDLE_AUTOCOMMIT=off");
  }
  command.working_directory = directory_->data();
  auto started = start_process(command, log.get());
  if (!started) return started.error();
  process_ = *started;
  return {};
}

JavaMachine::~JavaMachine() {
  orders_.close();
  end_throwaway(process_, SIGKILL, std::move(directory_));
}

Result<LineChannel> JavaMachine::accept_channel(Deadline deadline) {
  while (Clock::now() < deadline) {
    if (auto accepted = listener_->accept_now()) {
      LineChannel channel(std::move(accepted));
      const auto first = channel.await(deadline, kProgram);
      if (first && first->front() == token_) return channel;
      continue;
    }
    if (auto ended = reap_process(process_)) {
      process_ = 0;
      return trouble("the Java machine ended");
    }
    const auto waited =
        wait_for(listener_->readable(), std::min(deadline, Clock::now() + kLookAtProcess));
    if (!waited) return waited.error();
  }
  return trouble("the Java machine did not answer in time");
}

// With what it said last.
Diagnostic JavaMachine::trouble(const std::string& what) const {
  const Result<std::string> log = read_file(directory_->log());
  const std::string_view said = log ? trim(*log) : std::string_view();
  const std::string last(trim(said.substr(said.rfind('\n') + 1)));
  return {.what = last.empty() ? what : what + ": " + last,
          .what_to_do = "it takes a JDK, 11 or newer, not a runtime alone",
          .trouble = Trouble::environment};
}

const ProgramWords& JavaMachine::words() const {
  static const ProgramWords words = {
      .runtime = "the Java machine",
      .on_refusal = "name all that it needs on the class path",
      .on_difference =
          "what heddle read is not what runs: are the classes compiled from these sources?"};
  return words;
}

std::string JavaMachine::why_not_callable(const ProgramCall& call) const {
  return why_not_callable_in_java(call);
}

Result<std::unique_ptr<StreamListener>> JavaMachine::listen() {
  auto listener = SocketListener::open(kLoopback);
  if (!listener) return listener.error();
  return std::unique_ptr<StreamListener>(std::move(*listener));
}

Result<std::unique_ptr<ProgramWorker>> JavaMachine::open_worker() {
  const std::scoped_lock lock(mutex_);
  if (process_ == 0 || !orders_.write({"worker"})) return trouble("the Java machine has ended");
  auto channel = accept_channel(Clock::now() + kWorkerPatience);
  if (!channel) return channel.error();
  return std::unique_ptr<ProgramWorker>(std::make_unique<JavaWorker>(std::move(*channel)));
}

}  // namespace heddle
