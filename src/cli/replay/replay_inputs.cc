#include "cli/replay/replay_inputs.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "cli/output/output.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

Result<std::vector<std::string>> findings_in(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> files;
  for (fs::directory_iterator next(folder, error); !error && next != fs::directory_iterator();
       next.increment(error)) {
    if (next->path().extension() == ".json") files.push_back(next->path().string());
  }
  if (error) {
    return Diagnostic{.what = fmt::format("the folder cannot be read: {}", error.message()),
                      .what_to_do = "check its permissions",
                      .file = folder,
                      .trouble = Trouble::environment};
  }
  if (files.empty()) {
    return Diagnostic{.what = "there are no findings in this folder: nothing ends in .json",
                      .what_to_do =
                          "name a folder that heddle explore --save, heddle find --save or heddle "
                          "race --save wrote",
                      .file = folder};
  }
  std::ranges::sort(files);
  return files;
}

// Takes a document that was read, or why it could not be.
template <class Document>
void take(Result<Document> document, std::optional<Document>& kept,
          std::optional<Diagnostic>& trouble) {
  if (document) {
    kept = std::move(*document);
  } else {
    trouble = document.error();
  }
}

ReplayInput read_finding_file(const std::string& path) {
  ReplayInput one{.file = input_name(path)};
  const Result<std::string> text = read_input(path);
  if (!text) {
    one.trouble = text.error();
  } else if (is_race_finding(*text)) {
    take(parse_race_finding(*text, one.file), one.race, one.trouble);
  } else if (is_sched_finding(*text)) {
    take(parse_sched_finding(*text, one.file), one.threads, one.trouble);
  } else {
    take(parse_finding(*text, one.file), one.finding, one.trouble);
  }
  return one;
}

}  // namespace

Result<ReplayInputs> read_findings(const std::vector<std::string>& inputs) {
  ReplayInputs read{.files = {}, .are_several = inputs.size() > 1};
  for (const std::string& input : inputs) {
    std::error_code error;
    std::vector<std::string> files = {input};
    if (input != "-" && fs::is_directory(input, error)) {
      Result<std::vector<std::string>> found = findings_in(input);
      if (!found) return found.error();
      files = *std::move(found);
      read.are_several = true;
    }
    for (const std::string& file : files) read.files.push_back(read_finding_file(file));
  }
  return read;
}

}  // namespace heddle
