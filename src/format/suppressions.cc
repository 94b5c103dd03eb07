#include "format/suppressions.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {

namespace {

constexpr std::size_t kShortestId = 8;
constexpr std::size_t kLongestId = 64;
constexpr std::string_view kBlanks = " \t\r\f\v";
constexpr std::string_view kUntil = "until=";

// 225579a4bf1c, and lost-update-1b53c43160e1 of two requests.
bool is_id(std::string_view word) {
  const std::size_t dash = word.rfind('-');
  if (dash != word.npos) {
    const std::string_view pattern = word.substr(0, dash);
    const auto is_of_a_name = [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; };
    if (pattern.empty() || !std::ranges::all_of(pattern, is_of_a_name)) return false;
    word.remove_prefix(dash + 1);
  }
  const auto is_hex = [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  };
  return word.size() >= kShortestId && word.size() <= kLongestId &&
         std::all_of(word.begin(), word.end(), is_hex);
}

int number_at(std::string_view text, std::size_t at, std::size_t length) {
  int number = 0;
  for (const char c : text.substr(at, length)) number = number * 10 + (c - '0');
  return number;
}

bool is_date(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00";
  if (text.size() != kShape.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (kShape[i] == '-' ? text[i] != '-' : !is_digit(text[i])) return false;
  }
  constexpr int kDays[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const int year = number_at(text, 0, 4);
  const int month = number_at(text, 5, 2);
  const int day = number_at(text, 8, 2);
  if (month < 1 || month > 12 || day < 1 || day > kDays[month - 1]) return false;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month != 2 || day < 29 || leap;
}

// One line, word by word.
class LineReader {
 public:
  LineReader(std::string_view line, std::uint32_t number, std::string_view file)
      : line_(line.substr(0, line.find_last_not_of(kBlanks) + 1)), number_(number), file_(file) {
    skip_blanks();
  }

  bool is_entry() const { return at_ < line_.size() && line_[at_] != '#'; }

  Result<Suppression> read() {
    Suppression entry;
    entry.position = place();
    const std::string_view id = word();
    if (!is_id(id)) {
      return complain("this is not the id of a finding",
                      "begin the line with an id as reports print it, or with # for a comment");
    }
    entry.id = to_lower(id);
    at_ += id.size();
    skip_blanks();
    if (word().starts_with(kUntil)) {
      const std::string_view date = word().substr(kUntil.size());
      if (!is_date(date)) {
        return complain("this is not a date", "write the last day as in until=2026-12-31");
      }
      entry.until = date;
      at_ += kUntil.size() + date.size();
      skip_blanks();
    }
    if (at_ == line_.size()) {
      return complain("the entry has no reason", "say after the id why the finding is left alone");
    }
    entry.reason = line_.substr(at_);
    return entry;
  }

 private:
  std::string_view word() const {
    return line_.substr(at_, std::min(line_.find_first_of(kBlanks, at_), line_.size()) - at_);
  }

  void skip_blanks() { at_ = std::min(line_.find_first_not_of(kBlanks, at_), line_.size()); }

  SourcePosition place() const { return {number_, static_cast<std::uint32_t>(at_ + 1)}; }

  Diagnostic complain(std::string what, std::string what_to_do) const {
    return {.what = std::move(what),
            .what_to_do = std::move(what_to_do),
            .file = std::string(file_),
            .position = place()};
  }

  std::string_view line_;
  std::uint32_t number_;
  std::string_view file_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<Suppression>> parse_suppressions(std::string_view text, std::string_view file) {
  std::vector<Suppression> entries;
  std::map<std::string, std::uint32_t> lines;
  std::uint32_t number = 0;
  for (const std::string& line : split(text, '\n')) {
    LineReader reader(line, ++number, file);
    if (!reader.is_entry()) continue;
    Result<Suppression> entry = reader.read();
    if (!entry) return entry.error();
    const auto [first, is_new] = lines.emplace(entry->id, number);
    if (!is_new) {
      return Diagnostic{.what = fmt::format("line {} names the same finding", first->second),
                        .what_to_do = "leave one of the two out",
                        .file = std::string(file),
                        .position = entry->position};
    }
    entries.push_back(std::move(*entry));
  }
  return entries;
}

std::string write_suppressions(const std::vector<Suppression>& entries) {
  std::string text =
      "# Findings of heddle that are known and left alone: id, until=DATE if it ends,\n"
      "# reason. Give this file to --suppress.\n";
  for (const Suppression& entry : entries) {
    text += entry.id + "  ";
    if (!entry.until.empty()) text += fmt::format("{}{}  ", kUntil, entry.until);
    text += entry.reason + "\n";
  }
  return text;
}

}  // namespace heddle
