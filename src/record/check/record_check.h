// What `heddle record --check` finds out: whether all that a system does passes through heddle.
// Data first; src/cli/record_check_text.h prints it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/result.h"
#include "heddle/trace.h"

namespace heddle {

// What came through an edge while it was watched.
struct EdgeCheck {
  TraceEdge edge;
  std::uint64_t units = 0;  // requests or statements
  std::uint64_t background = 0;
  std::uint64_t unsure = 0;
  std::uint64_t most_connections = 0;  // at once
  std::uint64_t most_requests = 0;     // of its caller, open at once while it was watched
  // Of an inner edge to a service: requests that a flow may have caused, and those of them that
  // named the trace of a flow.
  std::uint64_t caused = 0;
  std::uint64_t passed_on = 0;
};

// Connections that look alike and did not come through a proxy.
struct BypassCheck {
  std::string user = {};
  std::string application = {};
  std::string address = {};
  std::uint64_t connections = 0;
};

struct CloneCheck {
  std::string user = {};
  std::string owner = {};
  bool may_create = false;
  bool may_copy = false;
  std::uint64_t bytes = 0;
  std::optional<std::chrono::milliseconds> took = {};
  std::string why_not_measured = {};

  bool is_possible() const { return may_create && may_copy; }
};

struct StoreCheck {
  std::string name;
  std::string own = {};      // the variable of heddle's own address; empty: none is named
  bool is_known = false;     // the variable is set, and the server was asked
  std::string trouble = {};  // why the server could not be asked
  std::vector<BypassCheck> bypasses = {};
  // Connections besides that the server has counted, but that ended before it was seen whose they
  // are.
  std::uint64_t unseen = 0;
  std::optional<CloneCheck> clone = {};

  bool is_bypassed() const { return !bypasses.empty() || unseen > 0; }
};

// Responses told a client an address past the proxies.
struct AddressCheck {
  std::string endpoint;  // GET /orders/*
  std::string edge;
  std::string where;    // "Location" or another header, or "its body"
  std::string address;  // 127.0.0.1:8080
  std::string owner;    // the service or store that listens there
  std::uint64_t responses = 0;
};

struct CheckProblem {
  SourcePosition position;  // in heddle.yaml
  std::string what;
  std::string what_to_do;
};

struct RecordCheck {
  std::string file;  // heddle.yaml
  bool has_command = false;
  std::string not_healthy = {};  // why the system did not come up; empty: it did
  std::vector<EdgeCheck> edges = {};
  std::vector<StoreCheck> stores = {};
  std::vector<TraceBackground> background = {};
  std::vector<AddressCheck> addresses = {};
  std::vector<std::string> silent = {};  // services and stores at whose address nobody listens
  // Services that somebody on this machine calls past the proxies.
  std::vector<std::string> called_directly = {};
  std::vector<std::string> remarks = {};
  std::vector<CheckProblem> problems = {};
};

}  // namespace heddle
