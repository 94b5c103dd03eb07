#include "throwaway/binaries.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

struct Product {
  std::string_view name;
  std::vector<std::string> programs;
  const char* variable;
  std::string_view package;  // Debian's
};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_program(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

// The first program that the directory lacks, or none.
std::optional<std::string> missing_program(const std::string& directory, const Product& product) {
  for (const std::string& program : product.programs) {
    if (!is_program(fmt::format("{}/{}", directory, program))) return program;
  }
  return std::nullopt;
}

// "15" or "9.6" as a number to compare; directories that are no versions come last.
double version_of(const std::string& name) {
  double version = -1;
  std::from_chars(name.data(), name.data() + name.size(), version);
  return version;
}

std::vector<std::string> versions_below(const std::string& root) {
  std::vector<std::string> names;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(root, unreadable))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::pair(version_of(a), a) > std::pair(version_of(b), b);
  });
  return names;
}

std::vector<std::string> candidates(const BinarySearch& search) {
  std::vector<std::string> directories;
  for (std::string& directory : split(search.path, ':')) {
    // A relative entry means something else after each change of directory.
    if (directory.starts_with('/')) directories.push_back(std::move(directory));
  }
  for (const std::string& root : search.installed) {
    for (const std::string& version : versions_below(root))
      directories.push_back(fmt::format("{}/{}/bin", root, version));
  }
  directories.insert(directories.end(), search.usual.begin(), search.usual.end());
  return directories;
}

Result<std::string> find_binaries(const BinarySearch& search, const Product& product) {
  const std::string programs = join(product.programs, " and ");
  if (!search.chosen.empty()) {
    const std::optional<std::string> missing = missing_program(search.chosen, product);
    if (!missing) return search.chosen;
    return Diagnostic{
        .what = fmt::format("${} is {}, where there is no program {}", product.variable,
                            search.chosen, *missing),
        .what_to_do = fmt::format("set it to the directory that has {}, or unset it", programs),
        .file = {},
        .position = {},
        .trouble = Trouble::environment};
  }
  for (const std::string& directory : candidates(search)) {
    if (!missing_program(directory, product)) return directory;
  }
  return Diagnostic{
      .what = fmt::format("no installed {} server was found ({})", product.name, programs),
      .what_to_do = fmt::format("install one (Debian: apt-get install {}), or set ${} to the "
                                "directory of its programs",
                                product.package, product.variable),
      .file = {},
      .position = {},
      .trouble = Trouble::environment};
}

}  // namespace

BinarySearch BinarySearch::for_postgres() {
  return {.chosen = environment(kPostgresBinVariable),
          .path = environment("PATH"),
          .installed = {"/usr/lib/postgresql"}};
}

BinarySearch BinarySearch::for_mariadb() {
  return {.chosen = environment(kMariadbBinVariable),
          .path = environment("PATH"),
          .installed = {},
          .usual = {"/usr/sbin", "/usr/local/sbin", "/usr/local/mysql/bin"}};
}

BinarySearch BinarySearch::for_redis() {
  return {.chosen = environment(kRedisBinVariable),
          .path = environment("PATH"),
          .installed = {},
          .usual = {"/usr/bin", "/usr/local/bin", "/usr/sbin"}};
}

Result<std::string> find_postgres_binaries(const BinarySearch& search) {
  return find_binaries(search,
                       {"PostgreSQL", {"initdb", "postgres"}, kPostgresBinVariable, "postgresql"});
}

Result<std::string> find_mariadb_binaries(const BinarySearch& search) {
  return find_binaries(search,
                       {"MariaDB", {"mariadbd"}, kMariadbBinVariable, "mariadb-server-core"});
}

Result<std::string> find_redis_server(const BinarySearch& search) {
  Product product{"Redis", {"redis-server"}, kRedisBinVariable, "redis-tools"};
  const Result<std::string> server = find_binaries(search, product);
  if (server) return *server + "/redis-server";
  product.programs = {"redis-check-rdb"};
  const Result<std::string> tools = find_binaries(search, product);
  if (tools) return *tools + "/redis-check-rdb";
  return server.error();
}

}  // namespace heddle
