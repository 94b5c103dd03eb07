// Which requests the client sends one after the other, because a later one uses a value that an
// earlier one's response was the first to tell.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/trace.h"
#include "race/flows/flows.h"

namespace heddle::race {

// The words of what a client sends, and of what it gets.
struct ClientWords {
  std::set<std::string, std::less<>> sent;
  std::set<std::string, std::less<>> got;
};

ClientWords words_of_request(const TraceRequest& request);

// The words of a text: runs of letters, digits, - and _.
std::vector<std::string> words_of(std::string_view text);

class ClientOrder {
 public:
  // Long words that nobody can guess (tokens, uuids) are followed by themselves.
  ClientOrder(const Trace& trace, const Flows& flows);

  // A value that a row made for `maker` has, and that may be short, as numbers are: whoever touches
  // the row with that value in the request has it from the maker's response, if it is there.
  // `is_drawn`: the store made it up, so that the maker's request cannot have had it.
  void add_made_value(std::size_t maker, std::size_t user, std::string_view value, bool is_drawn);

  // Whether the later flow is sent only when the earlier one was answered, in whatever many steps.
  bool is_ordered(std::size_t earlier, std::size_t later) const;
  const ClientWords& words_of(std::size_t flow) const { return words_[flow]; }

 private:
  void add_telling_words();
  bool is_answered_before(std::size_t earlier, std::size_t later) const;

  const Flows& flows_;
  std::vector<ClientWords> words_;
  std::vector<std::set<std::size_t>> before_;  // for each flow, those whose responses it uses
};

}  // namespace heddle::race
