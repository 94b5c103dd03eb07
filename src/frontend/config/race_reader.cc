#include "frontend/config/race_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/read_number.h"
#include "frontend/config/expanded_texts.h"

namespace heddle {
namespace {

using RaceKeys = std::vector<std::string>;

constexpr std::string_view kSecretForm =
    "write {command: [./token]}, {environment: VARIABLE}, {file: PATH} or {value: TEXT}";
constexpr std::string_view kEndpointForm =
    "write METHOD SERVICE/PATH or METHOD /PATH, as GET /orders/*";

// What brings a part of the system back, and of which kind the part is.
struct RestoreWay {
  std::string_view word;
  bool is_for_stores;
  bool is_for_services;
};
constexpr std::array kRestoreWays = {
    RestoreWay{"clone", true, false}, RestoreWay{"rows", true, false},
    RestoreWay{"restart", false, true}, RestoreWay{"fresh", true, true}};

RaceKeys ways_of(bool is_store) {
  RaceKeys words;
  for (const RestoreWay& way : kRestoreWays) {
    if (is_store ? way.is_for_stores : way.is_for_services) words.emplace_back(way.word);
  }
  return words;
}

// "GET /orders/*", "GET orders/orders/*", "* /orders".
bool is_endpoint_pattern(std::string_view text) {
  const std::size_t blank = text.find(' ');
  if (blank == text.npos || blank == 0) return false;
  const std::string_view method = text.substr(0, blank);
  const std::string_view path = text.substr(blank + 1);
  const auto is_capital = [](char c) { return (c >= 'A' && c <= 'Z') || c == '*'; };
  return std::ranges::all_of(method, is_capital) && path.find(' ') == path.npos &&
         path.find('/') != path.npos;
}

// "status", "/id", "/lines/0/price".
bool is_answer_field(std::string_view text) { return text == "status" || text.starts_with('/'); }

class RaceReader {
 public:
  RaceReader(const SectionReader& reader, const VariableLookup& lookup, RaceSection& race)
      : reader_(reader), texts_(reader, lookup), race_(race) {}

  Result<void> read(const YamlNode& name, const YamlNode& section) {
    static const RaceKeys kKeys = {"benign",     "invariants", "locks", "async",
                                   "identities", "restore",    "token", "secrets",
                                   "expect",     "replay",     "hold",  "budget"};
    race_.position = name.position;
    if (section.kind == YamlKind::nothing) return {};
    if (auto checked = reader_.check_map(name, section, "the section \"race\"", kKeys); !checked) {
      return checked;
    }
    return reader_.each_entry(
        section, kKeys, "key of \"race\"",
        [this](const YamlNode& key, const YamlNode& value) { return read_key(key, value); });
  }

 private:
  Result<void> read_key(const YamlNode& key, const YamlNode& value) {
    if (key.text == "benign") return read_endpoints(key, value, race_.benign);
    if (key.text == "async") return texts_.read_texts(key, value, race_.async);
    if (key.text == "identities") return texts_.read_texts(key, value, race_.identities);
    if (key.text == "replay") return read_replay(key, value);
    if (key.text == "hold") return read_hold(key, value);
    if (key.text == "budget") return read_budget(key, value);
    if (key.text == "restore") return read_restore(key, value);
    if (key.text == "secrets") return read_secrets(key, value);
    if (key.text == "token") return read_secret(key, value, race_.token);
    if (key.text == "locks") return read_locks(key, value);
    if (key.text == "expect") {
      return read_list_of(key, value, "an expectation",
                          "{endpoint: GET /accounts/*, field: /balance, at_least: 0}",
                          [this](const YamlNode& item) { return read_expectation(item); });
    }
    return read_list_of(key, value, "an invariant",
                        "{name: TEXT, store: STORE, sql: \"SELECT balance >= 0 FROM accounts\"}",
                        [this](const YamlNode& item) { return read_invariant(item); });
  }

