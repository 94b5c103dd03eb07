// The sections of heddle.yaml that describe a running system, good and bad.
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/source_tree_testing.h"
#include "frontend/config/config.h"

namespace heddle {
namespace {

std::string shown_pairs(const std::string& key, const std::vector<Setting>& settings) {
  std::string text;
  for (const Setting& setting : settings) {
    text += fmt::format("{} {}@{}:{}\n", key, setting.text, setting.position.line,
                        setting.position.column);
  }
  return text;
}

std::string shown_pairs(const ServiceSettings& service) {
  return shown_pairs("service", {service.name}) + shown_pairs("  address", service.address) +
         shown_pairs("  start", service.start) + shown_pairs("  health", service.health) +
         shown_pairs("  logs", service.logs);
}

std::string shown_pairs(const StoreSettings& store) {
  return shown_pairs("store", {store.name}) + shown_pairs("  kind", store.kind) +
         shown_pairs("  address", store.address) + shown_pairs("  aliases", store.aliases) +
         shown_pairs("  own", store.own);
}

std::string shown_pairs(const EdgeSettings& edge) {
  std::string text = fmt::format("{}edge@{}:{}\n", edge.is_outer ? "outer " : "",
                                 edge.position.line, edge.position.column);
  text += shown_pairs("  caller", edge.caller) + shown_pairs("  callee", edge.callee) +
          shown_pairs("  listen", edge.listen) + shown_pairs("  database", edge.database);
  for (const VariableSetting& each : edge.environment) {
    text += shown_pairs("  variable", {each.name}) + shown_pairs("    is", {each.value});
  }
  return text;
}

// One line for each setting, or the message. Variables: ONE is "1", NOTHING is empty.
std::string read_system_text(const std::string& text) {
  const auto lookup = [](const std::string& name) {
    const std::map<std::string, std::string> variables = {{"ONE", "1"}, {"NOTHING", ""}};
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  const Result<Config> config = parse_system_config(text, "heddle.yaml", lookup);
  if (!config) return to_string(config.error());
  const SystemSettings& system = config->system;
  std::string all = shown_pairs("start", system.start) + shown_pairs("stop", system.stop) +
                    shown_pairs("reset", system.reset) + shown_pairs("health", system.health) +
                    shown_pairs("rest", system.rest);
  for (const ServiceSettings& each : system.services) all += shown_pairs(each);
  for (const StoreSettings& each : system.stores) all += shown_pairs(each);
  for (const EdgeSettings& each : system.edges) all += shown_pairs(each);
  return all + shown_pairs("redact", config->record.redact) +
         shown_pairs("mask", config->record.mask);
}

// Of a system with these lines below "system:".
std::string read_system(const std::string& lines) { return read_system_text("system:\n" + lines); }

const std::string kServices = "  services: {shop: {address: a:1}, till: {address: b:2}}\n";
const std::string kStores = "  stores: {db: {kind: postgres, address: c:3/db}}\n";
const std::string kEdge = "  edges: [{caller: shop, callee: till}]\n";

std::string read_edge(const std::string& edge) {
  return read_system(kServices + kStores + "  edges: [" + edge + "]\n");
}

TEST(SystemConfig, everything_has_its_place) {
  EXPECT_EQ(
      read_system_text(
          "program: {dialect: mysql}\n"
          "race: whatever\n"
          "system:\n"
          "  start: [npm, run, up]\n"
          "  stop: ./stop\n"
          "  reset: []\n"
          "  health: [./health]\n"
          "  rest: [./rest]\n"
          "  services:\n"
          "    shop: {address: \"127.0.0.1:8080\", start: [./shop, -v], health: /up, logs: [a, "
          "b]}\n"
          "    till:\n"
          "  stores:\n"
          "    db:\n"
          "      kind: postgres\n"
          "      address: 127.0.0.1:5432/shop\n"
          "      aliases: [db2]\n"
          "      own: SHOP_ADMIN\n"
          "  edges:\n"
          "    - {caller: tests, callee: shop, outer: yes, listen: 127.0.0.1:0}\n"
          "    - caller: till\n"
          "      callee: db\n"
          "      database: other\n"
          "      environment: {DB: \"postgres://{address}/shop\"}\n"
          "record:\n"
          "  redact: [password]\n"
          "  mask: email\n"),
      "start npm@4:11\nstart run@4:16\nstart up@4:21\n"
      "stop ./stop@5:9\nhealth ./health@7:12\nrest ./rest@8:10\n"
      "service shop@10:5\n  address 127.0.0.1:8080@10:21\n  start ./shop@10:47\n"
      "  start -v@10:55\n  health /up@10:68\n  logs a@10:80\n  logs b@10:83\n"
      "service till@11:5\n"
      "store db@13:5\n  kind postgres@14:13\n  address 127.0.0.1:5432/shop@15:16\n"
      "  aliases db2@16:17\n  own SHOP_ADMIN@17:12\n"
      "outer edge@19:7\n  caller tests@19:16\n  callee shop@19:31\n  listen 127.0.0.1:0@19:57\n"
      "edge@20:7\n  caller till@20:15\n  callee db@21:15\n  database other@22:17\n"
      "  variable DB@23:21\n    is postgres://{address}/shop@23:25\n"
      "redact password@25:12\nmask email@26:9\n");
}

TEST(SystemConfig, what_is_not_there_is_not_set) {
  for (const char* const text : {"", "# nothing\n", "program: {dialect: mysql}\n", "race:\n"}) {
    EXPECT_EQ(read_system_text(text), "") << text;
  }
}

TEST(SystemConfig, variables_stand_for_their_values) {
  const auto health = [](const std::string& text) {
    return read_system(kServices + kEdge + "  health: ['" + text + "']\n").substr(0, 40);
  };
  EXPECT_EQ(health("a${ONE}b${ONE}").substr(0, 12), "health a1b1@");
  EXPECT_EQ(health("${NONE:-7}").substr(0, 9), "health 7@");
  EXPECT_EQ(health("${NOTHING:-7}").substr(0, 9), "health 7@");
  EXPECT_EQ(health("x${NOTHING}").substr(0, 9), "health x@");
  EXPECT_EQ(health("${NONE:-a:-b}").substr(0, 13), "health a:-b@4");
  EXPECT_EQ(health("$$ONE $ONE $").substr(0, 20), "health $ONE $ONE $@4");
  EXPECT_EQ(health("$${ONE}").substr(0, 14), "health ${ONE}@");
  // What a variable holds is taken as it is.
  EXPECT_EQ(health("{address}").substr(0, 17), "health {address}@");
}

TEST(SystemConfig, variables_that_cannot_be_read) {
  const auto health = [](const std::string& text) {
    return read_system(kServices + kEdge + "  health: ['" + text + "']\n");
  };
  EXPECT_EQ(health("${NONE}"),
            "heddle.yaml:4:12: the variable NONE is not set, set it, or write ${NONE:-value}");
  EXPECT_EQ(health("${ONE"),
            "heddle.yaml:4:12: a \"${\" has no \"}\", write ${NAME} or ${NAME:-value}");
  EXPECT_EQ(health("${}"),
            "heddle.yaml:4:12: \"\" is no name of a variable, write ${NAME} or ${NAME:-value}");
  EXPECT_EQ(health("${1A:-b}"),
            "heddle.yaml:4:12: \"1A\" is no name of a variable, write ${NAME} or ${NAME:-value}");
  EXPECT_EQ(health("${A B}"),
            "heddle.yaml:4:12: \"A B\" is no name of a variable, write ${NAME} or ${NAME:-value}");
  EXPECT_EQ(read_edge("{caller: '${NONE}', callee: till}"),
            "heddle.yaml:4:20: the variable NONE is not set, set it, or write ${NONE:-value}");
  EXPECT_EQ(read_edge("{caller: shop, callee: till, listen: '${NOTHING}'}"),
            "heddle.yaml:4:48: \"listen\" is empty, set the variables in it to something");
  EXPECT_EQ(read_edge("{caller: shop, callee: till, environment: {A: '${NOTHING}'}}").substr(0, 8),
            "service ");
  EXPECT_EQ(read_system_text("record: {mask: ['${NONE}']}"),
            "heddle.yaml:1:17: the variable NONE is not set, set it, or write ${NONE:-value}");
}

TEST(SystemConfig, unknown_keys_are_corrected) {
  EXPECT_EQ(read_system_text("sistem:\n"),
            "heddle.yaml:1:1: there is no section \"sistem\", did you mean \"system\"?");
  EXPECT_EQ(read_system_text("services: {}\n"),
            "heddle.yaml:1:1: there is no section \"services\", write it below \"system:\"");
  EXPECT_EQ(read_system_text("dialect: mysql\n"),
            "heddle.yaml:1:1: there is no section \"dialect\", write it below \"program:\"");
  EXPECT_EQ(
      read_system("  databases: {}\n"),
      "heddle.yaml:2:3: there is no key of \"system\" \"databases\", did you mean \"stores\"?");
  EXPECT_EQ(read_system("  zzzzzzzz: 1\n"),
            "heddle.yaml:2:3: there is no key of \"system\" \"zzzzzzzz\", use one of: start, stop, "
            "reset, health, rest, services, stores, edges");
  EXPECT_EQ(read_system("  services: {shop: {url: a}}\n"),
            "heddle.yaml:2:21: there is no key of a service \"url\", did you mean \"address\"?");
  EXPECT_EQ(read_system("  stores: {db: {type: postgres}}\n"),
            "heddle.yaml:2:17: there is no key of a store \"type\", did you mean \"kind\"?");
  EXPECT_EQ(read_edge("{from: shop, to: till}"),
            "heddle.yaml:4:12: there is no key of an edge \"from\", did you mean \"caller\"?");
  EXPECT_EQ(
      read_system_text("record: {secrets: [a]}"),
      "heddle.yaml:1:10: there is no key of \"record\" \"secrets\", did you mean \"redact\"?");
  EXPECT_EQ(read_system_text("system: {[a]: b}"),
            "heddle.yaml:1:10: this is no name of a key of \"system\", use one of: start, stop, "
            "reset, health, rest, services, stores, edges");
}

TEST(SystemConfig, what_is_twice_there_is_no_guess) {
  EXPECT_EQ(read_system("  start: a\n  start: b\n"),
            "heddle.yaml:3:3: the key of \"system\" \"start\" is there twice, put both into one");
  EXPECT_EQ(read_system("  services: {shop: {address: a:1}, shop: {address: b:2}}\n"),
            "heddle.yaml:2:36: the service \"shop\" is there twice, leave one out");
  EXPECT_EQ(read_edge("{caller: shop, callee: till}, {caller: shop, callee: till}"),
            "heddle.yaml:4:41: the edge from \"shop\" to \"till\" is there twice, leave one out");
  EXPECT_EQ(read_edge("{caller: shop, callee: till, environment: {A: b, A: c}}"),
            "heddle.yaml:4:60: the variable \"A\" is there twice, leave one out");
  EXPECT_EQ(read_system("  services: {db: {address: a:1}}\n" + kStores + kEdge),
            "heddle.yaml:3:12: \"db\" is the name of a service, too, rename one");
}

TEST(SystemConfig, values_of_the_wrong_kind) {
  EXPECT_EQ(read_system_text("system: [a]"),
            "heddle.yaml:1:9: the section \"system\" has no keys, use one of: start, stop, reset, "
            "health, rest, services, stores, edges");
  EXPECT_EQ(
      read_system_text("record:\n"),
      "heddle.yaml:1:1: the section \"record\" has no keys, use one of: redact, mask, exempt");
  EXPECT_EQ(
      read_system("  start: {a: b}\n"),
      "heddle.yaml:2:10: \"start\" needs a list of texts, write start: [VALUE, ...], or leave "
      "the key out");
  EXPECT_EQ(read_system("  start: [a, [b]]\n"),
            "heddle.yaml:2:14: \"start\" has something in its list that is no text, write start: "
            "[VALUE, ...]");
  EXPECT_EQ(read_system("  services: [shop]\n"),
            "heddle.yaml:2:13: \"services\" needs services by name, write services: and below it "
            "NAME: for each service");
  EXPECT_EQ(
      read_system("  stores:\n"),
      "heddle.yaml:2:3: \"stores\" needs stores by name, write stores: and below it NAME: for "
      "each store");
  EXPECT_EQ(read_system("  services: {[a]: {}}\n"),
            "heddle.yaml:2:14: this is no name of a service, write a word");
  EXPECT_EQ(
      read_system("  services: {shop: a:1}\n"),
      "heddle.yaml:2:20: the service \"shop\" has no keys, use one of: address, start, health, "
      "logs");
  EXPECT_EQ(
      read_system("  stores: {db: }\n"),
      "heddle.yaml:2:12: the store \"db\" has no keys, use one of: kind, address, aliases, own");
  EXPECT_EQ(
      read_system("  services: {shop: {address: [a]}}\n"),
      "heddle.yaml:2:30: \"address\" needs a text, write address: VALUE, or leave the key out");
  constexpr const char* kForm =
      ", write - {caller: SERVICE, callee: SERVICE or STORE, listen: 127.0.0.1:0, environment: "
      "{VARIABLE: \"http://{address}\"}}";
  EXPECT_EQ(read_system("  edges: {}\n"),
            std::string("heddle.yaml:2:10: \"edges\" needs a list of edges") + kForm);
  EXPECT_EQ(read_system("  edges: []\n"),
            std::string("heddle.yaml:2:10: \"edges\" needs a list of edges") + kForm);
  EXPECT_EQ(read_edge("shop"), std::string("heddle.yaml:4:11: this is no edge") + kForm);
  EXPECT_EQ(
      read_edge("{caller: shop, callee: till, outer: maybe}"),
      "heddle.yaml:4:47: \"outer\" is neither true nor false, write outer: true, or leave the "
      "key out");
  EXPECT_EQ(read_edge("{caller: shop, callee: till, environment: {A B: c}}"),
            "heddle.yaml:4:54: \"A B\" is no name of a variable, write letters, digits and _");
  EXPECT_EQ(
      read_edge("{caller: shop, callee: till, environment: A}"),
      "heddle.yaml:4:53: \"environment\" needs variables by name, write environment: and below "
      "it NAME: for each variable");
}

TEST(SystemConfig, parts_fit_together) {
  EXPECT_EQ(read_system(kServices),
            "heddle.yaml:2:3: the system has no edges, write edges: and below it who calls whom");
  EXPECT_EQ(read_system(kServices + "  stores: {db: {address: c:3}}\n" + kEdge),
            "heddle.yaml:3:12: the store \"db\" has no kind, write kind: postgres");
  EXPECT_EQ(read_system(kServices + "  stores: {db: {kind: mysql, address: c:3}}\n" + kEdge),
            "heddle.yaml:3:23: heddle has no proxy for \"mysql\", write kind: postgres");
  EXPECT_EQ(read_system(kServices + "  stores: {db: {kind: postgres}}\n" + kEdge),
            "heddle.yaml:3:12: the store \"db\" has no address, write address: HOST:PORT/DATABASE, "
            "where the services would connect to");
  EXPECT_EQ(read_edge("{caller: shop}"),
            "heddle.yaml:4:11: the edge has no callee, write caller: and callee:");
  EXPECT_EQ(read_edge("{callee: shop}"),
            "heddle.yaml:4:11: the edge has no caller, write caller: and callee:");
  EXPECT_EQ(read_edge("{caller: shop, callee: tll}"),
            "heddle.yaml:4:34: no service or store is called \"tll\", did you mean \"till\"?");
  EXPECT_EQ(
      read_edge("{caller: tests, callee: till}"),
      "heddle.yaml:4:20: no service is called \"tests\", write outer: true where requests come "
      "in from outside, or use one of: shop, till");
  EXPECT_EQ(
      read_edge("{caller: db, callee: till}"),
      "heddle.yaml:4:20: no service is called \"db\", write outer: true where requests come in "
      "from outside, or use one of: shop, till");
  EXPECT_EQ(read_edge("{caller: tests, callee: db, outer: true}"),
            "heddle.yaml:4:35: an outer edge leads to a store, outer edges are those at which "
            "requests come in; name who asks the store under services, without start where it is "
            "the command that is recorded");
  EXPECT_EQ(read_system("  services: {shop: {address: a:1}, till: }\n" + kEdge),
            "heddle.yaml:2:36: the service \"till\" is called, and has no address, write address: "
            "HOST:PORT, where it listens");
}

TEST(SystemConfig, the_example_in_the_documentation_is_one) {
  std::ifstream file(source_tree() / "docs" / "formats" / "heddle-yaml.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  const std::size_t begin = page.find("```yaml\nsystem:") + 8;
  const std::string example = page.substr(begin, page.find("```\n", begin) - begin);
  const auto lookup = [](const std::string&) { return std::nullopt; };
  const Result<Config> config = parse_system_config(example, "heddle-yaml.md", lookup);
  ASSERT_TRUE(config) << to_string(config.error());
  EXPECT_FALSE(config->system.edges.empty() || config->record.redact.empty());
}

}  // namespace
}  // namespace heddle
