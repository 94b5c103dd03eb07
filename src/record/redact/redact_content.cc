#include "record/redact/redact_content.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace heddle {
namespace {

constexpr std::size_t kDeepestParts = 4;

// The parameter of "type; name=value; name=\"value\""; empty: there is none.
std::string parameter_of(std::string_view header, std::string_view name) {
  std::size_t at = header.find(';');
  while (at < header.size()) {
    at = header.find_first_not_of("; \t", at);
    const std::size_t equals = std::min(header.find_first_of("=;", at), header.size());
    if (at >= header.size()) break;
    const bool is_found = equal_ignoring_case(trim(header.substr(at, equals - at)), name);
    at = equals;
    if (at >= header.size() || header[at] != '=') continue;
    ++at;
    const bool is_quoted = at < header.size() && header[at] == '"';
    if (is_quoted) ++at;
    const std::size_t end = std::min(header.find(is_quoted ? '"' : ';', at), header.size());
    if (is_found) return std::string(trim(header.substr(at, end - at)));
    at = is_quoted ? std::min(end + 1, header.size()) : end;
  }
  return "";
}

struct PartHead {
  std::string name;
  std::string type;
};

PartHead read_part_head(std::string_view head) {
  PartHead part;
  for (const std::string& line : split(head, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos) continue;
    const std::string_view value = trim(std::string_view(line).substr(colon + 1));
    const std::string_view name = trim(std::string_view(line).substr(0, colon));
    if (equal_ignoring_case(name, "Content-Disposition")) part.name = parameter_of(value, "name");
    if (equal_ignoring_case(name, "Content-Type")) part.type = value;
  }
  return part;
}

std::string content_of(Redactor& redactor, std::string_view type, std::string_view content,
                       std::size_t depth);

// What stands between two boundaries.
std::string redacted_part(Redactor& redactor, std::string_view part, std::size_t depth) {
  constexpr std::string_view kEmptyLine = "\r\n\r\n";
  const std::size_t empty = part.find(kEmptyLine);
  if (empty == part.npos) return redactor.text(part);
  const PartHead head = read_part_head(part.substr(0, empty));
  const std::string_view begin = part.substr(0, empty + kEmptyLine.size());
  std::string_view content = part.substr(begin.size());
  const std::string_view line_end = content.ends_with("\r\n") ? "\r\n" : "";
  content.remove_suffix(line_end.size());
  const auto hiding = redactor.hiding_of(head.name);
  const std::string redacted = hiding ? redactor.hide(content, *hiding)
                                      : content_of(redactor, head.type, content, depth + 1);
  return redactor.text(begin) + redacted + std::string(line_end);
}

std::string redact_parts(Redactor& redactor, std::string_view type, std::string_view body,
                         std::size_t depth) {
  const std::string boundary = "--" + parameter_of(type, "boundary");
  if (boundary.size() == 2 || depth == kDeepestParts) return redactor.text(body);
  std::string redacted;
  for (std::size_t at = body.find(boundary); at != body.npos; at = body.find(boundary)) {
    redacted += redacted_part(redactor, body.substr(0, at), depth);
    redacted += boundary;
    body.remove_prefix(at + boundary.size());
  }
  return redacted + redacted_part(redactor, body, depth);
}

// Server-sent events: each line that has data has a document, mostly of JSON.
std::string redact_events(Redactor& redactor, std::string_view body, std::size_t depth) {
  std::string redacted;
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('\n'), body.size() - 1) + 1;
    const std::string_view line = body.substr(0, end);
    const std::size_t begin = line.starts_with("data:") ? std::string_view("data:").size() : 0;
    redacted += line.substr(0, begin);
    redacted += content_of(redactor, "", line.substr(begin), depth + 1);
    body.remove_prefix(end);
  }
  return redacted;
}

std::string content_of(Redactor& redactor, std::string_view type, std::string_view content,
                       std::size_t depth) {
  const std::string media = to_lower(trim(type.substr(0, type.find(';'))));
  const auto is_about = [&media](std::string_view word) { return media.find(word) != media.npos; };
  // Many clients call whatever they send a form.
  const bool looks_like_json =
      !content.empty() && content.find_first_not_of(" \t\r\n") != content.npos &&
      std::string_view("{[").find(content[content.find_first_not_of(" \t\r\n")]) != content.npos;
  if (is_about("json") || (looks_like_json && !is_about("multipart/"))) {
    return redact_json(redactor, content);
  }
  if (is_about("x-www-form-urlencoded")) return redact_form(redactor, content);
  if (is_about("multipart/")) return redact_parts(redactor, type, content, depth);
  if (is_about("html") || is_about("xml")) return redact_markup(redactor, content);
  if (is_about("event-stream")) return redact_events(redactor, content, depth);
  return redactor.value(content);
}

}  // namespace

std::string redact_content(Redactor& redactor, std::string_view type, std::string_view content) {
  const std::uint64_t known = redactor.known();
  std::string redacted = content_of(redactor, type, content, 0);
  // What one part tells may stand in those before it.
  return redactor.known() == known ? redacted : redactor.text(redacted);
}

}  // namespace heddle
