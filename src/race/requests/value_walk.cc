#include "race/requests/value_walk.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "record/redact/placeholder.h"

namespace heddle {
namespace {

// JSON in strings of JSON, URLs in URLs.
constexpr std::size_t kDeepestValue = 4;
// What stands in front of a word, and so finds it again.
constexpr std::size_t kWordAnchor = 24;
constexpr std::size_t kMostWords = 5000;

bool looks_like_url(std::string_view text) {
  if (text.find_first_of(" \t\r\n") != text.npos) return false;
  return text.starts_with("http://") || text.starts_with("https://") ||
         (text.starts_with('/') && text.size() > 1);
}

bool looks_like_json(std::string_view text) {
  const std::string_view inner = trim(text);
  return inner.size() > 1 && (inner.starts_with('{') || inner.starts_with('['));
}

// A part of a path that may say what the next one is an id of.
bool is_path_word(std::string_view part) {
  return !part.empty() &&
         std::ranges::all_of(part, [](char c) { return is_letter(c) || c == '-' || c == '_'; });
}

// The innermost name of "user[password]", "user.password" and "passwords[]".
std::string innermost_field(std::string_view name) {
  while (name.ends_with("[]")) name.remove_suffix(2);
  if (name.ends_with(']')) name.remove_suffix(1);
  const std::size_t outer = name.find_last_of("[.");
  return std::string(outer == name.npos ? name : name.substr(outer + 1));
}

// The length of the word that the text begins with; a placeholder is one.
std::size_t word_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const std::string_view rest = text.substr(length);
    const std::size_t hidden = placeholder_length(rest);
    const bool is_word = is_letter(rest[0]) || is_digit(rest[0]) || rest[0] == '-' ||
                         rest[0] == '_' || rest[0] == '.' || rest[0] == '~';
    if (hidden == 0 && !is_word) break;
    if (hidden > 0 && length > 0) break;
    if (hidden > 0) return hidden;
    ++length;
  }
  return length;
}

// A word that may be another one in the next answer: a number, a token.
bool may_differ(std::string_view word) {
  return placeholder_length(word) > 0 || std::ranges::any_of(word, is_digit);
}

// What stands in front of a word, back to one that may be another one in the next answer.
std::string anchor_of(std::string_view before, std::size_t end_of_other) {
  const bool is_near = end_of_other > 0 && before.size() - end_of_other < kWordAnchor;
  const std::size_t begin =
      std::max(end_of_other, before.size() - std::min(before.size(), kWordAnchor));
  return (is_near ? "#" : "") + std::string(before.substr(begin));
}

// The value of a parameter in "type; name=value; name=\"value\""; empty: it has none.
std::string parameter_of_type(std::string_view header, std::string_view name) {
  for (const std::string& parameter : split(header, ';')) {
    const std::size_t equals = parameter.find('=');
    if (equals == parameter.npos) continue;
    if (!equal_ignoring_case(trim(std::string_view(parameter).substr(0, equals)), name)) continue;
    std::string_view value = trim(std::string_view(parameter).substr(equals + 1));
    if (value.size() > 1 && value.starts_with('"') && value.ends_with('"')) {
      value = value.substr(1, value.size() - 2);
    }
    return std::string(value);
  }
  return "";
}

}  // namespace

std::string ValueWalk::unique(const std::string& path) {
  const std::size_t before = seen_[path]++;
  return before == 0 ? path : fmt::format("{}#{}", path, before);
}

void ValueWalk::add(CodedText text, ValuePlace place) {
  values_.push_back({.coded = std::move(text),
                     .part = part_,
                     .header = header_,
                     .path = unique(place.path),
                     .field = std::move(place.field),
                     .entity = std::move(place.entity)});
}

void ValueWalk::add_bare(CodedText text, ValuePlace place) {
  add(std::move(text), std::move(place));
  values_.back().is_bare = true;
}

void ValueWalk::add_string(CodedText text, ValuePlace place, std::size_t depth, bool is_quoted) {
  const CodedText copy = text;
  add(std::move(text), std::move(place));
  values_.back().is_quoted = is_quoted;
  const std::string path = values_.back().path;
  if (depth == kDeepestValue) return;
  if (looks_like_json(copy.text)) return walk_json(copy, path + "/json", depth + 1);
  if (looks_like_url(copy.text)) walk_target(copy, path + "/url");
}

