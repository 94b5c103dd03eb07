#include "store/database_name.h"

#include <mutex>
#include <unistd.h>

#include <fmt/format.h>

#include "base/random_text.h"
#include "store/trouble.h"

namespace heddle {

namespace {

constexpr std::string_view kDatabasePrefix = "heddle_";
constexpr std::size_t kMarkBytes = 8;
constexpr std::size_t kMarkDigits = 2 * kMarkBytes;
// Not even one is to be expected of names that are random.
constexpr int kMostTries = 16;

bool is_mark(std::string_view text) {
  return text.size() == kMarkDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

Result<std::string> run_mark() {
  static std::mutex mutex;
  static std::string mark;
  static pid_t owner = 0;
  const std::lock_guard lock(mutex);
  if (owner == ::getpid()) return mark;
  auto drawn = draw_hexadecimal(kMarkBytes);
  if (!drawn) return drawn;
  mark = std::move(*drawn);
  owner = ::getpid();
  return mark;
}

Result<std::string> draw_database_name() {
  const auto run = run_mark();
  if (!run) return run.error();
  const auto own = draw_hexadecimal(kMarkBytes);
  if (!own) return own.error();
  return fmt::format("{}{}_{}", kDatabasePrefix, *run, *own);
}

std::string own_database_name(std::uint32_t number) {
  return fmt::format("{}{}_{}", kDatabasePrefix, ::getpid(), number);
}

std::string_view run_mark_in(std::string_view name) {
  constexpr std::size_t kOwnAt = kDatabasePrefix.size() + kMarkDigits + 1;
  if (!name.starts_with(kDatabasePrefix) || name.size() != kOwnAt + kMarkDigits) return "";
  const std::string_view run = name.substr(kDatabasePrefix.size(), kMarkDigits);
  const bool is_ours = is_mark(run) && name[kOwnAt - 1] == '_' && is_mark(name.substr(kOwnAt));
  return is_ours ? run : "";
}

Result<std::string> create_under_new_name(
    const NewNames& names, const std::function<Result<Creation>(const std::string&)>& create) {
  for (int tried = 0; tried < kMostTries; ++tried) {
    auto name = names.draw();
    if (!name) return name;
    names.announce(*name);
    const auto creation = create(*name);
    if (!creation) return creation.error();
    if (*creation == Creation::made) return name;
    names.forget(*name);
  }
  return store_trouble(
      fmt::format("the server says of {} names drawn at random that they are taken", kMostTries));
}

}  // namespace heddle
