#include "record/transaction_levels.h"

#include <array>

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

// The level that stands behind the words; empty: none does.
std::string level_behind(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == text.npos) return "";
  std::string_view rest = text.substr(at + words.size());
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '=' || rest.front() == '\'')) {
    rest.remove_prefix(1);
  }
  if (rest.starts_with("to ")) rest.remove_prefix(3);
  if (rest.starts_with('\'')) rest.remove_prefix(1);
  for (const LevelWords& level : kLevels) {
    if (rest.starts_with(level.words)) return std::string(level.name);
  }
  return "";
}

}  // namespace

void TransactionLevels::begin(std::string_view options) {
  session_ = level_behind(options, "default_transaction_isolation");
}

void TransactionLevels::statement(std::string_view essence) {
  if (essence.find("isolation") == essence.npos) return;
  const bool is_session = essence.starts_with("set session") ||
                          essence.find("default_transaction_isolation") != essence.npos;
  std::string level = level_behind(essence, "isolation level");
  if (level.empty()) level = level_behind(essence, "transaction_isolation");
  if (level.empty()) return;
  (is_session ? session_ : transaction_) = std::move(level);
}

}  // namespace heddle
