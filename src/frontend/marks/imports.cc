#include "frontend/marks/imports.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace heddle::marks {

namespace {

constexpr std::string_view kBlanks = " \t";

std::string last_part(std::string_view path, std::string_view separators) {
  const std::size_t at = path.find_last_of(separators);
  return std::string(at == std::string_view::npos ? path : path.substr(at + 1));
}

class ImportFinder {
 public:
  ImportFinder(const ScannedText& scanned, const Language& language)
      : scanned_(scanned), language_(language) {}

  std::vector<Import> find() {
    if (language_.family == Family::go) {
      find_go();
      return std::move(found_);
    }
    for (std::size_t line = 0; line < scanned_.lines.size(); ++line) {
      const std::size_t begin = scanned_.lines[line];
      const std::size_t end =
          line + 1 < scanned_.lines.size() ? scanned_.lines[line + 1] : scanned_.code.size();
      const std::size_t first = scanned_.code.find_first_not_of(kBlanks, begin);
      if (first == std::string::npos || first >= end) continue;
      read_line(std::string_view(scanned_.code).substr(first, end - first), first);
    }
    if (language_.family == Family::script) find_quoted({"from", "import", "require(", "import("});
    if (language_.family == Family::ruby) find_quoted({"require"});
    return std::move(found_);
  }

 private:
  void read_line(std::string_view line, std::size_t offset) {
    switch (language_.family) {
      case Family::java:
      case Family::jvm:
        if (std::string_view rest = after(line, "import"); !rest.empty()) read_jvm(rest, offset);
        break;
      case Family::python:
        read_python(line, offset);
        break;
      case Family::csharp:
        if (std::string_view rest = after(line, "global"); !rest.empty()) line = rest;
        if (std::string_view rest = after(line, "using"); !rest.empty()) read_using(rest, offset);
        break;
      case Family::php:
        if (std::string_view rest = after(line, "use"); !rest.empty()) {
          add(std::string(name_at(rest, "\\")), last_part(name_at(rest, "\\"), "\\"), offset);
        }
        break;
      case Family::rust:
        if (std::string_view rest = after(line, "pub"); !rest.empty()) line = rest;
        for (const std::string_view word : {"use", "extern crate"}) {
          if (std::string_view rest = after(line, word); !rest.empty()) {
            add(std::string(name_at(rest, ":")), "", offset);
          }
        }
        break;
      case Family::c:
        read_include(line, offset);
        break;
      case Family::perl:
      case Family::elixir:
        for (const std::string_view word : {"use", "import", "alias", "require"}) {
          if (std::string_view rest = after(line, word); !rest.empty()) {
            add(std::string(name_at(rest, ":.")), "", offset);
          }
        }
        break;
      default:
        break;
    }
  }

  // What comes behind a word that the line begins with; empty: it begins otherwise.
  static std::string_view after(std::string_view line, std::string_view word) {
    if (!line.starts_with(word) || line.size() <= word.size()) return {};
    if (kBlanks.find(line[word.size()]) == std::string_view::npos) return {};
    return trim(line.substr(word.size()));
  }

  static std::string_view name_at(std::string_view text, std::string_view others) {
    std::size_t end = 0;
    if (text.starts_with("\\")) text.remove_prefix(1);
    while (end < text.size() &&
           (is_word_character(text[end]) || others.find(text[end]) != std::string_view::npos)) {
      ++end;
    }
    return text.substr(0, end);
  }

  // import static a.b.C.*; import a.b.{C, D}; import a.b.C as D
  void read_jvm(std::string_view rest, std::size_t offset) {
    if (std::string_view what = after(rest, "static"); !what.empty()) {
      // A constant or method of a class: the class is what is imported.
      const std::string_view path = name_at(what, ".");
      const std::size_t dot = path.rfind('.');
      if (dot != std::string_view::npos) add(std::string(path.substr(0, dot)), "", offset);
      return;
    }
    std::string path(name_at(rest, "."));
    rest = trim(rest.substr(path.size()));
    if (rest.starts_with("{")) {
      const std::string inner(
          rest.substr(1, rest.find('}') - std::min<std::size_t>(rest.find('}'), 1)));
      for (const std::string& one : split(inner, ',')) {
        const std::string name(name_at(trim(one), ""));
        if (!name.empty()) add(path + name, name, offset);
      }
      return;
    }
    if (path.ends_with('.')) path.pop_back();  // a.b.*
    const bool is_all = rest.starts_with("*") || rest.starts_with("_") || path.ends_with("._");
    std::string name = is_all ? "" : last_part(path, ".");
    if (std::string_view alias = after(rest, "as"); !alias.empty()) name = name_at(alias, "");
    add(std::move(path), std::move(name), offset);
  }

