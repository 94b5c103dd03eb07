// Two MariaDB servers in circular replication as a StoreServer: each database has both to itself,
// because a server applies the log of the other one as a whole.
#include "store/ring/server.h"

#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "store/address_text.h"
#include "store/database_name.h"
#include "store/mariadb/facts.h"
#include "store/ring/database.h"

namespace heddle {

namespace {

constexpr std::string_view kAddress = "mariadb:ring";

// Rings that wait for a database.
class FreeRings {
 public:
  void put(RingMembers ring) {
    const std::scoped_lock lock(mutex_);
    rings_.push_back(std::move(ring));
  }
  // Empty: there is none.
  RingMembers take() {
    const std::scoped_lock lock(mutex_);
    if (rings_.empty()) return {};
    RingMembers ring = std::move(rings_.back());
    rings_.pop_back();
    return ring;
  }

 private:
  std::mutex mutex_;
  std::vector<RingMembers> rings_;
};

class RingServer : public StoreServer {
 public:
  explicit RingServer(MariadbFacts facts) : facts_(std::move(facts)) {}

  std::string description() const override {
    return describe(facts_,
                    fmt::format("{} servers in circular replication, throwaway", kRingSize));
  }
  bool is_throwaway() const override { return true; }
  Dialect dialect() const override { return Dialect::mysql; }
  IsolationLevel default_level() const override { return facts_.default_level; }
  Result<void> offers(IsolationLevel level) const override { return offers_level(facts_, level); }

  Result<std::unique_ptr<StoreDatabase>> create_database(
      const std::string& preferred_name) override {
    RingMembers ring = free_->take();
    if (ring.empty()) {
      auto started = start_ring_members();
      if (!started) return started.error();
      ring = std::move(*started);
    }
    auto name = preferred_name.empty() ? draw_database_name() : preferred_name;
    if (!name) return name.error();
    auto database = RingDatabase::create(std::move(ring), *name,
                                         [free = std::weak_ptr(free_)](RingMembers members) {
                                           if (const auto rings = free.lock())
                                             rings->put(std::move(members));
                                         });
    if (!database) return database.error();
    return std::unique_ptr<StoreDatabase>(std::move(*database));
  }

  void add(RingMembers ring) { free_->put(std::move(ring)); }

 private:
  MariadbFacts facts_;
  std::shared_ptr<FreeRings> free_ = std::make_shared<FreeRings>();
};

}  // namespace

bool is_ring_address(std::string_view address) {
  constexpr std::string_view kPrefix = "mariadb:";
  return address.starts_with(kPrefix) && !address.substr(kPrefix.size()).starts_with("//");
}

Result<std::shared_ptr<StoreServer>> start_ring(const std::string& address) {
  if (address != kAddress) {
    return unreadable_address(address, "MariaDB servers stand alone or in a ring",
                              "mariadb or mariadb:ring");
  }
  auto ring = start_ring_members();
  if (!ring) return ring.error();
  auto facts = read_mariadb_facts(ring->front()->address());
  if (!facts) return facts.error();
  auto server = std::make_shared<RingServer>(std::move(*facts));
  server->add(std::move(*ring));
  return std::shared_ptr<StoreServer>(std::move(server));
}

}  // namespace heddle
