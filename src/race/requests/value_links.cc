#include "race/requests/value_links.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "record/redact/placeholder.h"

namespace heddle {
namespace {

// What is longer is looked through for placeholders only.
constexpr std::size_t kLongestSplit = 4096;
// "ann-1742@example.org" has five words, with all that lies between some of them.
constexpr std::size_t kMostWordsTogether = 8;

// Where a value stood: in a request, or in the answer to it.
struct ValueSighting {
  std::uint64_t unit = 0;
  bool is_answer = false;
  std::size_t value = 0;
  std::size_t begin = 0;
};

struct NamedSightings {
  ValueSighting first;
  std::optional<ValueSighting> latest_answer = {};
};

// A word within a value, or several with what is between them.
struct WordSpan {
  std::size_t begin = 0;
  std::size_t size = 0;
};

// Bytes of a request that a link stands for.
struct LinkedBytes {
  MessagePart part = MessagePart::body;
  std::size_t header = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

bool is_all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

bool is_time_or_fraction(std::string_view text) {
  constexpr std::string_view kMarks = "-:+., TZ";
  return is_digit(text.front()) && std::ranges::all_of(text, [&](char c) {
           return is_digit(c) || kMarks.find(c) != kMarks.npos;
         });
}

// What says nothing even where both fields are called alike.
bool is_meaningless(std::string_view value) {
  return value.empty() || is_one_of(value, {"true", "false", "null", "{}", "[]"});
}

// Letters and digits, or a placeholder.
std::vector<WordSpan> words_in(std::string_view text) {
  std::vector<WordSpan> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t hidden = placeholder_length(text.substr(at));
    std::size_t length = hidden;
    while (hidden == 0 && at + length < text.size() &&
           (is_letter(text[at + length]) || is_digit(text[at + length]))) {
      ++length;
    }
    if (length > 0) words.push_back({at, length});
    at += std::max<std::size_t>(length, 1);
  }
  return words;
}

// Whether two words that follow each other may be one: "ORD-1742".
bool are_joined(std::string_view text, const WordSpan& first, const WordSpan& second) {
  const std::size_t end = first.begin + first.size;
  return second.begin == end + 1 && std::string_view("-_.:/@").find(text[end]) != text.npos;
}

std::vector<WordSpan> placeholders_in(std::string_view text) {
  std::vector<WordSpan> found;
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    const std::size_t length = placeholder_length(text.substr(at));
    if (length > 0) found.push_back({at, length});
  }
  return found;
}

class LinkSearch {
 public:
  LinkSearch(const std::map<std::uint64_t, ReadRequest>& requests, const RowWriters& writers)
      : requests_(requests), writers_(writers) {}

  std::vector<ValueLink> find() {
    std::vector<std::tuple<TraceTime, std::uint64_t, bool>> events;
    for (const auto& [unit, each] : requests_) {
      events.emplace_back(each.request->arrived, unit, false);
      if (each.request->answered) events.emplace_back(*each.request->answered, unit, true);
    }
    std::ranges::sort(events);
    for (const auto& [time, unit, is_answer] : events) {
      const ReadRequest& read = requests_.at(unit);
      if (!is_answer) link_values(unit, read.values);
      remember(unit, is_answer, is_answer ? read.answer : read.values);
    }
    std::ranges::sort(links_, {}, [](const ValueLink& each) {
      return std::tuple(each.unit, each.value, each.begin);
    });
    return std::move(links_);
  }

 private:
  const MessageValue& value_at(const ValueSighting& at) const {
    const ReadRequest& read = requests_.at(at.unit);
    return (at.is_answer ? read.answer : read.values)[at.value];
  }

  void remember(std::uint64_t unit, bool is_answer, const std::vector<MessageValue>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string& text = values[i].text();
      if (is_meaningless(text)) continue;
      const ValueSighting sighting{.unit = unit, .is_answer = is_answer, .value = i};
      first_.try_emplace(text, sighting);
      if (is_answer) answers_[text].push_back(sighting);
      for (const std::string& name : is_answer ? names_of(values[i]) : origin_names(values[i])) {
        for (const std::string& key : {name_key(unit, name, text), name_key(0, name, text)}) {
          const auto [named, is_new] = named_.try_emplace(key, NamedSightings{sighting});
          if (is_answer) named->second.latest_answer = sighting;
        }
      }
      remember_parts(sighting, text);
    }
  }

