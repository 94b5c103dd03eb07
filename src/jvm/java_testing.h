// Java that a test compiles.
#pragma once

#include <stdexcept>
#include <string>

#include "base/file.h"
#include "base/process.h"

namespace heddle {

class CompiledJava {
 public:
  // `text` declares the class `name`.
  CompiledJava(const std::string& name, const std::string& text) {
    auto folder = make_private_directory(chosen_temporary_root().value_or("/tmp"), "heddle-java-");
    if (!folder) throw std::runtime_error(to_string(folder.error()));
    folder_ = *folder;
    const std::string source = folder_ + "/" + name + ".java";
    if (auto written = write_file_atomically(source, text); !written) {
      throw std::runtime_error(to_string(written.error()));
    }
    const auto done = run_process({.arguments = {"/usr/bin/env", "javac", "-encoding", "UTF-8",
                                                 "-J-XX:+UseSerialGC", "-g", "-d", folder_, source},
                                   .environment = inherited_environment({"PATH", "HOME"}),
                                   .working_directory = "",
                                   .account = {}},
                                  120'000);
    if (!done) throw std::runtime_error(to_string(done.error()));
    if (!done->succeeded()) throw std::runtime_error(done->output);
  }
  CompiledJava(const CompiledJava&) = delete;
  CompiledJava& operator=(const CompiledJava&) = delete;
  ~CompiledJava() { static_cast<void>(remove_tree(folder_)); }

  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

}  // namespace heddle
