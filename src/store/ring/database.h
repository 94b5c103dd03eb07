// A database on both servers of a ring as a StoreDatabase.
//
// Its final rows are those of both servers when everything has been delivered. Each table is there
// twice, as itself with the rows of r1 and as "account at r2": in a serial order, which runs on one
// server, both have the same rows, so that servers which end with different ones are a difference.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/mariadb/database.h"
#include "store/ring/delivery.h"
#include "store/ring/member.h"
#include "store/ring/session.h"
#include "store/ring/watch.h"

namespace heddle {

using RingMembers = std::vector<std::unique_ptr<RingMember>>;

class RingDatabase : public StoreDatabase {
 public:
  // Makes a database of that name on servers that nobody else uses meanwhile. `give_back` is given
  // the servers at the end, if they are as good as new.
  static Result<std::unique_ptr<RingDatabase>> create(RingMembers members, const std::string& name,
                                                      std::function<void(RingMembers)> give_back);
  ~RingDatabase() override;

  Dialect dialect() const override { return Dialect::mysql; }
  Result<std::vector<std::unique_ptr<StoreSession>>> open_sessions(
      const std::vector<SessionOptions>& options) override;
  // At r1, and what that writes is at r2 before it returns. What writes nothing is run at r2, too,
  // and what is answered otherwise there comes behind the answers of r1.
  Result<std::vector<Reply>> execute(const std::string& text, std::uint32_t timeout_ms) override;
  Result<bool> is_blocked(int backend, const std::vector<int>& others) override;
  Result<std::vector<WaitState>> wait_states(const std::vector<int>& backends,
                                             const std::vector<int>& others) override;
  Result<std::vector<CatalogueTable>> read_catalogue() override;
  Result<void> learn_types() override;
  void keep_one_copy(bool only) override { delivery_->keep_one_copy(only); }
  bool can_restore() const override { return parts_[0]->can_restore() && parts_[1]->can_restore(); }
  Result<void> take_snapshot() override;
  Result<void> restore_snapshot(const std::set<std::string>& changed) override;
  std::string cleaning_text() const override { return ""; }
  Result<std::vector<std::vector<Row>>> read_rows(const std::vector<const CatalogueTable*>& tables,
                                                  std::uint32_t timeout_ms) override;
  Result<std::vector<std::vector<WatchedRow>>> watch_rows(
      const std::vector<const CatalogueTable*>& tables) override;
  Result<std::vector<std::size_t>> matching(const CatalogueTable& table, const std::string& alias,
                                            const std::string& predicate,
                                            const std::vector<WatchedVersion>& versions) override {
    return parts_[0]->matching(table, alias, predicate, versions);
  }
  Result<std::vector<std::optional<std::string>>> writers(
      const std::vector<int>& backends) override {
    return std::vector<std::optional<std::string>>(backends.size());
  }
  std::string level_text() const override { return parts_[0]->level_text(); }
  bool has_copies() const override { return true; }
  SnapshotRule snapshot_rule(std::string_view level) const override {
    return parts_[0]->snapshot_rule(level);
  }
  bool is_true(const Cell& cell) const override { return parts_[0]->is_true(cell); }
  Result<void> wipe() override;

 private:
  RingDatabase(RingMembers members, std::string name);

  Result<void> prepare();
  Result<std::vector<Reply>> run_logged(const std::string& text, std::uint32_t timeout_ms);
  Result<void> run_unlogged(std::size_t server, const std::string& text);
  std::size_t server_of(const std::string& table) const { return copies_.contains(table) ? 1 : 0; }
  std::vector<int> connections_at(std::size_t server) const;
  Result<void> add_wait(std::size_t server, int connection, WaitState& state);

  RingMembers members_;
  std::string name_;
  std::function<void(RingMembers)> give_back_;
  std::array<std::unique_ptr<MariadbDatabase>, kRingSize> parts_;
  std::unique_ptr<RingDelivery> delivery_;
  RingSessions sessions_;
  std::map<std::string, std::string> copies_;  // names of the tables at r2, and without that
  RingWatch watch_;
  std::array<std::size_t, kRingSize> applied_at_watch_{};
};

}  // namespace heddle