  // A list, perhaps empty, of maps.
  template <class Read>
  Result<void> read_list_of(const YamlNode& key, const YamlNode& value, std::string_view noun,
                            std::string_view form, const Read& read) {
    if (value.kind != YamlKind::list) {
      return reader_.trouble(SectionReader::value_or(key, value),
                             fmt::format("\"{}\" needs a list", key.text),
                             fmt::format("write - {}", form));
    }
    for (const YamlPart& item : value.items) {
      if (item->kind != YamlKind::map) {
        return reader_.trouble(*item, fmt::format("this is not {}", noun),
                               fmt::format("write - {}", form));
      }
      if (Result<void> done = read(*item); !done) return done;
    }
    return {};
  }

  Result<void> read_endpoints(const YamlNode& key, const YamlNode& value,
                              std::vector<Setting>& to) {
    if (auto read = texts_.read_texts(key, value, to); !read) return read;
    return check_endpoints(to);
  }

  Result<void> check_endpoints(const std::vector<Setting>& endpoints) const {
    for (const Setting& each : endpoints) {
      if (is_endpoint_pattern(each.text)) continue;
      return texts_.trouble(each.position, fmt::format("\"{}\" is no endpoint", each.text),
                            std::string(kEndpointForm));
    }
    return {};
  }

  Result<void> read_invariant(const YamlNode& item) {
    static const RaceKeys kKeys = {"name", "store", "sql"};
    InvariantSettings& invariant =
        race_.invariants.emplace_back(InvariantSettings{.position = item.position});
    auto read = reader_.each_entry(item, kKeys, "key of an invariant",
                                   [&](const YamlNode& key, const YamlNode& value) {
                                     return texts_.read_text(key, value,
                                                             key.text == "name"    ? invariant.name
                                                             : key.text == "store" ? invariant.store
                                                                                   : invariant.sql);
                                   });
    if (!read) return read;
    if (invariant.store.empty()) {
      return reader_.trouble(item, "the invariant has no store",
                             "write store: and the store that its query is for");
    }
    if (!invariant.sql.empty()) return {};
    return reader_.trouble(item, "the invariant has no sql",
                           "write sql: and a query whose values are all true");
  }

  // A text is what takes the lock, which then goes with its transaction.
  Result<void> read_locks(const YamlNode& key, const YamlNode& value) {
    constexpr std::string_view kForm =
        "write - {acquire: STATEMENT, release: STATEMENT}, with * for what differs";
    if (value.kind != YamlKind::list) {
      return reader_.trouble(SectionReader::value_or(key, value), "\"locks\" needs a list",
                             std::string(kForm));
    }
    static const RaceKeys kKeys = {"acquire", "release"};
    for (const YamlPart& item : value.items) {
      LockSettings& lock = race_.locks.emplace_back(LockSettings{.position = item->position});
      if (item->kind == YamlKind::scalar) {
        if (auto read = texts_.read_text(key, *item, lock.acquire); !read) return read;
        continue;
      }
      if (item->kind != YamlKind::map) {
        return reader_.trouble(*item, "this is no lock", std::string(kForm));
      }
      auto read = reader_.each_entry(
          *item, kKeys, "key of a lock", [&](const YamlNode& word, const YamlNode& text) {
            return texts_.read_text(word, text,
                                    word.text == "acquire" ? lock.acquire : lock.release);
          });
      if (!read) return read;
      if (lock.acquire.empty()) {
        return reader_.trouble(*item, "the lock has no acquire", std::string(kForm));
      }
    }
    return {};
  }

  Result<void> read_restore(const YamlNode& key, const YamlNode& value) {
    return reader_.each_named(
        key, value, "store or service", [&](const YamlNode& name, const YamlNode& way) {
          std::vector<Setting> words;
          if (auto read = texts_.read_text(name, way, words); !read) return read;
          race_.restore.push_back(
              {.part = {name.text, name.position}, .way = std::move(words.front())});
          return Result<void>();
        });
  }

  Result<void> read_secrets(const YamlNode& key, const YamlNode& value) {
    return reader_.each_named(key, value, "field",
                              [&](const YamlNode& name, const YamlNode& source) {
                                return read_secret(name, source, race_.secrets);
                              });
  }

