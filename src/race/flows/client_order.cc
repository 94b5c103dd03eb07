#include "race/flows/client_order.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/text.h"
#include "race/flows/endpoints.h"

namespace heddle::race {
namespace {

constexpr std::size_t kTellingLength = 8;

using Words = std::set<std::string, std::less<>>;

bool is_of_word(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; }

void add_words(std::string_view text, Words& words) {
  for (std::string& word : words_of(text)) words.insert(std::move(word));
}

// Headers that every message has, whoever sends it.
bool is_of_everybody(std::string_view name) {
  static constexpr std::array<std::string_view, 16> kNames = {"date",
                                                              "content-length",
                                                              "content-type",
                                                              "server",
                                                              "connection",
                                                              "keep-alive",
                                                              "host",
                                                              "user-agent",
                                                              "accept",
                                                              "accept-encoding",
                                                              "traceparent",
                                                              "tracestate",
                                                              "accept-language",
                                                              "transfer-encoding",
                                                              "x-powered-by",
                                                              "baggage"};
  return is_one_of(to_lower(name), kNames);
}

void add_header_words(const TraceHeaders& headers, Words& words) {
  for (const auto& [name, value] : headers) {
    if (!is_of_everybody(name)) add_words(percent_decoded(value), words);
  }
}

// A digit in it, and long: no word of a language, and no date.
bool is_telling(std::string_view word) {
  if (word.size() < kTellingLength) return false;
  const bool is_date =
      word.size() > 7 && is_digit(word[0]) && is_digit(word[3]) && word[4] == '-' && word[7] == '-';
  return !is_date && std::ranges::any_of(word, is_digit);
}

}  // namespace

ClientWords words_of_request(const TraceRequest& request) {
  ClientWords words;
  add_words(percent_decoded(request.target), words.sent);
  add_header_words(request.headers, words.sent);
  add_words(percent_decoded(request.body.bytes), words.sent);
  add_header_words(request.response_headers, words.got);
  add_words(request.response_body.bytes, words.got);
  return words;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while (at < text.size()) {
    if (!is_of_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_of_word(text[end])) ++end;
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

ClientOrder::ClientOrder(const Trace& trace, const Flows& flows)
    : flows_(flows), before_(flows.flows.size()) {
  for (const Flow& flow : flows.flows) {
    words_.push_back(words_of_request(trace.requests[flows.spans[flow.span].request]));
  }
  add_telling_words();
}

// Flows come in the order of their requests; a response counts from when it was there.
void ClientOrder::add_telling_words() {
  struct Message {
    TraceTime at = 0;
    std::size_t flow = 0;
    bool is_response = false;
  };
  std::vector<Message> messages;
  for (std::size_t i = 0; i < flows_.flows.size(); ++i) {
    const RequestSpan& span = flows_.spans[flows_.flows[i].span];
    messages.push_back({.at = span.begun, .flow = i});
    if (span.ended != kEndOfTime) {
      messages.push_back({.at = span.ended, .flow = i, .is_response = true});
    }
  }
  std::ranges::stable_sort(messages, {}, &Message::at);
  std::map<std::string_view, Message> first;
  for (const Message& message : messages) {
    const ClientWords& words = words_[message.flow];
    for (const std::string& word : message.is_response ? words.got : words.sent) {
      if (!is_telling(word)) continue;
      const auto [place, is_new] = first.try_emplace(word, message);
      const bool is_use = !is_new && !message.is_response && place->second.is_response;
      if (is_use) before_[message.flow].insert(place->second.flow);
    }
  }
}

void ClientOrder::add_made_value(std::size_t maker, std::size_t user, std::string_view value,
                                 bool is_drawn) {
  const bool is_told =
      words_[maker].got.contains(value) && (is_drawn || !words_[maker].sent.contains(value));
  if (!is_told || !words_[user].sent.contains(value)) return;
  if (is_answered_before(maker, user)) before_[user].insert(maker);
}

bool ClientOrder::is_answered_before(std::size_t earlier, std::size_t later) const {
  const RequestSpan& one = flows_.spans[flows_.flows[earlier].span];
  const RequestSpan& other = flows_.spans[flows_.flows[later].span];
  return one.ended <= other.begun;
}

bool ClientOrder::is_ordered(std::size_t earlier, std::size_t later) const {
  if (!is_answered_before(earlier, later)) return false;
  std::vector<std::size_t> pending{later};
  std::set<std::size_t> seen;
  while (!pending.empty()) {
    const std::size_t flow = pending.back();
    pending.pop_back();
    for (const std::size_t each : before_[flow]) {
      if (each == earlier) return true;
      const bool is_between = each > earlier && seen.insert(each).second;
      if (is_between) pending.push_back(each);
    }
  }
  return false;
}

}  // namespace heddle::race
