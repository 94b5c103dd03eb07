// Which values of a request came from the answer to an earlier one.
//
// A trace does not say it, so that it is found by the values themselves. What nobody writes by
// chance (a placeholder, a long number, a UUID) comes from where it stood first: an answer, else
// the client itself. What stands in many places (7) comes from an answer only if something else
// says so: the names of both fields, or rows with that key which the one request wrote and the
// other one used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/trace.h"

namespace heddle {

// Why a value is thought to come from an answer; the surer, the earlier.
enum class LinkEvidence : std::uint8_t {
  placeholder,  // a secret
  distinctive,  // nobody would write it by chance
  row,          // the key of a row that both requests used
  name,         // both fields are called so
  only,         // nobody else had said that value
};

// A value of a request, or a part of one, that stood in an earlier answer.
struct ValueLink {
  std::uint64_t unit = 0;  // the request
  std::size_t value = 0;   // in values_of() of the request
  std::size_t begin = 0;   // of the part, in the value as it is decoded
  std::size_t size = 0;    // of the part
  std::uint64_t from = 0;  // the request whose answer it stood in
  std::string path = {};   // where in the answer
  LinkEvidence evidence = LinkEvidence::only;

  friend bool operator==(const ValueLink&, const ValueLink&) = default;
};

}  // namespace heddle
