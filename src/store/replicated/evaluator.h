// A database of SQLite in memory in which statements are evaluated, and into which rows are put
// that came from elsewhere.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/outcome.h"
#include "heddle/result.h"
#include "store/replicated/cells.h"
#include "store/replicated/environment.h"
#include "store/replicated/recorder.h"

struct sqlite3;
struct sqlite3_stmt;

namespace heddle::replicated {

// What a statement gave and did.
struct Execution {
  Reply reply;
  std::vector<CellWrite> writes;
  std::set<std::string> tables_read;
};

class Evaluator {
 public:
  // `environment` must outlive it.
  static Result<std::unique_ptr<Evaluator>> open(Environment& environment);
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;
  ~Evaluator();

  // Runs one statement; `kind` is for the command tag. An error leaves everything as it was.
  Execution execute(const std::string& sql, const std::string& kind, bool shows_types);
  // What columns a statement would give, without running it.
  Reply describe(const std::string& sql, bool shows_types);
  // Writes rows as they are now, or takes them away, past triggers, foreign keys and other
  // constraints than the primary key. A unique key that the rows break is not enforced until they
  // no longer do.
  Result<void> put(const std::vector<std::pair<RowName, std::optional<RowImage>>>& rows);
  // Reads which tables there are. Error: a table that cannot be kept on replicas.
  Result<void> learn_tables();
  // That they are those of another one, which has the same schema.
  void know_tables(const TableShapes& tables) { tables_ = tables; }
  const TableShapes& tables() const { return tables_; }
  // All rows that there are, as effects.
  Result<std::vector<CellWrite>> all_cells();
  // Statements that make the schema anew.
  Result<std::vector<std::string>> schema();

 private:
  explicit Evaluator(sqlite3* connection, Environment& environment);

  static int on_progress(void* evaluator);
  StepError to_error(int code) const;
  Reply run(sqlite3_stmt* statement, const std::string& kind, bool shows_types);
  Result<void> run_quietly(const std::string& sql);
  Result<std::vector<Row>> read(const std::string& sql);
  Result<void> write_rows(const std::vector<std::pair<RowName, std::optional<RowImage>>>& rows);
  Result<void> drop_unique_keys();
  void restore_unique_keys();
  std::string delete_text(const RowName& row) const;
  std::string insert_text(const RowName& row, const RowImage& image) const;

  sqlite3* connection_;
  Environment& environment_;
  TableShapes tables_;
  Recorder recorder_;
  std::map<std::string, std::string> broken_keys_;  // statements that make them, by name
  std::int64_t deadline_ms_ = 0;
};

}  // namespace heddle::replicated