void ValueWalk::walk_target(const CodedText& target, const std::string& path) {
  const std::string_view all = target.text;
  std::size_t at = 0;
  const std::size_t scheme = all.find("://");
  if (scheme != all.npos && scheme < all.find_first_of("/?#")) {
    at = std::min(all.find('/', scheme + 3), all.size());
  }
  const std::size_t end = std::min(all.find_first_of("?#", at), all.size());
  std::string before;
  for (std::size_t number = 0; at < end; ++number) {
    const std::size_t stop = std::min(all.find('/', at), end);
    if (stop > at) {
      CodedText part = decoded(part_of(target, at, stop - at), ValueCoding::percent);
      const std::string text = part.text;
      add(std::move(part),
          {fmt::format("{}/path/{}", path, number), before.empty() ? "" : "id", before});
      before = is_path_word(text) ? text : "";
    }
    at = stop + 1;
  }
  if (end >= all.size() || all[end] != '?') return;
  const std::size_t query_end = std::min(all.find('#', end), all.size());
  walk_form(part_of(target, end + 1, query_end - end - 1), path + "/query", 1);
}

void ValueWalk::walk_form(const CodedText& form, const std::string& path, std::size_t depth) {
  const std::string_view all = form.text;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('&', at), all.size());
    const std::size_t equals = std::min(all.find('=', at), end);
    if (equals < end) {
      const std::string name = decoded(part_of(form, at, equals - at), ValueCoding::form).text;
      add_string(decoded(part_of(form, equals + 1, end - equals - 1), ValueCoding::form),
                 {path + "/" + name, innermost_field(name), resource_}, depth);
    }
    at = end + 1;
  }
}

void ValueWalk::walk_words(const CodedText& text, const std::string& path) {
  const std::string_view all = text.text;
  std::size_t count = 0;
  std::size_t end_of_other = 0;
  for (std::size_t at = 0; at < all.size() && count < kMostWords;) {
    const std::size_t length = word_length(all.substr(at));
    if (length > 0) {
      add(part_of(text, at, length),
          {path + "/word/" + anchor_of(all.substr(0, at), end_of_other), "", resource_});
      ++count;
      if (may_differ(all.substr(at, length))) end_of_other = at + length;
    }
    at += std::max<std::size_t>(length, 1);
  }
}

void ValueWalk::walk_content(std::string_view type, const CodedText& content,
                             const std::string& path, std::size_t depth) {
  if (content.text.empty() || depth > kDeepestValue) return;
  const std::string media = to_lower(trim(type.substr(0, type.find(';'))));
  const auto is_about = [&media](std::string_view word) { return media.find(word) != media.npos; };
  const bool is_multipart = is_about("multipart/");
  if (is_about("json") || (looks_like_json(content.text) && !is_multipart)) {
    return walk_json(content, path, depth);
  }
  if (is_about("x-www-form-urlencoded")) return walk_form(content, path, depth);
  if (is_multipart) return walk_parts(type, content, path, depth);
  walk_words(content, path);
}

void ValueWalk::walk_parts(std::string_view type, const CodedText& body, const std::string& path,
                           std::size_t depth) {
  const std::string boundary = "--" + parameter_of_type(type, "boundary");
  if (boundary.size() == 2) return walk_words(body, path);
  const std::string_view all = body.text;
  std::size_t begin = all.npos;
  for (std::size_t at = all.find(boundary); at != all.npos; at = all.find(boundary, at + 1)) {
    if (begin != all.npos && at >= begin + 2) {
      walk_part(part_of(body, begin, at - begin - 2), path, depth);
    }
    begin = std::min(at + boundary.size() + 2, all.size());
  }
}

void ValueWalk::walk_part(const CodedText& part, const std::string& path, std::size_t depth) {
  constexpr std::string_view kEmptyLine = "\r\n\r\n";
  const std::size_t empty = part.text.find(kEmptyLine);
  if (empty == std::string::npos) return;
  std::string name;
  std::string type;
  for (const std::string& line : split(std::string_view(part.text).substr(0, empty), '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos) continue;
    const std::string_view value = trim(std::string_view(line).substr(colon + 1));
    if (equal_ignoring_case(line.substr(0, colon), "Content-Type")) type = value;
    if (equal_ignoring_case(line.substr(0, colon), "Content-Disposition")) {
      name = parameter_of_type(value, "name");
    }
  }
  const std::size_t begin = empty + kEmptyLine.size();
  CodedText content = part_of(part, begin, part.text.size() - begin);
  const std::string place = path + "/part/" + name;
  if (!type.empty()) return walk_content(type, content, place, depth + 1);
  add_string(std::move(content), {place, innermost_field(name), resource_}, depth + 1);
}

}  // namespace heddle
