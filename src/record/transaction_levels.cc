#include "record/transaction_levels.h"

#include <algorithm>
#include <array>
#include <utility>

namespace heddle {
namespace {

struct LevelWords {
  std::string_view words;
  std::string_view name;
};
// No name is the beginning of another.
constexpr std::array kLevels = {LevelWords{"serializable", "serializable"},
                                LevelWords{"repeatable read", "repeatable-read"},
                                LevelWords{"read committed", "read-committed"},
                                LevelWords{"read uncommitted", "read-uncommitted"}};

// What stands between a setting's name and its value.
constexpr std::string_view kBetween = " =\"'";

std::string_view without_front(std::string_view text, std::string_view characters) {
  return text.substr(std::min(text.size(), text.find_first_not_of(characters)));
}

// What stands behind the words; empty: they are not there.
std::string_view text_behind(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == text.npos) return {};
  std::string_view rest = without_front(text.substr(at + words.size()), kBetween);
  if (rest.starts_with("to ")) rest = without_front(rest.substr(3), kBetween);
  return rest;
}

std::string level_behind(std::string_view text, std::string_view words) {
  const std::string_view rest = text_behind(text, words);
  for (const LevelWords& level : kLevels) {
    if (rest.starts_with(level.words)) return std::string(level.name);
  }
  return "";
}

constexpr std::string_view kSetting = "default_transaction_isolation";

// Whether the session's level is that of the connection again.
bool is_given_up(std::string_view essence) {
  return essence == "discard all" || essence == "reset all" ||
         (essence.starts_with("reset ") && essence.find(kSetting) != essence.npos) ||
         text_behind(essence, kSetting).starts_with("default");
}

}  // namespace

void TransactionLevels::begin(std::string_view options) {
  // Blanks within a value have a backslash before them, and names may have dashes.
  std::string plain;
  for (const char c : options) {
    if (c != '\\') plain += c == '-' ? '_' : c;
  }
  first_ = level_behind(plain, kSetting);
  session_ = first_;
}

bool TransactionLevels::may_concern(std::string_view text) {
  constexpr std::array<std::string_view, 6> kParts = {"solation", "SOLATION",   "eset all",
                                                      "ESET ALL", "iscard all", "ISCARD ALL"};
  return std::ranges::any_of(kParts,
                             [&](std::string_view part) { return text.find(part) != text.npos; });
}

void TransactionLevels::statement(std::string_view essence) {
  if (is_given_up(essence)) session_ = first_;
  if (essence.find("isolation") == essence.npos) return;
  const bool is_session =
      essence.starts_with("set session characteristics") || essence.find(kSetting) != essence.npos;
  std::string level = level_behind(essence, "isolation level");
  if (level.empty()) level = level_behind(essence, "transaction_isolation");
  if (level.empty()) return;
  (is_session ? session_ : transaction_) = std::move(level);
}

}  // namespace heddle
