#include "record/running_system.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/wait.h>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "base/text.h"
#include "frontend/config/system_command.h"
#include "record/http_question.h"
#include "record/system_edges.h"
#include "stream/stream.h"
#include "throwaway/guard.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kBetweenQuestions{50};
constexpr milliseconds kGentleEnd{8000};
constexpr std::uint32_t kStopMs = 20'000;
constexpr std::uint32_t kCheckMs = 5'000;
constexpr std::size_t kShownOutput = 1500;

bool is_alive(pid_t group) { return ::kill(-group, 0) == 0; }

// Ends the group: first it is asked. A leader that nobody has waited for counts as alive, so that
// its parent waits for it.
void end_group(pid_t group, milliseconds patience) {
  if (::kill(-group, SIGTERM) != 0) return;
  const auto end = Clock::now() + patience;
  while (Clock::now() < end) {
    ::waitpid(group, nullptr, WNOHANG);
    if (!is_alive(group)) return;
    ::poll(nullptr, 0, 20);
  }
  ::kill(-group, SIGKILL);
  ::waitpid(group, nullptr, 0);
}

// Numbers of processes are used again; the point in time at which one began is not.
std::string started_at(pid_t process) {
  const auto stat = read_file(fmt::format("/proc/{}/stat", process));
  if (!stat) return "";
  const std::size_t close = stat->rfind(')');
  const std::vector<std::string> fields = split(stat->substr(close + 2), ' ');
  constexpr std::size_t kStartTime = 19;  // behind the name: field 22 of proc(5)
  return fields.size() > kStartTime ? fields[kStartTime] : "";
}

// `where`: when its leader began.
constexpr GuardedKind kGuardedParts = {
    .remove =
        [](const std::string& name, const std::string& where) {
          const auto group = static_cast<pid_t>(std::strtol(name.c_str(), nullptr, 10));
          const std::string begun = started_at(group);
          if (group > 1 && (begun.empty() || begun == where)) end_group(group, kGentleEnd);
          return true;
        },
    .patience = std::chrono::seconds(0)};

void wait_a_little() {
  pollfd interrupt{interrupt_fd(), POLLIN, 0};
  ::poll(&interrupt, 1, static_cast<int>(kBetweenQuestions.count()));
}

}  // namespace

Result<std::unique_ptr<RunningSystem>> RunningSystem::start(
    const Config& config, const std::vector<std::string>& addresses,
    std::vector<std::string> environment) {
  std::unique_ptr<RunningSystem> system(new RunningSystem(config, std::move(environment)));
  auto directory = ThrowawayDirectory::create(throwaway_roots(), std::nullopt);
  if (!directory) return directory.error();
  system->directory_ = std::move(*directory);
  const std::string log = system->directory_->log();
  system->output_ =
      FileDescriptor(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!system->output_.is_open()) return file_trouble(log, "write", errno);
  system->all_variables_ = edge_environment(config, addresses, EdgeChoice::all);
  if (!config.system.start.empty()) {
    auto started = system->start_part("system", config.system.start, system->all_variables_);
    if (!started) return started.error();
  }
  for (const ServiceSettings& service : config.system.services) {
    if (service.start.empty()) continue;
    auto started = system->start_part(
        service.name.text, service.start,
        edge_environment(config, addresses, EdgeChoice::caller, service.name.text));
    if (!started) return started.error();
  }
  return system;
}

Result<void> RunningSystem::start_part(const std::string& name, const std::vector<Setting>& words,
                                       std::vector<std::string> variables) {
  variables.insert(variables.begin(), environment_.begin(), environment_.end());
  parts_.push_back({.name = name, .words = &words, .variables = std::move(variables)});
  auto started = start(parts_.back());
  if (!started) parts_.pop_back();
  return started;
}

Result<void> RunningSystem::start(Part& part) {
  auto command = system_command(config_, *part.words, part.variables);
  if (!command) return command.error();
  const auto leader = start_process(*command, output_.get());
  if (!leader) return leader.error();
  guard_add(kGuardedParts, std::to_string(*leader), started_at(*leader));
  part.leader = *leader;
  part.has_ended = false;
  part.how.clear();
  return {};
}

bool RunningSystem::has_part(const std::string& service) const {
  return std::ranges::find(parts_, service, &Part::name) != parts_.end();
}

