// The replicated store as a StoreServer. Nothing runs and nothing is written to a disk: each
// database is in memory.
#include "store/replicated/server.h"

#include <atomic>
#include <charconv>
#include <memory>
#include <optional>
#include <sqlite3.h>

#include <fmt/format.h>

#include "store/address_text.h"
#include "store/replicated/command.h"
#include "store/replicated/database.h"

namespace heddle {

namespace {

constexpr std::string_view kName = "replicated";
constexpr std::size_t kUsualReplicas = 2;
constexpr std::size_t kMostReplicas = replicated::kMostReplicas;

class ReplicatedServer : public StoreServer {
 public:
  explicit ReplicatedServer(std::size_t replicas) : replicas_(replicas) {}

  std::string description() const override {
    return fmt::format("SQLite {} ({} replicas, embedded)", sqlite3_libversion(), replicas_);
  }
  bool is_throwaway() const override { return true; }
  Dialect dialect() const override { return Dialect::sqlite; }
  IsolationLevel default_level() const override { return IsolationLevel::eventual; }

  Result<void> offers(IsolationLevel level) const override {
    if (replicated::find_rule(level) != nullptr) return {};
    return Diagnostic{
        .what = fmt::format("the replicated store has no level {}", definition(level).name),
        .what_to_do = fmt::format("use one of {}", replicated::offered_levels()),
        .file = "",
        .position = {},
        .trouble = Trouble::bad_input};
  }

  // A name would be seen by nobody.
  Result<std::unique_ptr<StoreDatabase>> create_database(
      const std::string& /*preferred_name*/) override {
    auto database = ReplicatedDatabase::create(replicas_);
    if (!database) return database.error();
    return std::unique_ptr<StoreDatabase>(std::move(*database));
  }

 private:
  std::size_t replicas_;
};

std::optional<std::size_t> replicas_of(std::string_view address) {
  if (address == kName) return kUsualReplicas;
  const std::string_view text = address.substr(kName.size() + 1);
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || count == 0 || count > kMostReplicas) return std::nullopt;
  return count;
}

}  // namespace

bool is_replicated_address(std::string_view address) {
  return address == kName || address.starts_with("replicated:");
}

Result<std::shared_ptr<StoreServer>> start_replicated(const std::string& address) {
  const auto replicas = replicas_of(address);
  if (!replicas) {
    return unreadable_address(address,
                              fmt::format("a replicated store has 1 to {} replicas", kMostReplicas),
                              "replicated or replicated:3");
  }
  return std::shared_ptr<StoreServer>(std::make_shared<ReplicatedServer>(*replicas));
}

}  // namespace heddle
