// The section of heddle.yaml about requests that overlap, good and bad.
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/source_tree_testing.h"
#include "frontend/config/config.h"
#include "frontend/config/race_settings.h"
#include "frontend/config/system_template.h"

namespace heddle {
namespace {

std::string shown_setting(const std::string& key, const std::vector<Setting>& settings) {
  std::string text;
  for (const Setting& each : settings) {
    text += fmt::format("{} {}@{}:{}\n", key, each.text, each.position.line, each.position.column);
  }
  return text;
}

std::string shown_setting(const SecretSettings& secret) {
  return shown_setting("secret", {secret.field}) + shown_setting("  value", secret.value) +
         shown_setting("  environment", secret.environment) + shown_setting("  file", secret.file) +
         shown_setting("  command", secret.command);
}

std::string shown_setting(const RaceSection& race) {
  std::string all = shown_setting("benign", race.benign) + shown_setting("async", race.async) +
                    shown_setting("identities", race.identities);
  for (const InvariantSettings& each : race.invariants) {
    all += shown_setting("invariant", each.name) + shown_setting("  store", each.store) +
           shown_setting("  sql", each.sql);
  }
  for (const LockSettings& each : race.locks) {
    all += shown_setting("lock", each.acquire) + shown_setting("  release", each.release);
  }
  for (const RestoreSettings& each : race.restore) {
    all += shown_setting("restore", {each.part}) + shown_setting("  by", {each.way});
  }
  for (const SecretSettings& each : race.token) all += shown_setting(each);
  for (const SecretSettings& each : race.secrets) all += shown_setting(each);
  for (const ExpectSettings& each : race.expect) {
    all += shown_setting("expect", each.endpoint) + shown_setting("  field", each.field) +
           shown_setting("  equals", each.one_of) + shown_setting("  at least", each.least) +
           shown_setting("  at most", each.most);
  }
  if (race.is_replay_allowed) all += "replay\n";
  if (race.hold_ms) all += fmt::format("hold {} ms\n", *race.hold_ms);
  if (race.budget) all += fmt::format("budget {}\n", *race.budget);
  return all;
}

const std::string kSystem =
    "system: {services: {shop: {address: a:1}}, edges: [{caller: shop, callee: db}],\n"
    "  stores: {db: {kind: postgres, address: c:3/db}}}\n";

// Lines 1 and 2 are those of a system.
Result<Config> parsed(const std::string& race) {
  const auto lookup = [](const std::string& name) {
    return name == "ONE" ? std::optional<std::string>("1") : std::nullopt;
  };
  return parse_race_config(kSystem + race, "heddle.yaml", lookup);
}

// One line for each setting, or the message.
std::string read_race(const std::string& race) {
  const Result<Config> config = parsed(race);
  return config ? shown_setting(config->race) : to_string(config.error());
}

TEST(RaceConfig, everything_has_its_place) {
  EXPECT_EQ(read_race("race:\n"
                      "  benign: [GET /news/*, 'POST shop/a']\n"
                      "  invariants:\n"
                      "    - {name: no debt, store: db, sql: SELECT b >= 0 FROM a}\n"
                      "  locks:\n"
                      "    - {acquire: INSERT INTO locks*, release: DELETE FROM locks*}\n"
                      "    - SELECT my_lock(*)\n"
                      "  async: GET /a\n"
                      "  identities: ['*_no']\n"
                      "  restore: {db: rows, shop: restart}\n"
                      "  token: {command: [./token, -v]}\n"
                      "  secrets: {password: {environment: PASS}, pin: '${ONE}', key: {file: a}}\n"
                      "  expect:\n"
                      "    - {endpoint: GET /b, field: /x/0, at_least: -1, at_most: 2.5}\n"
                      "    - {endpoint: '* /b', field: status, equals: [200, 404]}\n"
                      "  replay: allowed\n"
                      "  hold: 500ms\n"
                      "  budget: 7\n"),
            "benign GET /news/*@4:12\nbenign POST shop/a@4:25\n"
            "async GET /a@10:10\nidentities *_no@11:16\n"
            "invariant no debt@6:14\n  store db@6:30\n  sql SELECT b >= 0 FROM a@6:39\n"
            "lock INSERT INTO locks*@8:17\n  release DELETE FROM locks*@8:46\n"
            "lock SELECT my_lock(*)@9:7\n"
            "restore db@12:13\n  by rows@12:17\nrestore shop@12:23\n  by restart@12:29\n"
            "secret token@13:3\n  command ./token@13:21\n  command -v@13:30\n"
            "secret password@14:13\n  environment PASS@14:37\n"
            "secret pin@14:44\n  value 1@14:49\nsecret key@14:59\n  file a@14:71\n"
            "expect GET /b@16:18\n  field /x/0@16:33\n  at least -1@16:49\n  at most 2.5@16:62\n"
            "expect * /b@17:18\n  field status@17:33\n  equals 200@17:50\n  equals 404@17:55\n"
            "replay\nhold 500 ms\nbudget 7\n");
}

TEST(RaceConfig, what_is_not_there_is_not_set) {
  for (const char* const text : {"", "race:\n", "race: {}\n",
                                 "race: {locks: [], async: [], benign: [], invariants: []}\n"}) {
    EXPECT_EQ(read_race(text), "") << text;
  }
  EXPECT_EQ(parsed("")->race.position.line, 0U);
  EXPECT_EQ(parsed("race:\n")->race.position.line, 3U);
}

TEST(RaceConfig, commands_that_record_leave_it_alone) {
  EXPECT_TRUE(parse_system_config(kSystem + "race: {benign: 7, zzz: '${NONE}'}", "heddle.yaml"));
  EXPECT_TRUE(parse_config(kSystem + "race: {benign: 7, zzz: 1}", "heddle.yaml"));
}

TEST(RaceConfig, unknown_keys_are_corrected) {
  EXPECT_EQ(read_race("race: {whitelist: []}"),
            "heddle.yaml:3:8: there is no key of \"race\" \"whitelist\", did you mean \"benign\"?");
  EXPECT_EQ(read_race("race: {zzzzzzzz: 1}"),
            "heddle.yaml:3:8: there is no key of \"race\" \"zzzzzzzz\", use one of: benign, "
            "invariants, locks, async, identities, restore, token, secrets, expect, replay, hold, "
            "budget");
  EXPECT_EQ(read_race("race: {invariants: [{name: a, database: db, sql: b}]}"),
            "heddle.yaml:3:31: there is no key of an invariant \"database\", did you mean "
            "\"store\"?");
  EXPECT_EQ(read_race("race: {locks: [{take: a}]}"),
            "heddle.yaml:3:17: there is no key of a lock \"take\", did you mean \"acquire\"?");
  EXPECT_EQ(read_race("race: {token: {variable: A}}"),
            "heddle.yaml:3:16: there is no source of a secret \"variable\", did you mean "
            "\"environment\"?");
  EXPECT_EQ(read_race("race: {expect: [{endpoint: GET /a, field: /b, min: 1}]}"),
            "heddle.yaml:3:47: there is no key of an expectation \"min\", did you mean "
            "\"at_least\"?");
}

TEST(RaceConfig, values_of_the_wrong_kind) {
  EXPECT_EQ(read_race("race: [a]"),
            "heddle.yaml:3:7: the section \"race\" has no keys, use one of: benign, invariants, "
            "locks, async, identities, restore, token, secrets, expect, replay, hold, budget");
  EXPECT_EQ(read_race("race: {benign: [/news]}"),
            "heddle.yaml:3:17: \"/news\" is no endpoint, write METHOD SERVICE/PATH or METHOD "
            "/PATH, as GET /orders/*");
  EXPECT_EQ(read_race("race: {benign: [get /news]}").substr(0, 45),
            "heddle.yaml:3:17: \"get /news\" is no endpoint,");
  EXPECT_EQ(read_race("race: {invariants: SELECT}"),
            "heddle.yaml:3:20: \"invariants\" needs a list, write - {name: TEXT, store: STORE, "
            "sql: \"SELECT balance >= 0 FROM accounts\"}");
  EXPECT_EQ(read_race("race: {invariants: [a]}").substr(0, 44),
            "heddle.yaml:3:21: this is not an invariant, ");
  EXPECT_EQ(read_race("race: {locks: [[a]]}"),
            "heddle.yaml:3:16: this is no lock, write - {acquire: STATEMENT, release: STATEMENT}, "
            "with * for what differs");
  EXPECT_EQ(read_race("race: {locks: [{release: a}]}").substr(0, 44),
            "heddle.yaml:3:16: the lock has no acquire, w");
  EXPECT_EQ(read_race("race: {token: {}}"),
            "heddle.yaml:3:15: \"token\" needs one place where its value comes from, write "
            "{command: [./token]}, {environment: VARIABLE}, {file: PATH} or {value: TEXT}");
  EXPECT_EQ(read_race("race: {secrets: {pin: {file: a, value: b}}}").substr(0, 54),
            "heddle.yaml:3:23: \"pin\" needs one place where its valu");
  EXPECT_EQ(read_race("race: {secrets: {pin: {environment: A-B}}}"),
            "heddle.yaml:3:37: \"A-B\" is no name of a variable, write letters, digits and _");
  EXPECT_EQ(read_race("race: {token: {command: []}}").substr(0, 38),
            "heddle.yaml:3:15: the command is empty");
  EXPECT_EQ(read_race("race: {secrets: [pin]}"),
            "heddle.yaml:3:17: \"secrets\" needs fields by name, write secrets: and below it NAME: "
            "for each field");
  EXPECT_EQ(read_race("race: {replay: yes}"),
            "heddle.yaml:3:16: \"replay\" can only be allowed, write replay: allowed, where "
            "requests may be sent beyond this machine, or leave the key out");
  EXPECT_EQ(read_race("race: {hold: soon}"),
            "heddle.yaml:3:14: \"soon\" is not a duration, write it as 30 or 30s, 500ms, 2m, 1h");
  EXPECT_EQ(read_race("race: {budget: 0}"),
            "heddle.yaml:3:16: \"0\" is no number of runs, give one from 1 to 1000000");
  EXPECT_EQ(read_race("race: {budget: many}"),
            "heddle.yaml:3:16: \"many\" is not a whole number, write it in decimal digits");
  EXPECT_EQ(read_race("race: {async: ['${NONE}']}"),
            "heddle.yaml:3:16: the variable NONE is not set, set it, or write ${NONE:-value}");
}

TEST(RaceConfig, expectations_say_something_of_a_field) {
  const auto expectation = [](const std::string& keys) {
    return read_race("race: {expect: [{" + keys + "}]}").substr(18);
  };
  EXPECT_EQ(expectation("field: /a, equals: 1"),
            "the expectation has no endpoint, write endpoint: GET /accounts/* and field: "
            "/balance, or field: status");
  EXPECT_EQ(expectation("endpoint: GET /a, equals: 1").substr(0, 29),
            "the expectation has no field,");
  EXPECT_EQ(expectation("endpoint: GET /a, field: b, equals: 1"),
            "\"b\" is no field of an answer, write /b, a JSON pointer, or status");
  EXPECT_EQ(expectation("endpoint: GET /a, field: /b"),
            "the expectation says nothing of its field, write equals: VALUE, or at_least: and "
            "at_most: with numbers");
  EXPECT_EQ(expectation("endpoint: GET /a, field: /b, equals: 1, at_least: 1").substr(0, 47),
            "the expectation has both a value and bounds, wr");
  EXPECT_EQ(expectation("endpoint: GET /a, field: /b, at_most: 1e3"),
            "\"1e3\" is no number, write digits, perhaps with - and a decimal point");
}

TEST(RaceConfig, parts_fit_to_the_system) {
  EXPECT_EQ(read_race("race: {invariants: [{store: dn, sql: a}]}"),
            "heddle.yaml:3:29: no store is called \"dn\", did you mean \"db\"?");
  EXPECT_EQ(read_race("race: {invariants: [{sql: a}]}"),
            "heddle.yaml:3:21: the invariant has no store, write store: and the store that its "
            "query is for");
  EXPECT_EQ(read_race("race: {invariants: [{store: db}]}"),
            "heddle.yaml:3:21: the invariant has no sql, write sql: and a query whose values are "
            "all true");
  EXPECT_EQ(read_race("race: {restore: {shp: restart}}"),
            "heddle.yaml:3:18: no service or store is called \"shp\", did you mean \"shop\"?");
  EXPECT_EQ(
      read_race("race: {restore: {shop: rows}}"),
      "heddle.yaml:3:24: \"rows\" is no way to restore a service, use one of: restart, fresh");
  EXPECT_EQ(read_race("race: {restore: {db: row}}"),
            "heddle.yaml:3:22: \"row\" is no way to restore a store, did you mean \"rows\"?");
  // Whichever section comes first.
  const Result<Config> config =
      parse_race_config("race: {invariants: [{store: db, sql: a}]}\n" + kSystem, "heddle.yaml");
  EXPECT_TRUE(config) << to_string(config.error());
}

// "alias=name" for each.
std::string aliases(const std::string& stores) {
  const std::string text =
      "system: {services: {shop: {address: a:1}}, edges: [{caller: shop, callee: a}], stores: {" +
      stores + "}}";
  const Result<Config> config = parse_race_config(text, "heddle.yaml");
  if (!config) return to_string(config.error());
  std::string all;
  for (const auto& [alias, name] : race_settings(*config).aliases) all += alias + "=" + name + " ";
  return all;
}

TEST(RaceConfig, stores_that_are_one_have_the_name_of_the_first) {
  const auto store = [](const std::string& name, const std::string& other) {
    return name + ": {kind: postgres, address: h:1/d, aliases: [" + other + "]}";
  };
  EXPECT_EQ(aliases(store("a", "")), "");
  EXPECT_EQ(aliases(store("a", "b") + ", " + store("b", "")), "b=a ");
  EXPECT_EQ(aliases(store("a", "") + ", " + store("b", "a")), "b=a ");
  EXPECT_EQ(aliases(store("a", "b") + ", " + store("b", "a")), "b=a ");
  EXPECT_EQ(aliases(store("a", "") + ", " + store("b", "c") + ", " + store("d", "a, c")),
            "b=a c=a d=a ");
}

TEST(RaceConfig, settings_of_the_search) {
  const Result<Config> config = parsed(
      "race: {benign: [GET /a], locks: [{acquire: b, release: c}, d], async: [e], "
      "identities: [f]}");
  ASSERT_TRUE(config);
  const RaceSettings settings = race_settings(*config);
  EXPECT_EQ(settings.benign, std::vector<std::string>{"GET /a"});
  EXPECT_EQ(settings.async, std::vector<std::string>{"e"});
  EXPECT_EQ(settings.identities, std::vector<std::string>{"f"});
  ASSERT_EQ(settings.locks.size(), 2U);
  EXPECT_EQ(settings.locks[0].acquire + settings.locks[0].release, "bc");
  EXPECT_EQ(settings.locks[1].acquire + settings.locks[1].release, "d");
}

TEST(RaceConfig, the_first_config_of_a_team_is_one) {
  const auto lookup = [](const std::string&) { return std::nullopt; };
  const Result<Config> config =
      parse_race_config(std::string(system_template()), "heddle.yaml", lookup);
  ASSERT_TRUE(config) << to_string(config.error());
  EXPECT_FALSE(config->race.invariants.empty() || config->race.secrets.empty());
}

std::string contents(const std::string& path) {
  std::ifstream file(source_tree() / path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(RaceConfig, that_of_the_example_is_one) {
  const auto lookup = [](const std::string&) { return std::nullopt; };
  const Result<Config> config =
      parse_race_config(contents("examples/tickets/heddle.yaml"), "heddle.yaml", lookup);
  ASSERT_TRUE(config) << to_string(config.error());
  EXPECT_EQ(config->race.invariants.size(), 6U);
}

TEST(RaceConfig, the_example_in_the_documentation_is_one) {
  const std::string page = contents("docs/formats/heddle-yaml.md");
  const std::size_t begin = page.find("```yaml\nrace:") + 8;
  const std::string example = page.substr(begin, page.find("```\n", begin) - begin);
  const auto lookup = [](const std::string&) { return std::nullopt; };
  const std::string system =
      "system: {services: {order: {address: a:1}}, edges: [{caller: order, callee: orders}],\n"
      "  stores: {orders: {kind: postgres, address: c:3/db}}}\n";
  const Result<Config> config = parse_race_config(system + example, "heddle-yaml.md", lookup);
  ASSERT_TRUE(config) << to_string(config.error());
  EXPECT_FALSE(config->race.invariants.empty() || config->race.expect.empty());
}

}  // namespace
}  // namespace heddle
