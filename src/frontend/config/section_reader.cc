#include "frontend/config/section_reader.h"

#include <algorithm>
#include <array>
#include <utility>

namespace heddle {
namespace {

// What people write for a key.
struct Synonym {
  std::string_view word;
  std::string_view key;
};
constexpr std::array kSynonyms = {Synonym{"excludes", "exclude"},
                                  Synonym{"exclusions", "exclude"},
                                  Synonym{"ignore", "exclude"},
                                  Synonym{"skip", "exclude"},
                                  Synonym{"isolation", "levels"},
                                  Synonym{"level", "levels"},
                                  Synonym{"entry", "entries"},
                                  Synonym{"entrypoints", "entries"},
                                  Synonym{"functionalities", "entries"},
                                  Synonym{"paths", "files"},
                                  Synonym{"sources", "files"},
                                  Synonym{"source", "files"},
                                  Synonym{"folders", "files"},
                                  Synonym{"tables", "schema"},
                                  Synonym{"database", "schema"},
                                  Synonym{"sql", "dialect"},
                                  Synonym{"application", "program"},
                                  Synonym{"app", "program"},
                                  Synonym{"from", "caller"},
                                  Synonym{"to", "callee"},
                                  Synonym{"source", "caller"},
                                  Synonym{"target", "callee"},
                                  Synonym{"env", "environment"},
                                  Synonym{"variables", "environment"},
                                  Synonym{"databases", "stores"},
                                  Synonym{"healthcheck", "health"},
                                  Synonym{"url", "address"},
                                  Synonym{"type", "kind"},
                                  Synonym{"command", "start"},
                                  Synonym{"run", "start"},
                                  Synonym{"port", "listen"},
                                  Synonym{"secrets", "redact"},
                                  Synonym{"whitelist", "benign"},
                                  Synonym{"harmless", "benign"},
                                  Synonym{"invariant", "invariants"},
                                  Synonym{"query", "sql"},
                                  Synonym{"database", "store"},
                                  Synonym{"ids", "identities"},
                                  Synonym{"keys", "identities"},
                                  Synonym{"passwords", "secrets"},
                                  Synonym{"variable", "environment"},
                                  Synonym{"path", "file"},
                                  Synonym{"take", "acquire"},
                                  Synonym{"lock", "acquire"},
                                  Synonym{"unlock", "release"},
                                  Synonym{"min", "at_least"},
                                  Synonym{"max", "at_most"},
                                  Synonym{"is", "equals"},
                                  Synonym{"runs", "budget"}};

}  // namespace

std::string suggest_key(std::string_view word, const std::vector<std::string>& keys) {
  for (const Synonym& synonym : kSynonyms) {
    if (!equal_ignoring_case(word, synonym.word)) continue;
    if (!is_one_of(synonym.key, keys)) continue;
    return fmt::format("did you mean \"{}\"?", synonym.key);
  }
  const std::string closest = closest_word(word, keys);
  return closest.empty() ? "use one of: " + join(keys, ", ")
                         : fmt::format("did you mean \"{}\"?", closest);
}

Diagnostic SectionReader::trouble(const YamlNode& at, std::string what,
                                  std::string what_to_do) const {
  return {.what = std::move(what),
          .what_to_do = std::move(what_to_do),
          .file = file_,
          .position = at.position};
}

Result<void> SectionReader::check_key(const YamlNode& key, const std::vector<std::string>& keys,
                                      std::string_view noun,
                                      std::string (*elsewhere)(std::string_view)) const {
  if (key.kind != YamlKind::scalar) {
    return trouble(key, fmt::format("this is no name of a {}", noun),
                   "use one of: " + join(keys, ", "));
  }
  if (is_one_of(key.text, keys)) return {};
  std::string advice = elsewhere == nullptr ? "" : elsewhere(key.text);
  if (advice.empty()) advice = suggest_key(key.text, keys);
  return trouble(key, fmt::format("there is no {} \"{}\"", noun, key.text), std::move(advice));
}

Result<void> SectionReader::check_map(const YamlNode& at, const YamlNode& value,
                                      std::string_view what,
                                      const std::vector<std::string>& keys) const {
  if (value.kind == YamlKind::map) return {};
  return trouble(value_or(at, value), fmt::format("{} has no keys", what),
                 "use one of: " + join(keys, ", "));
}

Result<void> SectionReader::read_one(const YamlNode& key, const YamlNode& value,
                                     std::vector<Setting>& to) const {
  if (value.kind == YamlKind::scalar && !trim(value.text).empty()) {
    to.push_back({.text = value.text, .position = value.position});
    return {};
  }
  return trouble(value_or(key, value), fmt::format("\"{}\" needs a text", key.text),
                 fmt::format("write {}: VALUE, or leave the key out", key.text));
}

Result<void> SectionReader::read_list(const YamlNode& key, const YamlNode& value,
                                      std::vector<Setting>& to) const {
  if (value.kind == YamlKind::scalar) return read_one(key, value, to);
  if (value.kind != YamlKind::list || value.items.empty()) {
    return trouble(value_or(key, value), fmt::format("\"{}\" needs a list of texts", key.text),
                   fmt::format("write {}: [VALUE, ...], or leave the key out", key.text));
  }
  for (const YamlPart& item : value.items) {
    if (item->kind != YamlKind::scalar || trim(item->text).empty()) {
      return trouble(*item,
                     fmt::format("\"{}\" has something in its list that is no text", key.text),
                     fmt::format("write {}: [VALUE, ...]", key.text));
    }
    to.push_back({.text = item->text, .position = item->position});
  }
  return {};
}

Result<void> SectionReader::read_flag(const YamlNode& key, const YamlNode& value, bool& to) const {
  constexpr std::array<std::string_view, 3> kTrue = {"true", "yes", "on"};
  constexpr std::array<std::string_view, 3> kFalse = {"false", "no", "off"};
  if (value.kind == YamlKind::scalar && is_one_of(to_lower(value.text), kTrue)) {
    to = true;
    return {};
  }
  if (value.kind == YamlKind::scalar && is_one_of(to_lower(value.text), kFalse)) {
    to = false;
    return {};
  }
  return trouble(value_or(key, value), fmt::format("\"{}\" is neither true nor false", key.text),
                 fmt::format("write {}: true, or leave the key out", key.text));
}

}  // namespace heddle
