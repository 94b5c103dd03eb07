// What a file below a folder is, by where it lies and what it says: the program itself, or its
// tests, samples, documentation, or what a build makes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// Why a file below a folder is no part of the program.
enum class LeftOutReason : std::uint8_t {
  test,
  sample,
  documentation,
  pattern,     // that sources are made from: a Maven archetype, a template among the resources
  build_copy,  // made by a build from files that are there, too
  copy,        // says byte for byte what another file says
  hidden,      // in a folder whose name begins with a dot
  excluded,    // by the user
  unreadable,
};

struct SourcePlace {
  std::optional<LeftOutReason> left_out;  // none: it is read
  bool is_generated = false;
};

// A folder on the way from the one that was given to the file.
struct FolderOnTheWay {
  std::string name;
  bool is_built = false;  // what a build makes is put here: target beside a pom.xml
};

// Whether a build puts what it makes into a folder of that name, given the names beside it.
bool is_build_folder(std::string_view name, const std::vector<std::string>& beside);

// What a file is. Folders that a Java file's package stands for say nothing: com.example is no
// sample. Nor do those below src/main. `text` may be empty for other files than Java's.
SourcePlace place_of_source(const std::vector<FolderOnTheWay>& folders, std::string_view name,
                            std::string_view text);

// "tests", "samples".
std::string_view name_of_many(LeftOutReason reason);

}  // namespace heddle
