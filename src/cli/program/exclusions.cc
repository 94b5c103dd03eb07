#include "cli/program/exclusions.h"

#include <cstddef>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace heddle {

OptionDefinition exclude_option() {
  return {.name = "--exclude",
          .value = "PATH",
          .kind = ValueKind::text,
          .group = "Program",
          .meaning =
              "Leave out this file or folder, and count it. A name without a slash is for "
              "all files and folders of that name; *, ?, [a-z] and ** make patterns, such as "
              "\"*.gen.java\" or \"**/src/old\". May be given several times.",
          .repeatable = true};
}

Result<Exclusions> Exclusions::of(const Arguments& arguments) {
  Exclusions exclusions;
  const std::vector<std::string> texts = arguments.texts("--exclude");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const ValueOrigin* const origin = arguments.origin("--exclude", i);
    const std::string folder =
        origin == nullptr ? "." : std::filesystem::path(origin->file).parent_path().string();
    Result<PathPattern> pattern = PathPattern::parse(texts[i], folder.empty() ? "." : folder);
    if (!pattern) {
      Diagnostic trouble = pattern.error();
      trouble.what = fmt::format("--exclude={}: {}", texts[i], trouble.what);
      if (origin != nullptr) {
        trouble.what = "exclude: " + pattern.error().what;
        trouble.file = origin->file;
        trouble.position = origin->position;
      }
      return trouble;
    }
    exclusions.patterns_.add(*std::move(pattern));
    exclusions.is_given_.push_back(origin == nullptr);
  }
  exclusions.is_used_.resize(texts.size());
  return exclusions;
}

bool Exclusions::leaves_out(const std::string& path) {
  if (path == "-") return false;
  const std::size_t first = patterns_.first_match(path);
  if (first == patterns_.all().size()) return false;
  is_used_[first] = true;
  return true;
}

std::vector<Diagnostic> Exclusions::idle() const {
  std::vector<Diagnostic> warnings;
  for (std::size_t i = 0; i < is_used_.size(); ++i) {
    const std::string& text = patterns_.all()[i].text();
    if (is_used_[i] || !is_given_[i]) continue;
    const bool is_place = text.find('/') < text.size() - 1 && !text.starts_with('/') &&
                          !text.starts_with("**/") && !text.starts_with('.');
    warnings.push_back(
        {.what = fmt::format("--exclude={} leaves out nothing that another one does not", text),
         .what_to_do = is_place ? fmt::format("write --exclude='**/{}' where it lies deeper", text)
                                : "compare it with the names of the files"});
  }
  return warnings;
}

}  // namespace heddle
