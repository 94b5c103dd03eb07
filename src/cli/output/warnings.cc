#include "cli/output/warnings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/options/shared_options.h"
#include "cli/output/output.h"

namespace heddle {

namespace {

constexpr std::size_t kMostPlaces = 3;

// A name follows these.
constexpr std::array<std::string_view, 16> kNouns = {
    "table",      "tables",    "column",   "columns",  "index",     "sequence",
    "type",       "view",      "language", "function", "parameter", "statement",
    "constraint", "implement", "service",  "construct"};

bool is_capital(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

// Everything between quotation marks becomes one mark.
std::string without_quoted(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    result += text[at];
    if (text[at] != '"') continue;
    const std::size_t end = text.find('"', at + 1);
    if (end == std::string_view::npos) break;
    at = end;
  }
  return result;
}

// transfer(), account.balance, customer_id, newOrder, 12, src/Bank.java: no word of a sentence.
bool is_name(std::string_view word) {
  while (word.ends_with(',') || word.ends_with('.') || word.ends_with(';') || word.ends_with(':')) {
    word.remove_suffix(1);
  }
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if (!is_letter(c) && c != '-' && c != '\'') return true;
    if (i > 0 && is_capital(c) && !is_capital(word[i - 1])) return true;
  }
  return false;
}

// "pay: its tables belong to several services: SELECT ..." without the statement that it quotes.
std::string_view without_statement(std::string_view text) {
  for (const std::string_view verb :
       {": SELECT ", ": INSERT ", ": UPDATE ", ": DELETE ", ": WITH "}) {
    text = text.substr(0, text.find(verb));
  }
  return text;
}

std::string place_of(const Diagnostic& warning) {
  if (warning.file.empty()) return "";
  if (warning.position.line == 0) return warning.file;
  return fmt::format("{}:{}:{}", warning.file, warning.position.line, warning.position.column);
}

struct WarningKind {
  Diagnostic first;
  std::size_t more = 0;
  std::vector<std::string> places;  // of the others, each once
};

// How many more there are, and where.
std::string more_text(const WarningKind& kind) {
  std::string text = fmt::format("{} more like this", kind.more);
  const std::size_t shown = std::min(kMostPlaces, kind.places.size());
  if (shown == 0) return text;
  text +=
      " at " + join({kind.places.begin(), kind.places.begin() + static_cast<long>(shown)}, ", ");
  if (kind.places.size() > shown) text += ", ...";
  return text;
}

}  // namespace

OptionDefinition warnings_option() {
  return {.name = "--warnings",
          .value = "HOW",
          .kind = ValueKind::choice,
          .group = kOutputGroup,
          .meaning =
              "Which warnings are printed: all; brief, those of one kind on one line with a "
              "count and the first places; or none.",
          .fallback = "brief",
          .choices = {"all", "brief", "none"}};
}

std::string kind_of_warning(const Diagnostic& warning) {
  std::string kind;
  bool names_something = false;
  const std::string text = fmt::format("{} | {}", without_statement(warning.what),
                                       without_statement(warning.what_to_do));
  for (const std::string& word : split(without_quoted(text), ' ')) {
    // What a warning begins with and a colon follows is whom it is about.
    const bool is_subject = kind.empty() && word.ends_with(':');
    const bool is_one = word != "|" && (names_something || is_subject || is_name(word));
    kind += is_one ? "* " : word + " ";
    names_something = std::ranges::find(kNouns, word) != kNouns.end();
  }
  return kind;
}

std::vector<Diagnostic> brief_warnings(const std::vector<Diagnostic>& warnings) {
  std::vector<WarningKind> kinds;
  std::map<std::string, std::size_t> known;
  for (const Diagnostic& warning : warnings) {
    const auto [kind, is_new] = known.emplace(kind_of_warning(warning), kinds.size());
    if (is_new) {
      kinds.push_back({.first = warning, .places = {}});
      continue;
    }
    WarningKind& of = kinds[kind->second];
    ++of.more;
    const std::string place = place_of(warning);
    const bool is_known = place.empty() || place == place_of(of.first) ||
                          std::ranges::find(of.places, place) != of.places.end();
    if (!is_known) of.places.push_back(place);
  }
  std::vector<Diagnostic> brief;
  for (WarningKind& kind : kinds) {
    if (kind.more > 0) {
      std::string& last = kind.first.what_to_do.empty() ? kind.first.what : kind.first.what_to_do;
      last += fmt::format(" ({})", more_text(kind));
    }
    brief.push_back(std::move(kind.first));
  }
  return brief;
}

void print_warnings(const std::vector<Diagnostic>& warnings, const Arguments& arguments) {
  const std::string how = arguments.text("--warnings");
  if (how == "none") return;
  for (const Diagnostic& warning : how == "all" ? warnings : brief_warnings(warnings)) {
    print_warning(warning);
  }
}

}  // namespace heddle
