#include "cli/program/source_place.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "base/text.h"

namespace heddle {

namespace {

struct Meaning {
  std::string_view name;  // of a folder, without separators and capitals
  LeftOutReason reason;
};

constexpr std::array kFolders = {
    Meaning{"test", LeftOutReason::test},
    Meaning{"tests", LeftOutReason::test},
    Meaning{"androidtest", LeftOutReason::test},
    Meaning{"testfixtures", LeftOutReason::test},
    Meaning{"testdata", LeftOutReason::test},
    Meaning{"testresources", LeftOutReason::test},
    Meaning{"testsuite", LeftOutReason::test},
    Meaning{"testsuites", LeftOutReason::test},
    Meaning{"inttest", LeftOutReason::test},
    Meaning{"itest", LeftOutReason::test},
    Meaning{"e2e", LeftOutReason::test},
    Meaning{"generatedtestsources", LeftOutReason::test},
    Meaning{"sample", LeftOutReason::sample},
    Meaning{"samples", LeftOutReason::sample},
    Meaning{"example", LeftOutReason::sample},
    Meaning{"examples", LeftOutReason::sample},
    Meaning{"doc", LeftOutReason::documentation},
    Meaning{"docs", LeftOutReason::documentation},
    Meaning{"documentation", LeftOutReason::documentation},
    Meaning{"javadoc", LeftOutReason::documentation},
    Meaning{"apidocs", LeftOutReason::documentation},
    Meaning{"archetyperesources", LeftOutReason::pattern},
};

// What a folder's name may end with: fineract-integration-tests. "test" alone is too little, since
// blood-test may be what a laboratory sells.
constexpr std::array<std::string_view, 12> kKindsOfTests = {
    "integration", "functional",  "acceptance", "unit", "system",   "e2e",
    "endtoend",    "performance", "regression", "load", "contract", "smoke"};

constexpr std::array<std::string_view, 6> kTestNames = {"Test",   "Tests",    "IT",
                                                        "ITCase", "TestCase", "Spec"};
constexpr std::array<std::string_view, 8> kTestMarks = {
    "org.junit",   "junit.framework", "org.testng", "org.springframework.boot.test",
    "org.mockito", "org.assertj",     "spock.lang", "org.springframework.test"};

constexpr std::array<std::string_view, 3> kBuildFolders = {"target", "build", "out"};
constexpr std::array<std::string_view, 9> kBuildFiles = {
    "pom.xml",   "build.gradle",        "build.gradle.kts", "settings.gradle", "build.xml",
    "build.sbt", "settings.gradle.kts", ".classpath",       ".project"};

std::string without_separators(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) plain += c;
  }
  return to_lower(plain);
}

std::optional<LeftOutReason> meaning_of_folder(std::string_view name) {
  const std::string plain = without_separators(name);
  const auto* const known = std::ranges::find(kFolders, plain, &Meaning::name);
  if (known != kFolders.end()) return known->reason;
  const bool is_of_tests = std::ranges::any_of(kKindsOfTests, [&](std::string_view kind) {
    return plain.ends_with(std::string(kind) + "test") ||
           plain.ends_with(std::string(kind) + "tests");
  });
  if (is_of_tests) return LeftOutReason::test;
  return std::nullopt;
}

// The text behind comments and blanks.
std::string_view without_comments(std::string_view text) {
  while (!text.empty()) {
    const std::size_t first = text.find_first_not_of(" \t\r\n\f\xEF\xBB\xBF");
    if (first == text.npos) return {};
    text.remove_prefix(first);
    const bool is_line = text.starts_with("//");
    if (!is_line && !text.starts_with("/*")) return text;
    const std::size_t end = is_line ? text.find('\n') : text.find("*/", 2);
    if (end == text.npos) return {};
    text.remove_prefix(end + (is_line ? 1 : 2));
  }
  return text;
}

// The parts of a Java file's package; none: it has no package.
std::vector<std::string> package_of(std::string_view text) {
  text = without_comments(text);
  if (!text.starts_with("package ")) return {};
  const std::size_t end = text.find(';');
  if (end == text.npos) return {};
  return split(trim(text.substr(8, end - 8)), '.');
}