  // A text is the value itself.
  Result<void> read_secret(const YamlNode& name, const YamlNode& source,
                           std::vector<SecretSettings>& to) {
    static const RaceKeys kKeys = {"command", "environment", "file", "value"};
    SecretSettings& secret = to.emplace_back(SecretSettings{.field = {name.text, name.position}});
    if (source.kind == YamlKind::scalar) return texts_.read_any_text(name, source, secret.value);
    if (source.kind != YamlKind::map || source.entries.size() != 1) {
      return reader_.trouble(
          SectionReader::value_or(name, source),
          fmt::format("\"{}\" needs one place where its value comes from", name.text),
          std::string(kSecretForm));
    }
    auto read = reader_.each_entry(
        source, kKeys, "source of a secret", [&](const YamlNode& key, const YamlNode& value) {
          if (key.text == "command") return texts_.read_texts(key, value, secret.command);
          if (key.text == "value") return texts_.read_any_text(key, value, secret.value);
          return texts_.read_text(key, value,
                                  key.text == "file" ? secret.file : secret.environment);
        });
    if (!read) return read;
    if (!secret.environment.empty() && !names_variable(secret.environment.front().text)) {
      return texts_.trouble(
          secret.environment.front().position,
          fmt::format("\"{}\" is no name of a variable", secret.environment.front().text),
          "write letters, digits and _");
    }
    const bool is_named = !secret.value.empty() || !secret.environment.empty() ||
                          !secret.file.empty() || !secret.command.empty();
    if (is_named) return {};
    return reader_.trouble(source, "the command is empty", std::string(kSecretForm));
  }

  Result<void> read_expectation(const YamlNode& item) {
    static const RaceKeys kKeys = {"endpoint", "field", "equals", "at_least", "at_most"};
    ExpectSettings& expect = race_.expect.emplace_back(ExpectSettings{.position = item.position});
    auto read = reader_.each_entry(
        item, kKeys, "key of an expectation", [&](const YamlNode& key, const YamlNode& value) {
          if (key.text == "equals") return texts_.read_texts(key, value, expect.one_of);
          return texts_.read_text(key, value,
                                  key.text == "endpoint"   ? expect.endpoint
                                  : key.text == "field"    ? expect.field
                                  : key.text == "at_least" ? expect.least
                                                           : expect.most);
        });
    if (!read) return read;
    if (expect.endpoint.empty() || expect.field.empty()) {
      return reader_.trouble(
          item,
          fmt::format("the expectation has no {}", expect.endpoint.empty() ? "endpoint" : "field"),
          "write endpoint: GET /accounts/* and field: /balance, or field: status");
    }
    if (auto checked = check_endpoints(expect.endpoint); !checked) return checked;
    if (!is_answer_field(expect.field.front().text)) {
      return texts_.trouble(
          expect.field.front().position,
          fmt::format("\"{}\" is no field of an answer", expect.field.front().text),
          fmt::format("write /{}, a JSON pointer, or status", expect.field.front().text));
    }
    return check_bounds(item, expect);
  }

  Result<void> check_bounds(const YamlNode& item, const ExpectSettings& expect) const {
    const bool has_bounds = !expect.least.empty() || !expect.most.empty();
    if (expect.one_of.empty() == !has_bounds) {
      return reader_.trouble(item,
                             has_bounds ? "the expectation has both a value and bounds"
                                        : "the expectation says nothing of its field",
                             "write equals: VALUE, or at_least: and at_most: with numbers");
    }
    for (const std::vector<Setting>* bound : {&expect.least, &expect.most}) {
      if (bound->empty() || is_decimal(bound->front().text)) continue;
      return texts_.trouble(bound->front().position,
                            fmt::format("\"{}\" is no number", bound->front().text),
                            "write digits, perhaps with - and a decimal point");
    }
    return {};
  }

  static bool is_decimal(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    const std::size_t point = text.find('.');
    const std::string_view fraction = point == text.npos ? "0" : text.substr(point + 1);
    const auto are_digits = [](std::string_view digits) {
      return !digits.empty() && std::ranges::all_of(digits, is_digit);
    };
    return are_digits(text.substr(0, point)) && are_digits(fraction);
  }

