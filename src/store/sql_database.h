// What databases that speak SQL do alike: they read rows with SELECT on the control connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"

namespace heddle {

class SqlDatabase : public StoreDatabase {
 public:
  Result<std::vector<std::vector<Row>>> read_rows(const std::vector<const CatalogueTable*>& tables,
                                                  std::uint32_t timeout_ms) override;
  Result<std::vector<std::vector<WatchedRow>>> watch_rows(
      const std::vector<const CatalogueTable*>& tables) override;
  Result<std::vector<std::size_t>> matching(const CatalogueTable& table, const std::string& alias,
                                            const std::string& predicate,
                                            const std::vector<WatchedVersion>& versions) override;
  Result<std::vector<std::optional<std::string>>> writers(
      const std::vector<int>& backends) override;

 protected:
  // Runs a text of heddle's own; any error is one of the environment.
  Result<std::vector<std::vector<Row>>> query(const std::string& text);

 private:
  // That the store refused a statement of heddle's own.
  virtual Diagnostic own_query_trouble(const StepError& error) const = 0;
  // A SELECT of the committed rows of a table: the number of the transaction that wrote each (NULL
  // where the store does not tell), the row as one text for matching_text, the row as people read
  // it, its key.
  virtual std::string watching_text(const CatalogueTable& table) const = 0;
  // A SELECT of the numbers of those versions that satisfy the predicate.
  virtual std::string matching_text(const CatalogueTable& table, const std::string& alias,
                                    const std::string& predicate,
                                    const std::vector<WatchedVersion>& versions) const = 0;
  // A SELECT of the number of each backend's transaction. Empty: the store does not tell.
  virtual std::string writers_text(const std::vector<int>& backends) const = 0;

  // The answers to one SELECT per table.
  virtual Result<std::vector<Reply>> read_each(const std::vector<const CatalogueTable*>& tables,
                                               const std::vector<std::string>& texts,
                                               std::uint32_t timeout_ms);
  // The rows of one SELECT per table.
  Result<std::vector<std::vector<Row>>> select(const std::vector<const CatalogueTable*>& tables,
                                               const std::vector<std::string>& texts,
                                               std::uint32_t timeout_ms);
};

}  // namespace heddle
