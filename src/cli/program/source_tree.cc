#include "cli/program/source_tree.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "frontend/marks/dialect_files.h"
#include "frontend/marks/front_ends.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

bool is_given_back(LeftOutReason reason) {
  return reason == LeftOutReason::test || reason == LeftOutReason::sample ||
         reason == LeftOutReason::documentation;
}

class TreeWalk {
 public:
  explicit TreeWalk(const TreeOptions& options) : options_(options) {}

  Result<SourceTree> walk(const std::string& root) {
    open_.push_back({.path = root, .folders = {}});
    for (bool is_root = true; !open_.empty(); is_root = false) {
      const Folder folder = std::move(open_.back());
      open_.pop_back();
      const std::error_code error = enter(folder);
      if (error && is_root) {
        return Diagnostic{.what = fmt::format("the folder cannot be read: {}", error.message()),
                          .what_to_do = "check its name and permissions",
                          .file = root,
                          .trouble = Trouble::environment};
      }
      if (error) leave_out(folder.path, LeftOutReason::unreadable);
      if (trouble_) return *std::move(trouble_);
    }
    take_documented_tables();
    std::ranges::sort(tree_.files, {}, &TreeFile::path);
    leave_out_copies();
    std::ranges::sort(tree_.left_out, {}, &LeftOutFile::path);
    std::ranges::sort(tree_.others);
    std::ranges::sort(tree_.excluded_others);
    return std::move(tree_);
  }

 private:
  struct Folder {
    fs::path path;
    std::vector<FolderOnTheWay> folders;  // from the root, with this one
    bool is_excluded = false;
  };

  std::error_code enter(const Folder& folder) {
    std::error_code error;
    std::vector<fs::directory_entry> entries;
    std::vector<std::string> names;
    fs::directory_iterator next(folder.path, error);
    for (; !error && next != fs::directory_iterator(); next.increment(error)) {
      entries.push_back(*next);
      names.push_back(next->path().filename().string());
    }
    for (std::size_t i = 0; i < entries.size() && !trouble_; ++i) {
      std::error_code ignored;
      if (entries[i].is_directory(ignored)) {
        if (!entries[i].is_symlink(ignored)) add_folder(folder, entries[i].path(), names);
      } else if (entries[i].is_regular_file(ignored)) {
        add_file(folder, entries[i].path());
      }
    }
    return error;
  }

  void add_folder(const Folder& in, const fs::path& path, const std::vector<std::string>& beside) {
    Folder folder{.path = path, .folders = in.folders, .is_excluded = excludes(in, path)};
    const std::string name = path.filename().string();
    folder.folders.push_back({.name = name, .is_built = is_build_folder(name, beside)});
    open_.push_back(std::move(folder));
  }

  bool excludes(const Folder& in, const fs::path& path) const {
    return in.is_excluded || (options_.is_excluded && options_.is_excluded(path.string()));
  }

  void add_file(const Folder& folder, const fs::path& path) {
    const std::string name = path.filename().string();
    const marks::FrontEnd* const front_end = marks::front_end_of(name);
    if (excludes(folder, path)) {
      if (front_end != nullptr) {
        leave_out(path, LeftOutReason::excluded);
      } else {
        tree_.excluded_others.push_back(path.string());
      }
      return;
    }
    if (front_end == nullptr) {
      const std::optional<LeftOutReason> reason =
          reason_of(place_of_source(folder.folders, name, ""));
      if (!reason) tree_.others.push_back(path.string());
      return;
    }
    std::string text;
    if (front_end->is_told_by_text && !read(path, text)) return;
    const SourcePlace place = place_of_source(folder.folders, name, text);
    if (const std::optional<LeftOutReason> reason = reason_of(place)) {
      return leave_out(path, *reason);
    }
    if (!front_end->is_told_by_text && !read(path, text)) return;
    add({.path = path.string(), .text = std::move(text), .is_generated = place.is_generated});
  }

  std::optional<LeftOutReason> reason_of(const SourcePlace& place) const {
    if (place.left_out && options_.with_tests && is_given_back(*place.left_out))
      return std::nullopt;
    return place.left_out;
  }

  bool read(const fs::path& path, std::string& text) {
    Result<std::string> content = read_file(path.string());
    if (content) {
      text = *std::move(content);
    } else {
      trouble_ = content.error();
    }
    return !trouble_;
  }

