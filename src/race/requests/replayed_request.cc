#include "race/requests/replayed_request.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"
#include "record/redact/placeholder.h"

namespace heddle {
namespace {

// What concerns the connection, what a proxy adds anew, and what would make a client wait.
constexpr std::array<std::string_view, 13> kLeftOut = {
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "proxy-connection",
    "traceparent",
    "tracestate",
    "upgrade",
    "http2-settings",
    "transfer-encoding",
};

// Names that Connection says are for the next hop only.
std::vector<std::string> connection_names(const TraceHeaders& headers) {
  std::vector<std::string> names;
  for (const auto& [name, value] : headers) {
    if (!equal_ignoring_case(name, "Connection")) continue;
    for (const std::string& each : split(value, ',')) names.push_back(to_lower(trim(each)));
  }
  return names;
}

bool has_header(const TraceHeaders& headers, std::string_view name) {
  return std::ranges::any_of(
      headers, [&](const auto& each) { return equal_ignoring_case(each.first, name); });
}

TraceHeaders headers_to_send(const TraceHeaders& recorded, std::size_t body_size, bool is_decoded) {
  const std::vector<std::string> for_next_hop = connection_names(recorded);
  TraceHeaders headers;
  for (const auto& [name, value] : recorded) {
    const std::string lower = to_lower(name);
    if (is_one_of(lower, kLeftOut) || is_one_of(lower, for_next_hop)) continue;
    if (is_decoded && lower == "content-encoding") continue;
    headers.emplace_back(name, value);
  }
  const bool has_body = body_size > 0 || has_header(recorded, "Content-Length") ||
                        has_header(recorded, "Transfer-Encoding");
  if (has_body) headers.emplace_back("Content-Length", std::to_string(body_size));
  return headers;
}

// "/path" of "http://host/path".
std::string without_host(const std::string& target) {
  const std::size_t scheme = target.find("://");
  if (scheme == target.npos || scheme > target.find_first_of("/?#")) return target;
  const std::size_t path = target.find('/', scheme + 3);
  return path == target.npos ? "/" : target.substr(path);
}

// A number or a word of JSON, which needs no quotes.
bool is_bare_json(std::string_view text) {
  if (is_one_of(text, {"true", "false", "null"})) return true;
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && is_digit(text.front()) && std::ranges::all_of(text, [](char c) {
    return is_digit(c) || std::string_view(".eE+-").find(c) != std::string_view::npos;
  });
}

// Whether no letter or digit stands beside the part, so that it is a word of its own.
bool stands_alone(std::string_view text, std::size_t at, std::size_t size) {
  const auto is_of_word = [&](std::size_t i) { return is_letter(text[i]) || is_digit(text[i]); };
  const std::size_t end = at + size;
  return (at == 0 || !is_of_word(at - 1)) && (end == text.size() || !is_of_word(end));
}

std::string& part_text(MessageText& message, MessagePart part, std::size_t header) {
  if (part == MessagePart::target) return message.target;
  return part == MessagePart::body ? message.body : message.headers[header].second;
}

// Whether the value cannot be the client's own. What is called alike may be equal by chance, unless
// it tells things apart.
bool is_sure_link(const ValueLink& link, const MessageValue& value, const MessageValue& source) {
  if (link.evidence != LinkEvidence::name) return link.evidence < LinkEvidence::only;
  return is_identity(value) || is_identity(source);
}

}  // namespace

ReplayBindings::ReplayBindings(const Trace& trace, const RequestDependencies& dependencies,
                               const PairPlan& plan, SecretLookup lookup)
    : trace_(trace), dependencies_(dependencies), lookup_(std::move(lookup)) {
  for (const TraceRequest& each : trace.requests) {
    const bool is_planned = each.unit == plan.first || each.unit == plan.second ||
                            std::ranges::find(plan.before, each.unit) != plan.before.end();
    if (!is_planned) continue;
    requests_[each.unit] = &each;
    recorded_[each.unit] = answer_values(values_of(text_of_answer(each), resource_of(each.target)));
  }
}

void ReplayBindings::take(std::uint64_t unit, const HttpAnswer& answer) {
  HEDDLE_ASSERT(requests_.contains(unit));
  answers_[unit] =
      answer_values(values_of(text_of_answer(answer), resource_of(requests_.at(unit)->target)));
}

std::string ReplayBindings::endpoint_of(const TraceRequest& request) const {
  return fmt::format("{} {}{}", request.method, trace_.head.edges[request.edge].callee,
                     request.target.substr(0, request.target.find('?')));
}

Result<HttpToSend> ReplayBindings::make(std::uint64_t unit) {
  const auto known = requests_.find(unit);
  HEDDLE_ASSERT(known != requests_.end());
  const TraceRequest& request = *known->second;
  if (!request.body.is_whole) {
    return Diagnostic{
        .what =
            fmt::format("only {} of {} bytes of the body of {} (unit {}) were recorded",
                        request.body.bytes.size(), request.body.size, endpoint_of(request), unit),
        .what_to_do = fmt::format("record again with --max-body={} or more", request.body.size)};
  }
  Draft draft{.request = request, .message = text_of_request(request), .values = {}};
  draft.values = values_of(draft.message, resource_of(request.target));
  if (auto bound = bind_links(draft); !bound) return bound.error();
  bind_names(draft);
  if (auto bound = bind_secrets(draft); !bound) return bound.error();
  // From the last one on, so that the places of those before stay.
  std::ranges::stable_sort(draft.replacements, std::ranges::greater(), &Replacement::begin);
  bool has_new_body = request.body.is_decoded;
  for (const Replacement& each : draft.replacements) {
    part_text(draft.message, each.part, each.header)
        .replace(each.begin, each.end - each.begin, each.text);
    has_new_body |= each.part == MessagePart::body;
  }
  HttpToSend to_send{
      .edge = request.edge, .method = request.method, .target = without_host(draft.message.target)};
  to_send.body = has_new_body ? draft.message.body : request.body.bytes;
  to_send.headers = headers_to_send(draft.message.headers, to_send.body.size(), has_new_body);
  return to_send;
}

Result<void> ReplayBindings::bind_links(Draft& draft) const {
  const auto links =
      std::ranges::equal_range(dependencies_.links, draft.request.unit, {}, &ValueLink::unit);
  for (const ValueLink& link : links) {
    const Result<const MessageValue*> answered = answered_value(link, draft);
    if (!answered) return answered.error();
    if (*answered == nullptr) continue;
    const std::string& whole = (*answered)->text();
    const std::size_t around = recorded_.at(link.from).at(link.path).text().size() - link.size;
    const std::string text = whole.substr(link.from_begin, whole.size() - around);
    const MessageValue& value = draft.values[link.value];
    const CodedText part = part_of(value.coded, link.begin, link.size);
    if (text == part.text) continue;
    Replacement replacement{value.part, value.header, part.begin(), part.end(),
                            encoded(text, part.codings)};
    const bool was_hidden = link.evidence == LinkEvidence::placeholder && value.is_quoted &&
                            link.size == value.text().size() &&
                            part.codings == std::vector{ValueCoding::json};
    if (value.is_bare && !is_bare_json(text)) {
      replacement.text = encoded('"' + encoded(text, {ValueCoding::json}) + '"', part.codings);
    } else if (was_hidden && (*answered)->is_bare) {
      // A number that was hidden is a text in the trace.
      --replacement.begin;
      ++replacement.end;
      replacement.text = text;
    }
    draft.replacements.push_back(std::move(replacement));
  }
  return {};
}

// Null: there is none, and the recorded value may as well be the client's own.
Result<const MessageValue*> ReplayBindings::answered_value(const ValueLink& link,
                                                           const Draft& draft) const {
  const std::string who =
      fmt::format("{} (unit {})", endpoint_of(draft.request), draft.request.unit);
  const auto source = recorded_.find(link.from);
  const auto answer = answers_.find(link.from);
  const bool is_there = source != recorded_.end() && answer != answers_.end();
  const bool is_sure = source == recorded_.end() ||
                       is_sure_link(link, draft.values[link.value], source->second.at(link.path));
  if (!is_sure && !is_there) return nullptr;
  if (!is_there) {
    return Diagnostic{.what = fmt::format("{} needs {} of the answer of unit {}, which there is "
                                          "not in this run",
                                          who, link.path, link.from),
                      .what_to_do = "send that request before",
                      .trouble = Trouble::environment};
  }
  const std::string path =
      place_now(source->second, answer->second, link.path,
                [this](const std::string& recorded) { return renamed(recorded); });
  const auto found = answer->second.find(path);
  const std::string& recorded = source->second.at(link.path).text();
  const std::string_view before = std::string_view(recorded).substr(0, link.from_begin);
  const std::string_view after = std::string_view(recorded).substr(link.from_begin + link.size);
  if (found != answer->second.end() && found->second.text().starts_with(before) &&
      found->second.text().ends_with(after) &&
      found->second.text().size() > before.size() + after.size()) {
    return &found->second;
  }
  if (!is_sure) return nullptr;
  return Diagnostic{
      .what = fmt::format("the answer of {} (unit {}) has nothing at {}, which {} needs",
                          endpoint_of(*requests_.at(link.from)), link.from, link.path, who),
      .what_to_do = "look at that answer: it differs from the recorded one",
      .trouble = Trouble::environment};
}

std::string ReplayBindings::renamed(const std::string& recorded) const {
  for (const FreshName& name : names_.names) {
    if (name.recorded == recorded) return name.fresh;
  }
  return recorded;
}

// Inner values come before those around them, and a longer name before one that it holds.
void ReplayBindings::bind_names(Draft& draft) const {
  for (auto value = draft.values.rbegin(); value != draft.values.rend(); ++value) {
    for (const FreshName& name : names_.names) {
      const std::string_view text = value->text();
      for (std::size_t at = text.find(name.recorded); at != text.npos;
           at = text.find(name.recorded, at + name.recorded.size())) {
        if (!stands_alone(text, at, name.recorded.size())) continue;
        const CodedText part = part_of(value->coded, at, name.recorded.size());
        const auto is_here = [&](const Replacement& each) {
          return each.part == value->part && each.header == value->header &&
                 each.begin < part.end() && part.begin() < each.end;
        };
        if (std::ranges::any_of(draft.replacements, is_here)) continue;
        draft.replacements.push_back({value->part, value->header, part.begin(), part.end(),
                                      encoded(name.fresh, part.codings)});
      }
    }
  }
}

Result<void> ReplayBindings::bind_secrets(Draft& draft) {
  if (auto bound = bind_secrets_of(draft, MessagePart::target, 0); !bound) return bound;
  for (std::size_t i = 0; i < draft.message.headers.size(); ++i) {
    if (is_one_of(to_lower(draft.message.headers[i].first), kLeftOut)) continue;
    if (auto bound = bind_secrets_of(draft, MessagePart::header, i); !bound) return bound;
  }
  return bind_secrets_of(draft, MessagePart::body, 0);
}

Result<void> ReplayBindings::bind_secrets_of(Draft& draft, MessagePart part, std::size_t header) {
  const std::string text = part_text(draft.message, part, header);
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    const std::size_t length = placeholder_length(std::string_view(text).substr(at));
    if (length == 0) continue;
    const auto is_here = [&](const Replacement& each) {
      return each.part == part && each.header == header && each.begin <= at && at < each.end;
    };
    if (std::ranges::any_of(draft.replacements, is_here)) continue;
    // The innermost value that it stands in.
    const MessageValue* value = nullptr;
    for (const MessageValue& each : draft.values) {
      const bool holds = each.part == part && each.header == header && each.coded.begin() <= at &&
                         at + length <= each.coded.end();
      if (holds) value = &each;
    }
    Result<std::string> secret = secret_of(draft, text.substr(at, length), value);
    if (!secret) return secret.error();
    if (text.compare(at, length, *secret) == 0) continue;
    const std::vector<ValueCoding> codings =
        value == nullptr ? std::vector<ValueCoding>() : value->coded.codings;
    draft.replacements.push_back({part, header, at, at + length, encoded(*secret, codings)});
  }
  return {};
}