  void read_python(std::string_view line, std::size_t offset) {
    if (std::string_view rest = after(line, "from"); !rest.empty()) {
      const std::string path(name_at(rest, "."));
      rest = after(trim(rest.substr(path.size())), "import");
      if (path.empty() || path.starts_with('.')) return;
      add(path, "", offset);
      for (const std::string& one : split(rest, ',')) {
        std::string_view name = trim(one);
        if (name.starts_with("(")) name.remove_prefix(1);
        name = name_at(trim(name), "");
        if (!name.empty()) add(path + "." + std::string(name), std::string(name), offset);
      }
      return;
    }
    if (std::string_view rest = after(line, "import"); !rest.empty()) {
      for (const std::string& one : split(rest, ',')) {
        const std::string_view path = name_at(trim(one), ".");
        if (!path.empty()) add(std::string(path), "", offset);
      }
    }
  }

  // using A.B; using C = A.B; using (var x = ...) and using var x = ... import nothing.
  void read_using(std::string_view rest, std::size_t offset) {
    if (std::string_view what = after(rest, "static"); !what.empty()) rest = what;
    std::string_view path = name_at(rest, ".");
    rest = trim(rest.substr(path.size()));
    if (rest.starts_with("=")) {
      path = name_at(trim(rest.substr(1)), ".");
      rest = trim(rest.substr(rest.find(path) + path.size()));
    }
    if (rest.starts_with(";") && !path.empty()) add(std::string(path), "", offset);
  }

  // #include <a/b.h>, #include "a.h", whose quotes hide the name in the code.
  void read_include(std::string_view line, std::size_t offset) {
    if (!line.starts_with("#")) return;
    const std::string_view rest = trim(line.substr(1));
    if (!rest.starts_with("include")) return;
    const std::string_view text = scanned_.text.substr(offset, line.size());
    const std::size_t open = text.find_first_of("<\"");
    if (open == std::string_view::npos) return;
    const std::size_t close = text.find_first_of(">\"", open + 1);
    if (close == std::string_view::npos) return;
    add(std::string(text.substr(open + 1, close - open - 1)), "", offset);
  }

  void find_quoted(const std::vector<std::string_view>& before) {
    constexpr std::size_t kFar = 24;
    for (const Literal& literal : scanned_.literals) {
      const std::size_t begin = literal.begin - std::min(literal.begin, kFar);
      std::string_view code =
          trim(std::string_view(scanned_.code).substr(begin, literal.begin - begin));
      if (language_.family == Family::ruby && code.ends_with("(")) {
        code = trim(code.substr(0, code.size() - 1));
      }
      const bool is_import = std::ranges::any_of(before, [&](std::string_view word) {
        if (!code.ends_with(word)) return false;
        return code.size() == word.size() ||
               !is_word_character(code[code.size() - word.size() - 1]);
      });
      if (is_import) add(literal.text, "", literal.begin);
    }
  }

  // import "x", import ( ... )
  void find_go() {
    std::size_t end_of_block = 0;
    for (const Literal& literal : scanned_.literals) {
      const std::size_t word = std::string_view(scanned_.code).rfind("import", literal.begin);
      if (word == std::string_view::npos) continue;
      const std::string_view between =
          std::string_view(scanned_.code).substr(word + 6, literal.begin - word - 6);
      const bool opens = trim(between).starts_with("(");
      if (opens && literal.begin > end_of_block) {
        end_of_block = scanned_.code.find(')', word);
      }
      const bool is_alone = between.find('\n') == std::string_view::npos;
      if (opens ? literal.begin < end_of_block : is_alone) add(literal.text, "", literal.begin);
    }
  }

  void add(std::string path, std::string name, std::size_t offset) {
    found_.push_back({.path = std::move(path), .name = std::move(name), .offset = offset});
  }

  const ScannedText& scanned_;
  const Language& language_;
  std::vector<Import> found_;
};

}  // namespace

std::vector<Import> imports_of(const ScannedText& scanned, const Language& language) {
  return ImportFinder(scanned, language).find();
}

bool is_within(std::string_view path, std::string_view named) {
  if (!path.starts_with(named)) return false;
  if (path.size() == named.size() || named.ends_with('/')) return true;
  return std::string_view("./\\:").find(path[named.size()]) != std::string_view::npos;
}

}  // namespace heddle::marks
