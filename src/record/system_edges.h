// From heddle.yaml to proxies: which edges there are, where each listens, and what whoever starts
// the system's parts has to know of that.
#pragma once

#include <string>
#include <vector>

#include "frontend/config/config.h"
#include "heddle/result.h"
#include "heddle/trace.h"
#include "proxy/proxies.h"

namespace heddle {

// Listens for each edge, in the order of the file. Errors: bad_input with its place for what is no
// address, environment where nobody can listen there, or a name is unknown.
Result<std::vector<ProxiedEdge>> open_edges(const Config& config);

// The same edges as a trace says them.
std::vector<TraceEdge> trace_edges(const SystemSettings& system);

// Of which edges: all; those of the command that is recorded, which are where requests come in, and
// those of services that heddle does not start; or those of one caller.
enum class EdgeChoice : std::uint8_t { all, command, caller };
// "NAME=value" for each variable of these edges. `addresses`: where each edge listens.
std::vector<std::string> edge_environment(const Config& config,
                                          const std::vector<std::string>& addresses,
                                          EdgeChoice choice, const std::string& caller = "");

// HOST:PORT of "HOST:PORT/DATABASE" or "http://HOST:PORT/..."; a path of a socket as it is.
std::string server_part(const std::string& address);

}  // namespace heddle