  Result<void> read_replay(const YamlNode& key, const YamlNode& value) {
    if (value.kind == YamlKind::scalar && value.text == "allowed") {
      race_.is_replay_allowed = true;
      return {};
    }
    return reader_.trouble(SectionReader::value_or(key, value), "\"replay\" can only be allowed",
                           "write replay: allowed, where requests may be sent beyond this "
                           "machine, or leave the key out");
  }

  Result<void> read_hold(const YamlNode& key, const YamlNode& value) {
    std::vector<Setting> text;
    if (auto read = texts_.read_text(key, value, text); !read) return read;
    const Result<std::uint32_t> duration = parse_duration(text.front().text);
    if (!duration) return at(text.front(), duration.error());
    race_.hold_ms = *duration;
    return {};
  }

  Result<void> read_budget(const YamlNode& key, const YamlNode& value) {
    std::vector<Setting> text;
    if (auto read = texts_.read_text(key, value, text); !read) return read;
    const Result<std::uint64_t> number = parse_number(text.front().text);
    if (!number) return at(text.front(), number.error());
    constexpr std::uint64_t kMost = 1'000'000;
    if (*number == 0 || *number > kMost) {
      return texts_.trouble(text.front().position,
                            fmt::format("\"{}\" is no number of runs", text.front().text),
                            fmt::format("give one from 1 to {}", kMost));
    }
    race_.budget = *number;
    return {};
  }

  Diagnostic at(const Setting& setting, const Diagnostic& why) const {
    return texts_.trouble(setting.position, fmt::format("\"{}\" {}", setting.text, why.what),
                          why.what_to_do);
  }

  const SectionReader& reader_;
  ExpandedTexts texts_;
  RaceSection& race_;
};

Diagnostic race_trouble(const SectionReader& reader, const SourcePosition& at, std::string what,
                        std::string what_to_do) {
  return reader.trouble(YamlNode{.position = at}, std::move(what), std::move(what_to_do));
}

Result<void> check_restore(const SectionReader& reader, const RestoreSettings& restore,
                           const RaceKeys& stores, const RaceKeys& services) {
  const bool is_store = is_one_of(restore.part.text, stores);
  if (!is_store && !is_one_of(restore.part.text, services)) {
    RaceKeys all = stores;
    all.insert(all.end(), services.begin(), services.end());
    return race_trouble(reader, restore.part.position,
                        fmt::format("no service or store is called \"{}\"", restore.part.text),
                        suggest_key(restore.part.text, all));
  }
  const RaceKeys ways = ways_of(is_store);
  if (is_one_of(restore.way.text, ways)) return {};
  return race_trouble(reader, restore.way.position,
                      fmt::format("\"{}\" is no way to restore a {}", restore.way.text,
                                  is_store ? "store" : "service"),
                      suggest_key(restore.way.text, ways));
}

}  // namespace

Result<void> read_race(const SectionReader& reader, const VariableLookup& lookup,
                       const YamlNode& name, const YamlNode& section, RaceSection& race) {
  return RaceReader(reader, lookup, race).read(name, section);
}

Result<void> check_race(const SectionReader& reader, const Config& config) {
  RaceKeys stores;
  RaceKeys services;
  for (const StoreSettings& each : config.system.stores) stores.push_back(each.name.text);
  for (const ServiceSettings& each : config.system.services) services.push_back(each.name.text);
  for (const InvariantSettings& each : config.race.invariants) {
    const Setting& store = each.store.front();
    if (is_one_of(store.text, stores)) continue;
    return race_trouble(
        reader, store.position, fmt::format("no store is called \"{}\"", store.text),
        stores.empty() ? "declare it below system: stores:" : suggest_key(store.text, stores));
  }
  for (const RestoreSettings& each : config.race.restore) {
    if (auto checked = check_restore(reader, each, stores, services); !checked) return checked;
  }
  return {};
}

}  // namespace heddle
