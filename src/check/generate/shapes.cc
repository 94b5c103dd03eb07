#include "check/generate/shapes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {

namespace {

GenerateOptions general_shape() {
  GenerateOptions options;
  options.level = IsolationLevel::strict_serializable;
  options.sessions = 20;
  options.transactions = 16'000;
  options.fewest_operations = options.most_operations = 8;
  options.keys = 10'000;
  return options;
}

GenerateOptions oltp_shape(Workload workload) {
  GenerateOptions options = general_shape();
  options.transactions = 100'000;
  options.workload = workload;
  return options;
}

GenerateOptions awdit_shape() {
  GenerateOptions options = general_shape();
  options.level = IsolationLevel::transactional_causal;
  options.sessions = 100;
  options.transactions = 1'000'000;
  options.fewest_operations = options.most_operations = 10;
  return options;
}

GenerateOptions list_append_shape() {
  GenerateOptions options = general_shape();
  options.kind = GeneratedKind::list;
  options.transactions = 300'000;
  options.fewest_operations = 1;
  options.most_operations = 4;
  options.keys = 10;
  options.distribution = KeyDistribution::zipf;
  options.writes_per_key = 100;
  return options;
}

GenerateCallsOptions calls_shape(ObjectModel model, std::uint32_t calls, std::uint32_t processes) {
  GenerateCallsOptions options;
  options.model = model;
  options.calls = calls;
  options.processes = processes;
  return options;
}

GenerateCallsOptions cas_shape() {
  GenerateCallsOptions options = calls_shape(ObjectModel::cas_register, 200, 5);
  options.unique_values = false;
  return options;
}

GenerateCallsOptions appends_shape() {
  GenerateCallsOptions options = calls_shape(ObjectModel::key_value, 3'000, 50);
  options.objects = 10;
  return options;
}

// A setting takes the text of its value; false: that is no value of it.
template <class Options>
struct Setting {
  std::string_view name;
  std::string_view form;
  bool (*set)(Options& options, std::string_view text);
};

template <class Number>
bool set_number(Number& place, std::string_view text) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), place);
  return error == std::errc() && stop == text.data() + text.size();
}

bool set_double(double& place, std::string_view text) {
  return set_number(place, text) && std::isfinite(place);
}

template <class Enumeration>
struct Word {
  std::string_view word;
  Enumeration value;
};

template <class Enumeration, std::size_t count>
bool set_word(Enumeration& place, std::string_view text, const Word<Enumeration> (&words)[count]) {
  for (const Word<Enumeration>& word : words) {
    if (word.word != text) continue;
    place = word.value;
    return true;
  }
  return false;
}

constexpr Word<GeneratedKind> kKinds[] = {{"unique-register", GeneratedKind::unique_register},
                                          {"register", GeneratedKind::register_},
                                          {"list", GeneratedKind::list}};
constexpr Word<KeyDistribution> kDistributions[] = {{"uniform", KeyDistribution::uniform},
                                                    {"zipf", KeyDistribution::zipf},
                                                    {"hotspot", KeyDistribution::hotspot}};
constexpr Word<bool> kSwitch[] = {{"yes", true}, {"no", false}};

bool set_level(GenerateOptions& options, std::string_view text) {
  const std::optional<IsolationLevel> level = find_isolation_level(text);
  if (level) options.level = *level;
  return level.has_value();
}

bool set_operations(GenerateOptions& options, std::string_view text) {
  const std::size_t dots = text.find("..");
  const std::string_view most = dots == std::string_view::npos ? text : text.substr(dots + 2);
  return set_number(options.fewest_operations, text.substr(0, dots)) &&
         set_number(options.most_operations, most);
}

bool add_planted(GenerateOptions& options, std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::optional<AnomalyKind> kind = find_anomaly_kind(text.substr(0, colon));
  if (!kind) return false;
  PlantedAnomaly planted{*kind, 1};
  const bool good =
      colon == std::string_view::npos || set_number(planted.count, text.substr(colon + 1));
  if (good) options.planted.push_back(planted);
  return good;
}

bool set_initial(GenerateOptions& options, std::string_view text) {
  std::int64_t number = 0;
  if (text == "nil") {
    options.initial = kNil;
    return true;
  }
  if (!set_number(number, text) || !Value::fits(number)) return false;
  options.initial = Value::number(number);
  return true;
}

using G = GenerateOptions;
using Text = std::string_view;
constexpr std::string_view kWhole = "a whole number";
constexpr std::string_view kShare = "a share from 0 to 1";

// clang-format off
constexpr Setting<G> kSettings[] = {
    {"level", "the name of an isolation level", set_level},
    {"sessions", kWhole, [](G& o, Text t) { return set_number(o.sessions, t); }},
    {"transactions", kWhole, [](G& o, Text t) { return set_number(o.transactions, t); }},
    {"operations", "a whole number or a range, 2..8", set_operations},
    {"keys", kWhole, [](G& o, Text t) { return set_number(o.keys, t); }},
    {"reads", kShare, [](G& o, Text t) { return set_double(o.read_share, t); }},
    {"updates", kShare, [](G& o, Text t) { return set_double(o.update_share, t); }},
    {"kind", "unique-register, register or list",
     [](G& o, Text t) { return set_word(o.kind, t, kKinds); }},
    {"values", kWhole, [](G& o, Text t) { return set_number(o.distinct_values, t); }},
    {"initial", "nil or a whole number", set_initial},
    {"distribution", "uniform, zipf or hotspot",
     [](G& o, Text t) { return set_word(o.distribution, t, kDistributions); }},
    {"exponent", "a number", [](G& o, Text t) { return set_double(o.exponent, t); }},
    {"hot-keys", kShare, [](G& o, Text t) { return set_double(o.hot_keys, t); }},
    {"hot-share", kShare, [](G& o, Text t) { return set_double(o.hot_share, t); }},
    {"writes-per-key", kWhole, [](G& o, Text t) { return set_number(o.writes_per_key, t); }},
    {"aborted", kShare, [](G& o, Text t) { return set_double(o.aborted_share, t); }},
    {"unknown", kShare, [](G& o, Text t) { return set_double(o.unknown_share, t); }},
    {"times", "yes or no", [](G& o, Text t) { return set_word(o.times, t, kSwitch); }},
    {"plant", "the name of an anomaly, with its number: lost-update:2", add_planted},
    {"seed", kWhole, [](G& o, Text t) { return set_number(o.seed, t); }},
};

