// What a statement did to a database of SQLite, cell by cell.
//
// The columns that an UPDATE writes are those that it names, also where a value stays as it was:
// SQLite's authorizer is asked for each of them while the statement is prepared. The rows and their
// values come from the pre-update hook, which is called for each row that the statement touches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "store/replicated/cells.h"
#include "store/replicated/environment.h"

struct sqlite3;

namespace heddle::replicated {

// A table as SQLite keeps it.
struct TableShape {
  std::string name;                    // as declared
  std::vector<std::string> columns;    // in lower case
  std::vector<std::string> declared;   // as declared
  std::vector<std::string> sequences;  // of each column the one that feeds it, if any
  std::vector<bool> booleans;          // of each column whether it holds truth values
  std::vector<std::size_t> key;        // of the primary key, in its order; empty: the row's number
  bool hides_number = false;           // the row has a number that is no column

  bool has_key() const { return !key.empty(); }
};

// By name in lower case.
using TableShapes = std::map<std::string, TableShape>;

// A row whose number has to become another one, for numbers are given for all replicas.
struct Renumbering {
  std::string table;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

class Recorder {
 public:
  // Listens to the connection, whose hook and authorizer it takes. `shapes` is read when something
  // changes.
  Recorder(sqlite3* connection, const TableShapes& shapes);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Forgets what it knows and listens, or does not.
  void begin();
  void stop() { is_listening_ = false; }

  // What the statement wrote; the last write of a cell counts. Numbers of new rows are taken from
  // the environment.
  std::vector<CellWrite> writes(Environment& environment,
                                std::vector<Renumbering>& renumberings) const;
  // The tables that it read or searched, in lower case.
  const std::set<std::string>& tables_read() const { return tables_read_; }
  // Columns into which truth values were written as words, by table; SQLite has numbers for them.
  const std::set<std::pair<std::string, std::string>>& worded() const { return worded_; }
  // Why the statement was not allowed; empty: it was.
  const std::string& forbidden() const { return forbidden_; }

 private:
  enum class Kind : std::uint8_t { insert, update, delete_ };

  struct Change {
    Kind kind = Kind::insert;
    const TableShape* shape = nullptr;
    std::string table;
    std::int64_t number_before = 0;
    std::int64_t number_after = 0;
    bool by_trigger = false;
    std::vector<std::string> before;  // SQL literals
    std::vector<std::string> after;
  };

  // (table, whether a trigger does it)
  using Writer = std::pair<std::string, bool>;

  static int on_access(void* recorder, int action, const char* first, const char* second,
                       const char* database, const char* trigger);
  static void on_change(void* recorder, sqlite3* connection, int operation, const char* database,
                        const char* table, long long number_before, long long number_after);
  void read_words(const TableShape& shape, std::vector<std::string>& values);
  bool writes_column(const Change& change, std::size_t column) const;
  static void pass_numbers(const Change& change, Environment& environment);
  static RowName row_of(const Change& change, const std::vector<std::string>& values,
                        std::int64_t number);

  sqlite3* connection_;
  const TableShapes& shapes_;
  bool is_listening_ = false;
  std::vector<Change> changes_;
  std::map<Writer, std::set<std::string>> named_;
  std::set<std::string> tables_read_;
  std::set<std::pair<std::string, std::string>> worded_;
  std::string forbidden_;
};

}  // namespace heddle::replicated
