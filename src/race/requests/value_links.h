// Which values of a request came from the answer to an earlier one.
//
// A trace does not say it, so that it is found by the values themselves. What nobody writes by
// chance (a placeholder, a long number, a UUID) comes from where it stood first: an answer, else
// the client itself. What stands in many places (7) comes from an answer only if something else
// says so: the names of both fields, or rows with that key which the one request wrote and the
// other one used.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/trace.h"
#include "race/requests/message_values.h"

namespace heddle {

// Why a value is thought to come from an answer; the surer, the earlier.
enum class LinkEvidence : std::uint8_t {
  placeholder,  // a secret
  distinctive,  // nobody would write it by chance
  name,         // both fields are called so
  row,          // the key of a row that both requests used
  only,         // nobody else had said that value
};

// A value of a request, or a part of one, that stood in an earlier answer.
struct ValueLink {
  std::uint64_t unit = 0;  // the request
  std::size_t value = 0;   // in values_of() of the request
  std::size_t begin = 0;   // of the part, in the value as it is decoded
  std::size_t size = 0;
  std::uint64_t from = 0;      // the request whose answer it stood in
  std::string path = {};       // of the value there
  std::size_t from_begin = 0;  // of the part in that value
  LinkEvidence evidence = LinkEvidence::only;

  friend bool operator==(const ValueLink&, const ValueLink&) = default;
};

// A request of an outer edge with its values and those of its answer.
struct ReadRequest {
  const TraceRequest* request = nullptr;
  std::vector<MessageValue> values = {};
  std::vector<MessageValue> answer = {};
};

// The requests of outer edges, by unit. What they hold of the trace lives as long as it.
std::map<std::uint64_t, ReadRequest> read_requests(const Trace& trace);

// The units whose flows wrote a row with that key, which the flow of `unit` used: the earliest
// first.
using RowWriters =
    std::function<std::vector<std::uint64_t>(std::uint64_t unit, const std::string& value)>;

// By `unit`, then `value`, then `begin`.
std::vector<ValueLink> find_links(const std::map<std::uint64_t, ReadRequest>& requests,
                                  const RowWriters& writers);

// Whether nobody would write this value by chance: a placeholder, a UUID, a long number,
// "ann-1742".
bool is_distinctive(std::string_view value);

// A secret that was in a request before any answer had it.
struct ClientSecret {
  std::uint64_t unit = 0;   // where it came first
  std::string field = {};   // there
  bool is_in_body = false;  // or in the query: what a client makes up stands there
};
// By placeholder.
std::map<std::string, ClientSecret> find_client_secrets(
    const std::map<std::uint64_t, ReadRequest>& requests);

}  // namespace heddle
