// The rows and sequences of a database that others work with, and the way back to earlier ones
// under their open connections.
//
//   Result<PostgresState> state = PostgresState::open(address);
//   state->remember();                 // the state to which put_back() goes back
//   ... requests run ...
//   state->read();                     // what they left
//   if (*state->put_back()) ...        // rows and sequences are what they were
//
// Nothing but rows and the numbers of sequences is put back, and without a change of tables, so
// that prepared statements of pools go on. Small tables are filled anew, so that rows without an
// order come in the same one each time. What is not seen: rows of views, materialized views,
// foreign and temporary tables, large objects.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heddle/outcome.h"
#include "heddle/result.h"
#include "store/postgres/database.h"

namespace heddle {

struct PostgresSequence {
  std::string name = {};  // as SQL needs it
  std::string value = {};
  bool is_called = false;

  friend bool operator==(const PostgresSequence&, const PostgresSequence&) = default;
};

struct PostgresContents {
  // Sorted by name, and so are their rows. Partitions are part of their table. Columns that the
  // store fills by itself are marked; the domain of those with the time is "clock".
  std::vector<TableState> tables = {};
  std::vector<PostgresSequence> sequences = {};
};

struct PostgresStateBounds {
  std::uint64_t bytes = 256U << 20U;      // of all rows, as texts
  std::uint32_t lock_timeout_ms = 2'000;  // of putting back, for each lock
  std::uint32_t timeout_ms = 60'000;      // for each statement
};

// What a table was when it was last looked at: two tables with equal ones are equal.
struct TableFingerprint {
  std::string rows = {};  // their number
  std::string hash = {};  // of all of them, in any order
  std::uint64_t bytes = 0;

  friend bool operator==(const TableFingerprint&, const TableFingerprint&) = default;
};

class PostgresState {
 public:
  // Connects to the database. Errors: bad_input where the address is none of PostgreSQL's,
  // environment where the server cannot be asked.
  static Result<PostgresState> open(const std::string& address,
                                    const PostgresStateBounds& bounds = {});

  PostgresState(PostgresState&&) noexcept;
  PostgresState& operator=(PostgresState&&) noexcept;
  ~PostgresState();

  // What is committed. Only tables that changed since the last time are read again. Errors: bound,
  // where there is more than may be read; environment.
  Result<PostgresContents> read();

  // Takes what is committed as what put_back() goes back to.
  Result<void> remember();

  // Makes the rows and sequences what they were, and returns whether a look at all of them says
  // so; false where triggers of the database's own change rows again. Errors: environment, where
  // others hold locks that are in the way, or tables were made, changed or dropped meanwhile; then
  // no row has changed. REQUIRES: remember().
  Result<bool> put_back();

  // What a query of somebody else's returns; it changes nothing. Errors: bad_input, with the
  // server's words.
  Result<ResultSet> ask(const std::string& query);

 private:
  struct Look;

  PostgresState(std::unique_ptr<PostgresDatabase> database, const PostgresStateBounds& bounds);

  Result<void> learn_tables();
  Result<Look> look(bool goes_on = false);
  Result<PostgresContents> read_at(const Look& look);
  Result<void> put_rows_back(const std::vector<std::size_t>& changed);
  Result<bool> fill_anew(const std::vector<std::size_t>& changed);
  std::vector<std::size_t> with_referring(std::vector<std::size_t> changed) const;
  Result<void> change_rows(const std::vector<std::size_t>& changed, bool is_free);
  Result<void> put_sequences_back(const std::vector<PostgresSequence>& present);
  Result<std::vector<Reply>> run(const std::string& text);
  Diagnostic trouble_with_rows(const StepError& error);

  std::unique_ptr<PostgresDatabase> database_;
  PostgresStateBounds bounds_;
  std::vector<CatalogueTable> tables_;  // of which rows are read
  std::vector<std::string> sequences_;
  std::string shape_;  // of all tables, by which one notices that they are others
  std::vector<std::vector<Column>> columns_;
  // What was read last, by table, in the order of the table, and of what fingerprint.
  std::vector<std::vector<Row>> rows_;
  std::vector<TableFingerprint> fingerprints_;
  std::unique_ptr<Look> remembered_look_;
  std::vector<std::vector<Row>> remembered_rows_;  // by table, in the order of the table
  std::vector<PostgresSequence> remembered_sequences_;
};

}  // namespace heddle