  void remember_parts(ValueSighting sighting, const std::string& text) {
    const auto remember_part = [&](const WordSpan& span) {
      const std::string part = text.substr(span.begin, span.size);
      if (part.size() == text.size() || !is_distinctive(part)) return;
      sighting.begin = span.begin;
      first_.try_emplace(part, sighting);
    };
    if (text.size() > kLongestSplit) {
      for (const WordSpan& each : placeholders_in(text)) remember_part(each);
      return;
    }
    // Only the whole of what belongs together: the last digits of two codes may be equal.
    const std::vector<WordSpan> words = words_in(text);
    for (std::size_t first = 0; first < words.size();) {
      std::size_t last = first;
      while (last + 1 < words.size() && are_joined(text, words[last], words[last + 1])) ++last;
      remember_part(
          {words[first].begin, words[last].begin + words[last].size - words[first].begin});
      first = last + 1;
    }
  }

  // Whole values first; then parts of what is left, of inner values before those around them.
  void link_values(std::uint64_t unit, const std::vector<MessageValue>& values) {
    linked_.clear();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (is_linked(values[i])) continue;
      const std::size_t before = links_.size();
      link_whole(unit, i, values[i]);
      mark_linked(values[i], before);
    }
    for (std::size_t i = values.size(); i-- > 0;) {
      if (is_linked(values[i])) continue;
      const std::size_t before = links_.size();
      link_parts(unit, i, values[i]);
      mark_linked(values[i], before);
    }
  }

  bool is_linked(const MessageValue& value) const {
    return std::ranges::any_of(linked_, [&](const LinkedBytes& each) {
      return each.part == value.part && each.header == value.header &&
             each.begin < value.coded.end() && value.coded.begin() < each.end;
    });
  }

  void mark_linked(const MessageValue& value, std::size_t first_link) {
    for (std::size_t k = first_link; k < links_.size(); ++k) {
      const CodedText part = part_of(value.coded, links_[k].begin, links_[k].size);
      linked_.push_back({value.part, value.header, part.begin(), part.end()});
    }
  }

  void add_link(std::uint64_t unit, std::size_t value, const WordSpan& part,
                const ValueSighting& source, LinkEvidence evidence) {
    links_.push_back({.unit = unit,
                      .value = value,
                      .begin = part.begin,
                      .size = part.size,
                      .from = source.unit,
                      .path = value_at(source).path,
                      .from_begin = source.begin,
                      .evidence = evidence});
  }

  void link_whole(std::uint64_t unit, std::size_t i, const MessageValue& value) {
    const std::string& text = value.text();
    if (is_meaningless(text)) return;
    if (is_distinctive(text)) {
      link_part(unit, i, text, {0, text.size()});
    } else if (!link_by_name(unit, i, value) && !link_by_row(unit, i, value)) {
      link_to_only(unit, i, value);
    }
  }

  bool link_by_row(std::uint64_t unit, std::size_t i, const MessageValue& value) {
    const auto answers = answers_.find(value.text());
    if (answers == answers_.end()) return false;
    for (const std::uint64_t writer : writers_(unit, value.text())) {
      for (const ValueSighting& each : answers->second) {
        if (each.unit != writer) continue;
        add_link(unit, i, {0, value.text().size()}, each, LinkEvidence::row);
        return true;
      }
    }
    return false;
  }

  // What tells things apart comes from the answer that had it first; what changes (a version) from
  // the last one. Equal names and values of one service mean more than those of two.
  bool link_by_name(std::uint64_t unit, std::size_t i, const MessageValue& value) {
    for (const std::uint64_t service_of : {unit, std::uint64_t{0}}) {
      for (const std::string& name : origin_names(value)) {
        const auto named = named_.find(name_key(service_of, name, value.text()));
        if (named == named_.end() || !named->second.first.is_answer) continue;
        const ValueSighting& first = named->second.first;
        const bool tells_apart = is_identity(value) || is_identity(value_at(first));
        add_link(unit, i, {0, value.text().size()},
                 tells_apart ? first : *named->second.latest_answer, LinkEvidence::name);
        return true;
      }
    }
    return false;
  }

  // A name and a value, at the service that answers the request; of zero: at any.
  std::string name_key(std::uint64_t unit, const std::string& name, const std::string& text) const {
    const std::string service = unit == 0 ? "" : std::to_string(requests_.at(unit).request->edge);
    return service + '\n' + name + '\n' + text;
  }

  void link_to_only(std::uint64_t unit, std::size_t i, const MessageValue& value) {
    const auto seen = first_.find(value.text());
    if (seen == first_.end() || !seen->second.is_answer) return;
    constexpr std::size_t kShort = 3;
    const bool has_digit = std::ranges::any_of(value.text(), is_digit);
    const bool is_amount = is_time_or_fraction(value.text()) && !is_all_digits(value.text());
    if (!has_digit || is_amount) return;
    const bool are_identities = is_identity(value) && is_identity(value_at(seen->second));
    if (value.text().size() < kShort && !are_identities) return;
    add_link(unit, i, {0, value.text().size()}, seen->second, LinkEvidence::only);
  }

  // Links those words of a longer text that an answer made known, the most at once first.
  void link_parts(std::uint64_t unit, std::size_t i, const MessageValue& value) {
    const std::string& text = value.text();
    const std::vector<WordSpan> words =
        text.size() > kLongestSplit ? placeholders_in(text) : words_in(text);
    for (std::size_t first = 0; first < words.size();) {
      std::size_t last = std::min(first + kMostWordsTogether, words.size());
      for (; last > first; --last) {
        const std::size_t begin = words[first].begin;
        const WordSpan span{begin, words[last - 1].begin + words[last - 1].size - begin};
        if (span.size < text.size() && link_part(unit, i, text, span)) break;
      }
      first = std::max(last, first + 1);
    }
  }

  bool link_part(std::uint64_t unit, std::size_t i, const std::string& text, const WordSpan& span) {
    const std::string part = text.substr(span.begin, span.size);
    if (!is_distinctive(part)) return false;
    const auto seen = first_.find(part);
    // Whoever said it first made it up.
    if (seen == first_.end() || !seen->second.is_answer) return false;
    const bool is_secret = placeholder_length(part) == part.size();
    add_link(unit, i, span, seen->second,
             is_secret ? LinkEvidence::placeholder : LinkEvidence::distinctive);
    return true;
  }

  const std::map<std::uint64_t, ReadRequest>& requests_;
  const RowWriters& writers_;
  std::unordered_map<std::string, ValueSighting> first_ = {};
  std::unordered_map<std::string, std::vector<ValueSighting>> answers_ = {};
  std::unordered_map<std::string, NamedSightings> named_ = {};  // by name_key()
  std::vector<LinkedBytes> linked_ = {};                        // of the request that is looked at
  std::vector<ValueLink> links_ = {};
};

}  // namespace

