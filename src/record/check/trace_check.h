// What a trace says of how a system is connected. The trace is read in parts, so that it may be
// larger than memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "frontend/config/config.h"
#include "heddle/trace.h"
#include "record/check/record_check.h"

namespace heddle {

class TraceCheck {
 public:
  // REQUIRES: the system outlives it, and the edges are those of the trace.
  TraceCheck(const SystemSettings& system, std::vector<TraceEdge> edges);

  void add(const Trace& part);
  // What it says of edges, background, addresses and remarks.
  void finish(RecordCheck& check);

 private:
  struct Address {
    std::string text;  // HOST:PORT
    std::string owner;
  };
  using Found = std::tuple<std::string, std::string, std::string, std::string, std::string>;

  void add_request(const TraceRequest& request);
  void look_for_addresses(const TraceRequest& request);
  void find_in(std::string_view text, const std::string& where, const TraceRequest& request);
  std::uint64_t most_open(const std::string& service);

  std::vector<Address> addresses_;
  std::vector<EdgeCheck> edges_;
  std::map<Found, std::uint64_t> found_;
  // By service: when requests of flows began (+1) and ended (-1) there.
  std::map<std::string, std::vector<std::pair<TraceTime, int>>> open_;
  std::vector<TraceBackground> background_;
  std::vector<std::string> remarks_;
};

// HOST:PORT, and where the host is this machine, with all names of it; none for a socket's path.
std::vector<std::string> server_names(const std::string& server);

// The path of a request's target with * in place of what looks like a number or a name of one
// thing.
std::string endpoint_of(const std::string& method, std::string_view target);

}  // namespace heddle
