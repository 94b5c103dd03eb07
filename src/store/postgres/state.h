// The rows and sequences of a database that others work with, and the way back to them.
//
//   auto state = PostgresState::open(address);
//   (*state)->remember();
//   ...                       // others change rows
//   (*state)->put_back();     // what changed is as it was, under their open connections
//
// Nothing is dropped or altered, so that what pools have prepared stays good. Whether a table has
// changed its server says by a hash over all rows; only tables that did are read, or written,
// again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "heddle/outcome.h"
#include "heddle/result.h"
#include "store/postgres/session.h"

namespace heddle {

struct PostgresStateLimits {
  std::uint64_t rows = 1'000'000;  // of all tables together
  std::uint32_t lock_ms = 2000;    // for how long a table may be locked by others
};

class PostgresState {
 public:
  // Of the database of the address, as its user: who must be allowed to read all tables, and to
  // write them. Errors: bad_input where the address is none of PostgreSQL's, environment where the
  // server cannot be reached.
  static Result<std::unique_ptr<PostgresState>> open(const std::string& address,
                                                     PostgresStateLimits limits = {});

  // All rows of all tables, sorted; the parts of a partitioned table are tables of their own.
  // Errors: environment; bound where there are more rows than the limit.
  Result<std::vector<TableState>> read();

  // The rows and sequences as they are now, for put_back(). Errors: as above.
  Result<void> remember();
  // Whether rows and sequences are again what they were, by the server's hash. Errors: environment,
  // with what is in the way: a lock, a constraint. REQUIRES: remember() was called.
  Result<bool> put_back();

  // What a query returns. Errors: bad_input with the server's words.
  Result<ResultSet> ask(const std::string& query);

 private:
  struct Field {
    std::string name;
    bool is_computed = false;   // GENERATED ALWAYS AS
    bool is_generated = false;  // by a sequence, the clock or chance
    bool is_clock = false;
    std::string domain = {};
  };
  struct Table {
    std::string name;    // as it is shown
    std::string quoted;  // as it is written
    std::vector<Field> fields = {};
  };
  struct Contents {
    std::string hash;
    std::vector<Row> rows;  // in the order in which they lie there
  };

  PostgresState(PostgresConnection connection, PostgresStateLimits limits)
      : connection_(std::move(connection)), limits_(limits) {}

  Result<void> read_tables();
  Result<void> read_keys();
  Result<std::vector<std::string>> table_hashes();
  Result<std::string> sequence_values();
  Result<void> refresh();
  Result<std::vector<Row>> rows_of(const Table& table);
  std::string rewrite(const Table& table, const std::vector<Row>& rows);
  std::string literal(const Cell& cell);
  Result<ResultSet> run(const std::string& text, Trouble trouble = Trouble::environment);

  PostgresConnection connection_;
  PostgresStateLimits limits_;
  std::vector<Table> tables_;
  std::vector<Contents> now_;         // by table, as they were read last
  std::vector<Contents> remembered_;  // by table
  std::string sequences_;             // statements that set them as they were remembered
  bool may_replicate_ = true;         // turn off the triggers of constraints
};

}  // namespace heddle
