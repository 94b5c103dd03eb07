// For tests of what must go when a process dies: children that die, and waiting for the effect.
#pragma once

#include <chrono>
#include <cstdio>
#include <dirent.h>
#include <filesystem>
#include <functional>
#include <memory>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"

namespace heddle {

// Asks until it is so, for half a minute: far longer than anything here takes.
inline bool eventually(const std::function<bool()>& is_so) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

inline bool is_empty_directory(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), &::closedir);
  int entries = 0;
  while (directory && ::readdir(directory.get()) != nullptr) ++entries;
  return entries == 2;
}

// A child process that runs a body, which may say one line to the test through `say`.
class Child {
 public:
  using Say = std::function<void(const std::string&)>;

  explicit Child(const std::function<int(const Say&)>& body) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    std::fflush(nullptr);  // or the child would write it as well
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      const int end = ends[1];
      ::_exit(body([end](const std::string& text) {
        const std::string line = text + "\n";
        if (::write(end, line.data(), line.size()) < 0) ::_exit(99);
      }));
    }
    ::close(ends[1]);
    output_ = FileDescriptor(ends[0]);
  }

  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ != 0) wait_after(SIGKILL);
  }

  pid_t pid() const { return pid_; }

  // What it says next, or what it said before it closed its output.
  std::string hear() {
    std::string line;
    char c = 0;
    while (::read(output_.get(), &c, 1) == 1 && c != '\n') line += c;
    return line;
  }

  // Its exit code, or the negative of the signal that ended it.
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  int wait_after(int signal) {
    ::kill(pid_, signal);
    return wait();
  }

 private:
  pid_t pid_ = 0;
  FileDescriptor output_;
};

// The processes that `parent` has started and that are called `name`.
inline std::vector<pid_t> children_of(pid_t parent, const std::string& name) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const Result<std::string> status = read_file(entry.path().string() + "/stat");
    const std::string number = entry.path().filename().string();
    if (!status || !status->starts_with(fmt::format("{} ({}) ", number, name))) continue;
    // "number (name) state parent ..."
    const std::vector<std::string> fields = split(status->substr(status->rfind(')')), ' ');
    if (fields.at(2) == std::to_string(parent)) children.push_back(std::stoi(number));
  }
  return children;
}

}  // namespace heddle