// How many of the last folders the package stands for: all of them, if the folder that was given
// lies inside of the package.
std::size_t folders_of_package(std::span<const FolderOnTheWay> folders, std::string_view text) {
  const std::vector<std::string> package = package_of(text);
  const std::size_t count = std::min(package.size(), folders.size());
  for (std::size_t i = 1; i <= count; ++i) {
    if (folders[folders.size() - i].name != package[package.size() - i]) return 0;
  }
  return count;
}

bool is_made_of_tests(std::string_view name, std::string_view text) {
  const std::string_view stem = name.substr(0, name.rfind('.'));
  const bool is_named_so =
      stem.starts_with("Test") ||
      std::ranges::any_of(kTestNames, [&](std::string_view end) { return stem.ends_with(end); });
  return is_named_so && std::ranges::any_of(kTestMarks, [&](std::string_view mark) {
           return text.find(mark) != text.npos;
         });
}

// Before the first declaration: an annotation, or a comment that asks for nobody to edit the file.
bool says_it_is_generated(std::string_view text) {
  const std::string_view head = text.substr(0, text.find('{'));
  for (const std::string_view mark : {"@Generated", ".Generated(", "DO NOT EDIT"}) {
    if (head.find(mark) != head.npos) return true;
  }
  const std::string small = to_lower(head);
  const bool is_generated = small.find("generated") != small.npos;
  return is_generated &&
         (small.find("do not edit") != small.npos || small.find("do not modify") != small.npos);
}

bool is_folder_of_generated(std::string_view name) {
  const std::string plain = without_separators(name);
  return plain == "generated" || plain == "generatedsources" || plain == "srcgen";
}

// What the folders say, those of a package left out.
SourcePlace place_of_folders(std::span<const FolderOnTheWay> folders, bool is_java) {
  SourcePlace place;
  bool is_built = false;
  bool is_main = false;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const std::string& name = folders[i].name;
    const bool is_below_source = i > 0 && folders[i - 1].name == "src";
    const bool is_hidden = name.size() > 1 && name.starts_with('.');
    std::optional<LeftOutReason> meaning = meaning_of_folder(name);
    if (!meaning && name == "it" && (is_below_source || (i == 0 && is_java))) {
      meaning = LeftOutReason::test;
    }
    if (is_main && meaning != LeftOutReason::pattern) meaning.reset();
    if (is_java && name == "resources") meaning = LeftOutReason::pattern;
    if (is_hidden || name == "node_modules") meaning = LeftOutReason::hidden;
    is_main = is_main || (is_below_source && name == "main");
    is_built = is_built || folders[i].is_built;
    place.is_generated = place.is_generated || is_folder_of_generated(name);
    if (meaning && !place.left_out) place.left_out = meaning;
  }
  if (!place.left_out && is_built && !place.is_generated) {
    place.left_out = LeftOutReason::build_copy;
  }
  return place;
}

}  // namespace

bool is_build_folder(std::string_view name, const std::vector<std::string>& beside) {
  if (std::ranges::find(kBuildFolders, name) == kBuildFolders.end()) return false;
  return std::ranges::any_of(beside, [](const std::string& other) {
    return std::ranges::find(kBuildFiles, other) != kBuildFiles.end();
  });
}

SourcePlace place_of_source(const std::vector<FolderOnTheWay>& folders, std::string_view name,
                            std::string_view text) {
  const bool is_java = name.ends_with(".java");
  std::span<const FolderOnTheWay> counted = folders;
  if (is_java) counted = counted.first(folders.size() - folders_of_package(counted, text));
  SourcePlace place = place_of_folders(counted, is_java);
  if (is_java && !place.left_out && is_made_of_tests(name, text)) {
    place.left_out = LeftOutReason::test;
  }
  if (is_java && says_it_is_generated(text)) place.is_generated = true;
  return place;
}

std::string_view name_of_many(LeftOutReason reason) {
  switch (reason) {
    case LeftOutReason::test:
      return "tests";
    case LeftOutReason::sample:
      return "samples";
    case LeftOutReason::documentation:
      return "documentation";
    case LeftOutReason::pattern:
      return "templates";
    case LeftOutReason::build_copy:
      return "made by a build";
    case LeftOutReason::copy:
      return "copies of others";
    case LeftOutReason::hidden:
      return "in hidden folders";
    case LeftOutReason::excluded:
      return "excluded";
    case LeftOutReason::unreadable:
      return "not readable";
  }
  return "";
}

}  // namespace heddle
