#include "cli/output/detail_option.h"

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/read_number.h"
#include "base/text.h"
#include "cli/options/shared_options.h"
#include "cli/output/output.h"

namespace heddle {

namespace {

constexpr std::size_t kDigitsOfId = 12;

Diagnostic no_choice(const std::string& word) {
  return {.what = fmt::format("--details={} names no causes", word),
          .what_to_do = "give numbers as the table has them (3 or 5-9), ids, all or none"};
}

bool is_id(std::string_view word) {
  if (word.size() != kDigitsOfId) return false;
  for (const char c : word) {
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return false;
  }
  return true;
}

Result<std::size_t> number_of(std::string_view text, const std::string& word) {
  const Result<std::uint64_t> number = parse_number(text);
  if (!number || *number == 0) return no_choice(word);
  return static_cast<std::size_t>(*number);
}

Result<void> add_detail(const std::string& word, DetailChoice& choice) {
  choice.is_given = true;
  if (word == "none") return {};
  if (word == "all") {
    choice.all = true;
    return {};
  }
  if (is_id(word)) {
    choice.ids.push_back(to_lower(word));
    return {};
  }
  // F3: a failure of heddle split.
  const bool is_failure = word.starts_with('F') || word.starts_with('f');
  const std::string numbers = word.substr(is_failure ? 1 : 0);
  const std::size_t dash = numbers.find('-');
  const Result<std::size_t> first = number_of(numbers.substr(0, dash), word);
  if (!first) return first.error();
  const Result<std::size_t> last =
      dash == std::string::npos ? first : number_of(numbers.substr(dash + 1), word);
  if (!last) return last.error();
  if (*last < *first) return no_choice(word);
  (is_failure ? choice.failures : choice.ranges).push_back({*first, *last});
  return {};
}

}  // namespace

OptionDefinition details_option() {
  return {.name = "--details",
          .value = "CAUSES",
          .kind = ValueKind::text,
          .group = kOutputGroup,
          .meaning =
              "Which causes text and Markdown tell in full: numbers as the table has them, "
              "such as 3,5-9, ids, all or none. Without it the first few, and a long table "
              "is cut.",
          .repeatable = true};
}

Result<DetailChoice> details_of(const Arguments& arguments) {
  DetailChoice choice;
  for (const std::string& text : arguments.texts("--details")) {
    for (const std::string& word : split(text, ',')) {
      if (Result<void> added = add_detail(std::string(trim(word)), choice); !added)
        return added.error();
    }
  }
  return choice;
}

void warn_of_unknown(const DetailChoice& choice, const std::vector<FoundCause>& causes) {
  std::vector<CauseRow> rows;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    CauseRow& row = rows.emplace_back();
    row.number = i + 1;
    row.id = causes[i].id;
  }
  for (const std::string& word : unknown_choices(choice, rows)) {
    print_warning({.what = fmt::format("--details={}: there is no such cause", word),
                   .what_to_do = rows.empty()
                                     ? "there are none"
                                     : fmt::format("they have the numbers 1 to {}", rows.size())});
  }
}

}  // namespace heddle