  void add(TreeFile file) {
    tree_.files.push_back(std::move(file));
    if (options_.progress) options_.progress(tree_.files.size());
  }

  void leave_out(const fs::path& path, LeftOutReason reason) {
    tree_.left_out.push_back({.path = path.string(), .reason = reason});
  }

  // Many a project keeps the only definition of its tables in a folder doc.
  void take_documented_tables() {
    const bool has_tables = std::ranges::any_of(tree_.files, [](const TreeFile& file) {
      return file.path.ends_with(".sql") &&
             to_lower(file.text).find("create table") != std::string::npos;
    });
    if (has_tables) return;
    std::vector<LeftOutFile> left_out = std::exchange(tree_.left_out, {});
    for (LeftOutFile& file : left_out) {
      std::string text;
      const bool is_taken = file.reason == LeftOutReason::documentation &&
                            file.path.ends_with(".sql") && read(file.path, text);
      if (is_taken) {
        add({.path = std::move(file.path), .text = std::move(text)});
      } else {
        tree_.left_out.push_back(std::move(file));
      }
    }
  }

  // Tables are defined once. Files for several databases are another matter. REQUIRES: the files
  // are sorted.
  void leave_out_copies() {
    std::set<std::pair<std::string_view, std::string_view>> seen;
    std::vector<std::size_t> copies;
    for (std::size_t i = 0; i < tree_.files.size(); ++i) {
      const TreeFile& file = tree_.files[i];
      if (!file.path.ends_with(".sql")) continue;
      const std::string_view database = marks::database_of(file.path);
      if (!seen.emplace(database, file.text).second) copies.push_back(i);
    }
    for (const std::size_t copy : std::views::reverse(copies)) {
      leave_out(tree_.files[copy].path, LeftOutReason::copy);
      tree_.files.erase(tree_.files.begin() + static_cast<std::ptrdiff_t>(copy));
    }
  }

  const TreeOptions& options_;
  SourceTree tree_;
  std::vector<Folder> open_;
  std::optional<Diagnostic> trouble_;
};

}  // namespace

Result<SourceTree> read_source_tree(const std::string& folder, const TreeOptions& options) {
  return TreeWalk(options).walk(folder);
}

std::optional<Diagnostic> refuse_empty_tree(const std::string& folder, const SourceTree& tree) {
  if (!tree.files.empty()) return std::nullopt;
  if (tree.left_out.empty()) {
    std::vector<std::string> endings;
    for (const marks::FrontEnd& one : marks::front_ends()) endings.emplace_back(one.ending);
    std::ranges::sort(endings);
    return Diagnostic{.what = "the folder has no " + join(endings, " and no ") + " files",
                      .what_to_do = "name the folder or the files of the program",
                      .file = folder};
  }
  return Diagnostic{
      .what = fmt::format("nothing in the folder is read: {}", describe_left_out(tree.left_out)),
      .what_to_do = way_back(tree.left_out),
      .file = folder};
}

std::string describe_left_out(const std::vector<LeftOutFile>& left_out) {
  if (left_out.empty()) return "";
  std::map<LeftOutReason, std::vector<const LeftOutFile*>> by_reason;
  for (const LeftOutFile& file : left_out) by_reason[file.reason].push_back(&file);
  std::vector<std::string> parts;
  for (const auto& [reason, files] : by_reason) {
    parts.push_back(fmt::format("{}: {} ({}{})", name_of_many(reason), files.size(),
                                files.front()->path, files.size() > 1 ? ", ..." : ""));
  }
  return fmt::format(
      "{} left out; {}",
      left_out.size() == 1 ? "1 file is" : fmt::format("{} files are", left_out.size()),
      join(parts, ", "));
}

std::string way_back(const std::vector<LeftOutFile>& left_out) {
  const bool is_excluded = std::ranges::all_of(
      left_out, [](const LeftOutFile& file) { return file.reason == LeftOutReason::excluded; });
  if (is_excluded) return "exclude less to read it: --exclude, heddle.yaml";
  const bool has_tests = std::ranges::any_of(
      left_out, [](const LeftOutFile& file) { return is_given_back(file.reason); });
  return has_tests ? "name a file or folder to read it, or add --with-tests"
                   : "name a file or folder to read it";
}

}  // namespace heddle
