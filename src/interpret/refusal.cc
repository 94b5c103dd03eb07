#include "interpret/refusal.h"

#include <algorithm>

#include "heddle/interpret.h"

namespace heddle::interpreter {

namespace {

// `*` stands for any text.
bool fits_pattern(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  std::size_t star = std::string_view::npos;
  std::size_t seen = 0;  // what the star stands for ends here
  std::size_t i = 0;
  while (i < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      seen = i;
    } else if (at < pattern.size() && pattern[at] == text[i]) {
      ++at;
      ++i;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      i = ++seen;
    } else {
      return false;
    }
  }
  return pattern.substr(at).find_first_not_of('*') == std::string_view::npos;
}

bool is_class(std::string_view name) {
  return name.size() == 2 && std::ranges::all_of(name, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
         });
}

bool is_named(const UserError& error, const std::string& name) {
  if (is_class(name) && error.sqlstate.starts_with(name)) return true;
  if (!condition_states(name).empty()) return is_handled(name, error.sqlstate);
  // A class with its package, or without.
  const std::string_view last = std::string_view(name).substr(name.rfind('.') + 1);
  if (!error.exception.empty() &&
      (fits_pattern(name, error.exception) || fits_pattern(last, error.exception))) {
    return true;
  }
  return fits_pattern(name, error.message);
}

}  // namespace

std::string state_of(const Raise& raise) {
  if (raise.condition.empty()) return "P0001";
  const std::vector<std::string> states = condition_states(raise.condition);
  return states.empty() ? "42704" : states.front();
}

bool is_refusal(const UserError& error, const std::vector<std::string>& names) {
  constexpr std::string_view kRolledBack = "40";
  if (error.sqlstate.starts_with(kRolledBack)) return true;
  return std::ranges::any_of(names, [&](const std::string& name) { return is_named(error, name); });
}

bool is_refusal(const Raise& raise, const std::vector<std::string>& names) {
  if (raise.condition.empty() && raise.message.empty()) return false;
  const std::string state = state_of(raise);
  return is_refusal({.sqlstate = state,
                     .exception = raise.exception,
                     .message = raise.message.empty() ? raise.condition : raise.message},
                    names);
}

}  // namespace heddle::interpreter