Result<void> RunningSystem::restart(const std::vector<std::string>& services) {
  const auto is_chosen = [&](const Part& part) {
    return std::ranges::find(services, part.name) != services.end();
  };
  for (const Part& part : parts_) {
    if (!is_chosen(part)) continue;
    end_group(part.leader, kGentleEnd);
    guard_forget(kGuardedParts, std::to_string(part.leader));
  }
  for (Part& part : parts_) {
    if (!is_chosen(part)) continue;
    if (auto started = start(part); !started) return started;
  }
  return {};
}

RunningSystem::~RunningSystem() { stop(); }

std::string RunningSystem::ended_part() {
  for (Part& part : parts_) {
    if (!part.has_ended) look_at(part);
    if (!part.how.empty()) return part.how;
  }
  return "";
}

void RunningSystem::look_at(Part& part) {
  const auto outcome = reap_process(part.leader);
  if (!outcome) return;
  part.has_ended = true;
  // It may have started others and left them to themselves.
  if (outcome->succeeded() && is_alive(part.leader)) return;
  part.how = outcome->signal != 0
                 ? fmt::format("{} was ended by signal {}", part.name, outcome->signal)
                 : fmt::format("{} has ended with exit code {}", part.name, outcome->exit_code);
}

std::string RunningSystem::last_output() const {
  auto text = read_file(directory_->log());
  if (!text) return "";
  return text->size() <= kShownOutput ? *text : text->substr(text->size() - kShownOutput);
}

// By a URL, by a command, or by a connection to its address.
Result<bool> RunningSystem::is_healthy(const std::vector<Setting>& health, const Setting* address) {
  const bool is_url = health.size() == 1 && health.front().text.starts_with("http://");
  const auto deadline = Clock::now() + milliseconds(kCheckMs);
  if (is_url) return answers_well(health.front().text, deadline);
  if (health.empty() && address == nullptr) return true;
  if (health.empty()) return accepts_connections(address->text, deadline);
  std::vector<std::string> environment = environment_;
  environment.insert(environment.end(), all_variables_.begin(), all_variables_.end());
  auto command = system_command(config_, health, std::move(environment));
  if (!command) return command.error();
  const auto outcome = run_process(*command, kCheckMs);
  if (!outcome) return outcome.error();
  return outcome->succeeded();
}

Result<void> RunningSystem::wait_until_healthy(std::uint32_t timeout_ms) {
  const auto end = Clock::now() + milliseconds(timeout_ms);
  struct HealthCheck {
    std::string name;
    const std::vector<Setting>* health;
    const Setting* address;
  };
  std::vector<HealthCheck> checks;
  if (!config_.system.health.empty()) {
    checks.push_back({"the system", &config_.system.health, nullptr});
  }
  for (const ServiceSettings& service : config_.system.services) {
    const Setting* const address = service.address.empty() ? nullptr : &service.address.front();
    checks.push_back({service.name.text, &service.health, address});
  }
  for (const HealthCheck& check : checks) {
    while (true) {
      const auto healthy = is_healthy(*check.health, check.address);
      if (!healthy) return healthy.error();
      if (*healthy) break;
      if (interrupted()) return Diagnostic{.what = "interrupted", .trouble = Trouble::interrupted};
      if (const std::string ended = ended_part(); !ended.empty()) {
        return Diagnostic{.what = ended + " before the system was healthy\n" + last_output(),
                          .trouble = Trouble::environment};
      }
      if (Clock::now() > end) {
        return Diagnostic{.what = fmt::format("{} is not healthy after {} s\n{}", check.name,
                                              timeout_ms / 1000, last_output()),
                          .what_to_do = "",
                          .trouble = Trouble::environment};
      }
      wait_a_little();
    }
  }
  return {};
}

void RunningSystem::stop() {
  if (!parts_.empty() && !config_.system.stop.empty()) {
    std::vector<std::string> environment = environment_;
    environment.insert(environment.end(), all_variables_.begin(), all_variables_.end());
    const InterruptGrace grace(kStopMs);
    if (auto command = system_command(config_, config_.system.stop, std::move(environment))) {
      static_cast<void>(run_process(*command, kStopMs));
    }
  }
  for (const Part& part : std::exchange(parts_, {})) {
    end_group(part.leader, kGentleEnd);
    guard_forget(kGuardedParts, std::to_string(part.leader));
  }
}

}  // namespace heddle
