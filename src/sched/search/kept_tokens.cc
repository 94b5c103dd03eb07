#include "sched/search/kept_tokens.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <errno.h>
#include <fstream>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

constexpr std::size_t kMost = 32;
constexpr char kFolder[] = ".heddle";

bool are_kept() {
  const char* wish = getenv("HEDDLE_TOKENS");
  if (wish != nullptr && std::string_view(wish) != "off") {
    stop_program("heddle: HEDDLE_TOKENS can only be off");
  }
  return wish == nullptr;
}

std::string path() {
  return std::string(kFolder) + "/" + program_invocation_short_name + ".tokens";
}

// Whatever is no token is left out.
std::vector<std::string> read_lines() {
  std::vector<std::string> lines;
  std::ifstream file(path());
  std::string line;
  while (lines.size() < kMost && std::getline(file, line)) {
    if (parse_token(line)) lines.push_back(line);
  }
  return lines;
}

}  // namespace

std::vector<Token> kept_tokens(std::uint64_t test) {
  std::vector<Token> tokens;
  if (!are_kept()) return tokens;
  for (const std::string& line : read_lines()) {
    std::optional<Token> token = parse_token(line);
    if (token->check == test) tokens.push_back(std::move(*token));
  }
  return tokens;
}

void keep_token(const std::string& token) {
  if (!are_kept()) return;
  std::vector<std::string> lines = read_lines();
  std::erase(lines, token);
  lines.insert(lines.begin(), token);
  if (lines.size() > kMost) lines.resize(kMost);
  mkdir(kFolder, 0777);
  // Whoever reads meanwhile finds one or the other.
  const std::string fresh = path() + "." + std::to_string(getpid());
  {
    std::ofstream file(fresh);
    for (const std::string& line : lines) file << line << "\n";
    if (!file.flush()) {
      unlink(fresh.c_str());
      return;
    }
  }
  if (rename(fresh.c_str(), path().c_str()) != 0) unlink(fresh.c_str());
}

}  // namespace heddle::sched::runtime
