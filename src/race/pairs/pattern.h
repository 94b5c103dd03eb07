// In what way the requests of a pair may step on each other.
//
// A recording of one request after the other shows the second one refused, as it should be: what it
// would have done is seen where another request of its endpoint was not. So what an endpoint does
// anywhere in the trace counts for each of its requests.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "heddle/race.h"
#include "race/pairs/met_accesses.h"

namespace heddle::race {

// What requests of one endpoint do, with what they cause: names of tables with their stores.
struct EndpointDeeds {
  std::set<std::string> reads;    // by queries
  std::set<std::string> inserts;  // where a row in the way is an error
  std::set<std::string> changes;  // by UPDATE and DELETE
  bool writes = false;
  bool has_succeeded = false;                         // one of them was not refused
  std::map<std::string, std::set<std::string>> used;  // by table: shapes of statements
  std::set<std::string> written;                      // tables
  std::set<std::string> touched;                      // tables whose rows it reads or changes
  std::set<std::string> keyless;                      // tables without a unique key
  // By table: columns whose values the store makes up in all rows that are made; those that are
  // changed otherwise are not here.
  std::map<std::string, std::set<std::string>> drawn;
  // By table and shape: columns that are always bound to values which the client has sent.
  std::map<std::pair<std::string, std::string>, std::set<std::string>> sent;
};

class PatternReader {
 public:
  PatternReader(const Trace& trace, const FlowAccesses& all, const Flows& flows);

  // Of requests from outside.
  RacePattern pattern_of(const std::vector<MetAccesses>& conflicts) const;
  // Whether both look for a row and create it, or both create it: MicroRacer validates such pairs
  // without running them.
  bool is_creation(const std::vector<MetAccesses>& conflicts, bool is_of_spans) const;
  const EndpointDeeds& deeds_of_flow(std::size_t flow) const;

 private:
  const EndpointDeeds& deeds_of(std::size_t access, bool is_of_span) const;

  const FlowAccesses& all_;
  const Flows& flows_;
  std::map<std::string, EndpointDeeds> outer_;  // by endpoint
  std::map<std::string, EndpointDeeds> inner_;  // of single spans
};

}  // namespace heddle::race