using C = GenerateCallsOptions;
constexpr Setting<C> kCallSettings[] = {
    {"processes", kWhole, [](C& o, Text t) { return set_number(o.processes, t); }},
    {"calls", kWhole, [](C& o, Text t) { return set_number(o.calls, t); }},
    {"objects", kWhole, [](C& o, Text t) { return set_number(o.objects, t); }},
    {"reads", kShare, [](C& o, Text t) { return set_double(o.read_share, t); }},
    {"crashed", kShare, [](C& o, Text t) { return set_double(o.crashed_share, t); }},
    {"violation", "yes or no", [](C& o, Text t) { return set_word(o.violation, t, kSwitch); }},
    {"seed", kWhole, [](C& o, Text t) { return set_number(o.seed, t); }},
};
// clang-format on

Diagnostic unknown_word(std::string_view what, std::string_view word,
                        const std::vector<std::string>& known) {
  const std::string closest = closest_word(word, known);
  return {.what = fmt::format("there is no {} \"{}\" to generate", what, word),
          .what_to_do = closest.empty() ? "use one of: " + join(known, ", ")
                                        : fmt::format("did you mean \"{}\"?", closest)};
}

template <class Options, std::size_t count>
Result<void> set(Options& options, const Setting<Options> (&settings)[count],
                 std::string_view part) {
  const std::string_view name = part.substr(0, part.find('='));
  const std::string_view value = part.substr(std::min(part.size(), name.size() + 1));
  std::vector<std::string> names;
  for (const Setting<Options>& setting : settings) {
    names.emplace_back(setting.name);
    if (setting.name != name) continue;
    if (setting.set(options, value)) return {};
    return Diagnostic{
        .what = fmt::format("{} of a generated history cannot be \"{}\"", name, value),
        .what_to_do = fmt::format("give {}", setting.form)};
  }
  return unknown_word("setting", name, names);
}

template <class Options, std::size_t count>
Result<void> set_all(Options& options, const Setting<Options> (&settings)[count],
                     const std::vector<std::string>& parts) {
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (Result<void> done = set(options, settings, parts[i]); !done) return done;
  }
  if (const std::optional<std::string> flaw = find_flaw(options)) {
    return Diagnostic{.what = "cannot generate that history: " + *flaw,
                      .what_to_do = "change the settings"};
  }
  return {};
}

}  // namespace

const std::vector<GenerateShape>& generate_shapes() {
  static const std::vector<GenerateShape> shapes = {
      {"small", "100 transactions of up to 8 operations on 10 keys", GenerateOptions()},
      {"general", "16,000 transactions of 8 blind writes and reads on 10,000 keys",
       general_shape()},
      {"tpcc", "100,000 transactions in the shape of TPC-C", oltp_shape(Workload::tpcc)},
      {"rubis", "100,000 transactions of an auction site", oltp_shape(Workload::rubis)},
      {"twitter", "100,000 transactions of a social network", oltp_shape(Workload::twitter)},
      {"awdit", "1,000,000 causal transactions of 10 operations in 100 sessions", awdit_shape()},
      {"list-append", "300,000 transactions that append to lists and read them",
       list_append_shape()},
      {"register", "100,000 calls on one register, each value written once",
       calls_shape(ObjectModel::cas_register, 100'000, 10)},
      {"cas-register", "200 calls on one register, with compare-and-set", cas_shape()},
      {"key-value", "3,000 appends to ten keys and gets of them by 50 clients", appends_shape()},
      {"queue", "1,000,000 calls on a queue", calls_shape(ObjectModel::queue, 1'000'000, 10)},
      {"stack", "1,000,000 calls on a stack", calls_shape(ObjectModel::stack, 1'000'000, 10)},
      {"priority-queue", "1,000,000 calls on a priority queue",
       calls_shape(ObjectModel::priority_queue, 1'000'000, 10)},
      {"set", "1,000,000 calls on a set", calls_shape(ObjectModel::set, 1'000'000, 10)},
  };
  return shapes;
}

Result<GenerateRequest> parse_generate_request(std::string_view text) {
  const std::vector<std::string> parts = split(text, ',');
  std::vector<std::string> names;
  for (const GenerateShape& shape : generate_shapes()) {
    names.emplace_back(shape.name);
    if (shape.name != parts[0]) continue;
    GenerateRequest request = shape.request;
    const Result<void> done =
        std::holds_alternative<GenerateOptions>(request)
            ? set_all(std::get<GenerateOptions>(request), kSettings, parts)
            : set_all(std::get<GenerateCallsOptions>(request), kCallSettings, parts);
    if (!done) return done.error();
    return request;
  }
  return unknown_word("shape", parts[0], names);
}

RecordedHistory generate(const GenerateRequest& request) {
  if (const auto* const options = std::get_if<GenerateOptions>(&request)) {
    return generate_history(*options);
  }
  return generate_calls(std::get<GenerateCallsOptions>(request));
}

}  // namespace heddle
