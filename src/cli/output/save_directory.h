// The directory of --save, in which each thing that was found gets files of a name of its own.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "heddle/result.h"

namespace heddle {

class SaveDirectory {
 public:
  // Makes the directory if need be, so that an unwritable one is an error before the work. An empty
  // path: nothing is saved.
  static Result<SaveDirectory> open(const std::string& path, std::string_view option = "--save");

  bool is_open() const { return !path_.empty(); }
  // The stem, or with a number behind it if it was given before.
  std::string unused_stem(const std::string& stem);
  // Whole or not at all.
  Result<void> write(const std::string& stem, const std::string& suffix, const std::string& text);

 private:
  std::string path_;
  std::set<std::string> used_;
};

}  // namespace heddle
