// What is said of a cut and of what it adds, wherever it is shown: on a terminal, on a page.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "heddle/split.h"
#include "report/find/cause_summary.h"
#include "report/find/cause_text.h"
#include "report/split/split_counts.h"

namespace heddle {

// The words for one report. Texts are not printable() yet.
class SplitWords {
 public:
  // The report must outlive it.
  explicit SplitWords(const SplitReport& report);

  // "cut.json: 2 services, each of which runs its part at serializable".
  std::string head() const;
  // "M1: account, wallet", with the level where services differ.
  std::string service(std::size_t number) const;
  // "pay would do the same in 2 sub-transactions with its statements in this order, ...".
  std::string order(const ProposedOrder& order) const;
  // "order_line (product_id) of orders refers to product (id) of catalog".
  std::string torn_key(const TornKey& key) const;

  struct FunctionalityRow {
    std::string name;
    std::string sub_transactions;  // how many
    std::string services;
  };
  std::vector<FunctionalityRow> functionalities() const;

  // The cause in the summary, and in full.
  CauseRow row(const SplitCause& cause, std::size_t number) const;
  CauseDetails details(const SplitCause& cause, std::size_t number) const;

  // "read skew: total and transfer, on account, wallet".
  std::string title(const SplitCause& cause) const;
  // "between total[1] on M1 and [2] on M2; transfer[1] on M1 and [2] on M2".
  std::string between(const SplitCause& cause) const;
  // "T1 total  bank.sql:6: SELECT ..." for each statement of the cause's first cycle.
  std::vector<std::string> statements(const SplitCause& cause) const;
  // One for each edge of that cycle.
  std::vector<std::string> sentences(const SplitCause& cause) const;
  // "2 other cycles through these sub-transactions"; empty: there are none.
  std::string other_cycles(const SplitCause& cause) const;
  // "snapshot across services would remove it". REQUIRES: somebody has asked what it needs.
  static std::string need(const SplitCause& cause);
  // What became of it on a store; empty: nobody tried.
  std::string status(const SplitCause& cause) const;

  // The last lines: how many causes, what was left out, what was executed, what is not complete.
  std::vector<std::string> summary(const SplitCounts& counts) const;

 private:
  bool is_mixed() const;
  std::string name_of(const std::vector<SplitPart>& parts) const;

  const SplitReport& report_;
  CauseText words_;
};

}  // namespace heddle
