#include "store/client_environment.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {

namespace {

// One per process, never destroyed: others may end after it.
class TakenVariables {
 public:
  static TakenVariables& of_this_process() {
    static auto* taken = new TakenVariables;
    return *taken;
  }

  void take(std::span<const std::string_view> names) {
    const std::lock_guard lock(mutex_);
    for (const std::string_view text : names) {
      const std::string name(text);
      const char* const value = std::getenv(name.c_str());
      if (value == nullptr) continue;
      values_.emplace(name, value);
      ::unsetenv(name.c_str());
    }
  }

  std::optional<std::string> value(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

  std::vector<std::string> all() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> all;
    for (const auto& [name, value] : values_) all.push_back(fmt::format("{}={}", name, value));
    return all;
  }

  void listen(std::function<void(const std::string&)> listener) {
    const std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
  }

  void tell(std::vector<std::string> variables) {
    const std::lock_guard lock(mutex_);
    std::erase_if(variables, [&](const std::string& name) { return !values_.contains(name); });
    std::ranges::sort(variables);
    const std::string names = join(variables, ", ");
    if (variables.empty() || std::exchange(told_[names], true) || !listener_) return;
    listener_(
        fmt::format("{} {} ignored: from the environment a given server's address takes only what "
                    "authenticates and encrypts",
                    names, variables.size() == 1 ? "is" : "are"));
  }

 private:
  TakenVariables() = default;

  std::mutex mutex_;  // guards all below
  std::map<std::string, std::string, std::less<>> values_;
  std::function<void(const std::string&)> listener_;
  std::map<std::string, bool> told_;
};

}  // namespace

void take_variables(std::span<const std::string_view> names) {
  TakenVariables::of_this_process().take(names);
}

std::optional<std::string> taken_variable(std::string_view name) {
  return TakenVariables::of_this_process().value(name);
}

std::vector<std::string> taken_variables() { return TakenVariables::of_this_process().all(); }

void tell_of_ignored(std::vector<std::string> variables) {
  TakenVariables::of_this_process().tell(std::move(variables));
}

void tell_of_ignored_variables(std::function<void(const std::string& line)> listener) {
  TakenVariables::of_this_process().listen(std::move(listener));
}

}  // namespace heddle
