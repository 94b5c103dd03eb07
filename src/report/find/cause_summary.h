// What is said of the causes that find and split report, as data: a row of the summary for each,
// all there is to say of one, and how many there are of which. Text, Markdown, HTML and JUnit's XML
// are written from these. Texts are not printable() yet, and numbers count from 1.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/find.h"
#include "report/find/cause_text.h"

namespace heddle {

// A cause in the summary.
struct CauseRow {
  std::size_t number = 0;
  std::string id;                   // empty: it has none
  std::string what;                 // "lost update: withdraw twice"
  std::string tables;               // "account, customer"
  std::vector<std::string> places;  // "src/Bank.java:22:9", each once, by transactions
  std::string status;               // "confirmed", "possible"
  std::string effect;               // "internal", "external"; empty: nothing was seen
  std::vector<std::string> broken_invariants;
  std::optional<std::string> suppressed;  // why
  std::size_t group = 0;                  // of those that differ by their ways alone; 0: none
  std::string way;                        // "deposit by its statements 1 and 4"
};

// A statement of a cause's shortest cycle.
struct CauseStatement {
  std::string transaction;  // "T1 withdraw"
  std::string place;        // "src/Bank.java:22:9"
  std::string text;         // with the client's names
};

// A cause in full.
struct CauseDetails {
  std::size_t number = 0;
  std::string title;                       // "lost update: withdraw twice, on account"
  std::vector<std::string> about;          // what else names it; may be empty
  std::vector<CauseStatement> statements;  // by transactions and in program order
  std::vector<std::string> sentences;      // one for each dependency
  std::vector<std::string> remarks;        // the status and its reason first
  const Finding* finding = nullptr;        // the run that confirms it; null: there is none
  std::vector<FoundBreak> further;         // runs that break what that one keeps
};

// Why causes are not confirmed: those with the same status and reason.
struct CauseReason {
  std::string status;
  std::string reason;
  std::vector<std::size_t> numbers;
};

// "confirmed", "possible", "not executable", ... `execution`: none where nobody tried.
std::string status_of(const std::optional<FoundExecution>& execution);

CauseRow row_of(const FoundCause& cause, std::size_t number, const CauseText& words);
CauseDetails details_of(const FoundCause& cause, std::size_t number, const CauseText& words);

// The statements of a cycle, and each of their places once.
std::vector<CauseStatement> statements_of(const FoundCycle& cycle, const CauseText& words);
std::vector<std::string> places_of(const std::vector<CauseStatement>& statements);

// Which invariants its runs break, a remark for each.
std::vector<std::string> broken_remarks(const FoundExecution& execution);
// Of each invariant that some of the causes break, by which.
std::vector<std::string> invariant_lines(const std::vector<CauseRow>& rows);

// "2 confirmed (internal), 3 possible, 1 suppressed", as many as there are, in the order of the
// rows.
std::string count_statuses(const std::vector<CauseRow>& rows);

// The reasons in the order of their first causes.
class CauseReasons {
 public:
  void add(std::size_t number, const std::optional<FoundExecution>& execution);
  void add(std::size_t number, const std::string& status, const std::string& reason);
  const std::vector<CauseReason>& all() const { return reasons_; }

 private:
  std::vector<CauseReason> reasons_;
};

// "3, 7-9, 12". REQUIRES: sorted.
std::string number_ranges(const std::vector<std::size_t>& numbers);

}  // namespace heddle
