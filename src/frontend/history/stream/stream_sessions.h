// Numbers for sessions that streams know by name.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

class StreamSessions {
 public:
  std::uint32_t of(const std::string& name) {
    const auto next = static_cast<std::uint32_t>(numbers_.size());
    return numbers_.emplace(name, next).first->second;
  }
  // Names the session of that number; those without a name may have an empty one.
  static void name(TransactionHistory& history, std::uint32_t number, const std::string& name) {
    if (history.sessions.size() <= number) history.sessions.resize(std::size_t{number} + 1);
    history.sessions[number] = name;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

// The same complaint about a text that begins at another line of the file.
inline Diagnostic moved_to_line(Diagnostic diagnostic, std::uint32_t line) {
  diagnostic.position.line = line;
  return diagnostic;
}

}  // namespace heddle
