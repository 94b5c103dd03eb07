// A run as one tuple of blocks of rows: an answer is a block, and so is what became of a table.
//
// Of a table only the rows are there that it did not have before the run, and those that it has no
// more. Each cell has a place, by which it is known again in other runs: "A: $.lines[].price",
// "orders-db: orders.status".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "race/outcome/observed_run.h"
#include "race/outcome/text_tokens.h"
#include "race/outcome/verdict.h"

namespace heddle {

struct TupleCell {
  const std::string* place = nullptr;  // in TupleReader's list of places
  bool is_null = false;
  std::string text = {};
  std::vector<TextToken> tokens = {};  // of the text
};

struct TupleRow {
  // What it is besides its cells: the way to a field, or whether the row came or went.
  std::string label = {};
  std::vector<TupleCell> cells = {};
};

enum class BlockKind : std::uint8_t { answer, table };

struct TupleBlock {
  BlockKind kind = BlockKind::answer;
  std::string title = {};     // "A", "orders-db: orders"
  std::uint64_t request = 0;  // of an answer
  std::vector<TupleRow> rows = {};
};

// Points in time, in microseconds since 1970.
using TimesUs = std::set<std::uint64_t>;

struct OutcomeTuple {
  std::vector<TupleBlock> blocks = {};  // answers first, then by title
  std::map<std::string, std::map<std::string, std::size_t>> errors = {};  // service, words: times
  std::map<std::string, std::string> error_lines = {};                    // by words
  std::uint64_t begun_us = 0;
  std::uint64_t ended_us = 0;
  TimesUs times_before = {};  // of rows at which this run alone began
};

// A column that the store fills by itself.
struct FilledColumn {
  std::string domain = {};
  std::set<std::string> before = {};  // values that were there before the run
};

// Reads the runs of one pair. Tuples must not outlive it.
class TupleReader {
 public:
  // `before`: the rows at which each run begins.
  TupleReader(std::vector<RacedRequest> requests, const std::vector<ObservedStore>& before);

  OutcomeTuple read(const RacedRun& run);

  const std::vector<RacedRequest>& requests() const { return requests_; }
  // By place.
  const std::map<std::string, FilledColumn>& filled() const { return filled_; }
  // Identities of 128 bits that were there before the runs.
  const std::set<std::string>& uuids_before() const { return uuids_before_; }
  // Points in time that stood in rows before the runs.
  const TimesUs& times_before() const { return times_before_; }
  // What stood in a column before the runs; nothing where the place is none of a table's.
  std::set<std::string> values_before(const std::string& place) const;

 private:
  using TablesBefore = std::map<std::string, const TableState*>;  // by title

  TablesBefore tables_before(const RacedRun& run) const;
  const std::string* place_of(std::string place);
  TupleCell cell_of(const std::string* place, const Cell& value);
  TupleBlock answer_block(const ObservedResponse& response, const std::string& name);
  void add_headers(const TraceHeaders& headers, TupleBlock& block);
  void add_body(const ObservedResponse& response, TupleBlock& block);
  TupleBlock table_block(const std::string& title, const TableState& table,
                         const TablesBefore& tables);
  TupleRow table_row(const std::string& title, const TableState& table, const Row& row);
  void note_columns(const std::string& title, const TableState& table);
  void note_values(const std::string& title, const TableState& table);

  std::vector<RacedRequest> requests_;
  std::set<std::string> places_;
  std::map<std::string, FilledColumn> filled_;
  std::set<std::string> uuids_before_;
  TimesUs times_before_;
  std::map<std::string, TableState> tables_before_;  // by title
  // Of the run that is being read, the longest first.
  std::vector<std::pair<std::string, std::string>> renamed_;
};

}  // namespace heddle