Result<std::string> ReplayBindings::secret_of(const Draft& draft, const std::string& placeholder,
                                              const MessageValue* value) {
  const auto known = secrets_.find(placeholder);
  if (known != secrets_.end()) return known->second;
  const auto client = dependencies_.client_secrets.find(placeholder);
  const bool is_clients = client != dependencies_.client_secrets.end();
  SecretQuestion question{.field = value == nullptr ? "" : value->field,
                          .endpoint = endpoint_of(draft.request)};
  if (question.field.empty() && is_clients) question.field = client->second.field;
  question.is_credential =
      is_one_of(to_lower(question.field), {"authorization", "proxy-authorization"});
  auto given = lookup_(question);
  if (!given) return given.error();
  if (*given) return secrets_[placeholder] = **given;
  const bool is_made_up = is_clients && client->second.is_in_body &&
                          requests_.contains(client->second.unit) &&
                          may_be_chosen(client->second.field);
  if (is_made_up) {
    const std::string made = made_up_value(placeholder, client->second.field, names_.run);
    made_up_.push_back({placeholder, client->second.field, client->second.unit, made});
    return secrets_[placeholder] = made;
  }
  const std::string line =
      question.is_credential
          ? "race: {token: {command: [./token]}}"
          : fmt::format("race: {{secrets: {{{}: {{environment: VARIABLE}}}}}}", question.field);
  return Diagnostic{.what = fmt::format(
                        "{} (unit {}) needs a secret, \"{}\", which no trace has and no answer of "
                        "this run has told",
                        question.endpoint, draft.request.unit, question.field),
                    .what_to_do = fmt::format("say in heddle.yaml where it comes from: {}", line)};
}

}  // namespace heddle
