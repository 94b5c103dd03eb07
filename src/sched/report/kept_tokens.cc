#include "sched/report/kept_tokens.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <errno.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

constexpr std::size_t kMost = 32;
constexpr std::size_t kMostLetters = 200;  // letters of a token that is told as it is
constexpr std::string_view kFolder = ".heddle/";
constexpr std::string_view kEnd = ".token";

bool are_kept() {
  const char* wish = getenv("HEDDLE_TOKENS");
  if (wish != nullptr && std::string_view(wish) != "off") {
    stop_program("heddle: HEDDLE_TOKENS can only be off");
  }
  return wish == nullptr;
}

std::string path() { return std::string(kFolder) + program_invocation_short_name + ".tokens"; }

// No token has a slash.
bool is_path(std::string_view told) { return told.find('/') != std::string_view::npos; }

// Whatever is no token is left out.
std::vector<std::string> read_lines() {
  std::vector<std::string> lines;
  std::ifstream file(path());
  std::string line;
  while (lines.size() < kMost && std::getline(file, line)) {
    if (read_token(line)) lines.push_back(line);
  }
  return lines;
}

// Whoever reads meanwhile finds what was there before, or the text.
bool write_whole_file(const std::string& to, const std::string& text) {
  mkdir(std::string(kFolder).c_str(), 0777);
  const std::string fresh = to + "." + std::to_string(getpid());
  {
    std::ofstream file(fresh);
    file << text;
    if (!file.flush()) {
      unlink(fresh.c_str());
      return false;
    }
  }
  if (rename(fresh.c_str(), to.c_str()) == 0) return true;
  unlink(fresh.c_str());
  return false;
}

// Only a file that `told_token` has made.
void drop(const std::string& told) {
  if (told.starts_with(kFolder) && told.ends_with(kEnd)) unlink(told.c_str());
}

// Equal for equal tokens.
std::string file_of(const std::string& token) {
  std::uint64_t sum = 0xCBF29CE484222325;
  for (const char letter : token) {
    sum = (sum ^ static_cast<unsigned char>(letter)) * 0x100000001B3;
  }
  char number[17];
  snprintf(number, sizeof number, "%08x", static_cast<unsigned>(sum ^ sum >> 32));
  return std::string(kFolder) + program_invocation_short_name + "-" + number + std::string(kEnd);
}

}  // namespace

std::vector<Token> kept_tokens(std::uint64_t test) {
  std::vector<Token> tokens;
  if (!are_kept()) return tokens;
  for (const std::string& line : read_lines()) {
    std::optional<Token> token = read_token(line);
    if (token->check == test) tokens.push_back(std::move(*token));
  }
  return tokens;
}

void keep_token(const std::string& token) {
  if (!are_kept()) return;
  std::vector<std::string> lines = read_lines();
  std::erase(lines, token);
  lines.insert(lines.begin(), token);
  for (; lines.size() > kMost; lines.pop_back()) drop(lines.back());
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  write_whole_file(path(), text);
}

std::string told_token(const std::string& token) {
  if (token.size() <= kMostLetters || !are_kept()) return token;
  const std::string file = file_of(token);
  return write_whole_file(file, token + "\n") ? file : token;
}

std::optional<Token> read_token(std::string_view told) {
  if (!is_path(told)) return parse_token(told);
  std::ifstream file{std::string(told)};
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return parse_token(line);
}

}  // namespace heddle::sched::runtime