bool is_distinctive(std::string_view value) {
  if (value.empty()) return false;
  if (placeholder_length(value) == value.size()) return true;
  constexpr std::size_t kLongNumber = 6;
  if (is_all_digits(value)) return value.size() >= kLongNumber;
  constexpr std::size_t kLongWord = 8;
  const bool has_blank = value.find_first_of(" \t\r\n") != value.npos;
  return value.size() >= kLongWord && !has_blank && !is_time_or_fraction(value) &&
         std::ranges::any_of(value, is_digit);
}

std::map<std::uint64_t, ReadRequest> read_requests(const Trace& trace) {
  std::map<std::uint64_t, ReadRequest> requests;
  for (const TraceRequest& each : trace.requests) {
    HEDDLE_ASSERT(each.edge < trace.head.edges.size());
    if (!trace.head.edges[each.edge].is_outer) continue;
    const std::string resource = resource_of(each.target);
    requests[each.unit] = {.request = &each,
                           .values = values_of(text_of_request(each), resource),
                           .answer = values_of(text_of_answer(each), resource)};
  }
  return requests;
}

std::vector<ValueLink> find_links(const std::map<std::uint64_t, ReadRequest>& requests,
                                  const RowWriters& writers) {
  return LinkSearch(requests, writers).find();
}

std::map<std::string, ClientSecret> find_client_secrets(
    const std::map<std::uint64_t, ReadRequest>& requests) {
  std::vector<std::tuple<TraceTime, std::uint64_t, bool>> events;
  for (const auto& [unit, each] : requests) {
    events.emplace_back(each.request->arrived, unit, false);
    if (each.request->answered) events.emplace_back(*each.request->answered, unit, true);
  }
  std::ranges::sort(events);
  std::map<std::string, ClientSecret> secrets;
  std::map<std::string, bool> is_known;
  for (const auto& [time, unit, is_answer] : events) {
    const ReadRequest& read = requests.at(unit);
    for (const MessageValue& value : is_answer ? read.answer : read.values) {
      for (const WordSpan& each : placeholders_in(value.text())) {
        const std::string secret = value.text().substr(each.begin, each.size);
        if (!is_known.emplace(secret, true).second || is_answer) continue;
        secrets[secret] = {
            .unit = unit, .field = value.field, .is_in_body = value.part != MessagePart::header};
      }
    }
  }
  return secrets;
}

}  // namespace heddle
