/// Explanation: why an outcome is wrong, of whatever has one: sessions of a database, requests.
#pragma once

#include <string>

namespace heddle {

/// The explanation as data; the text has the form Let / Then / However.
struct Explanation {
  std::string let = {};      ///< what is at hand: the rows and sessions, the two requests
  std::string then = {};     ///< what the schedule does
  std::string however = {};  ///< what no serial order allows

  friend bool operator==(const Explanation&, const Explanation&) = default;
};

}  // namespace heddle
