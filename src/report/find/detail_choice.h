// Which causes a report tells in full.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/find/cause_summary.h"

namespace heddle {

// By number or by id. Nothing given: the first few confirmed ones, or where nothing is confirmed
// the first few that are not refuted; and the table of all is cut where it gets long.
struct DetailChoice {
  struct Range {
    std::size_t first = 1;
    std::size_t last = 1;
  };
  bool is_given = false;
  bool all = false;
  std::vector<Range> ranges = {};
  std::vector<std::string> ids = {};
  std::vector<Range> failures = {};  // of functionalities that stop half-way
};

// The places in `rows` of what is told in full, in their order.
std::vector<std::size_t> chosen_rows(const DetailChoice& choice, const std::vector<CauseRow>& rows);

// Of failures those that runs show, by their numbers from 1; which of them is told in full.
std::vector<std::size_t> chosen_failures(const DetailChoice& choice,
                                         const std::vector<std::size_t>& shown);

// How many rows the table has.
std::size_t rows_in_table(const DetailChoice& choice);

// What of the choice is no cause: "12", "0123456789ab"; empty: nothing.
std::vector<std::string> unknown_choices(const DetailChoice& choice,
                                         const std::vector<CauseRow>& rows);

}  // namespace heddle
