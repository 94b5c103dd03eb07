// What bench/random measures: one tester on one program, the random one or the directed one.
//
//   random_tester directed FILE [option...]   heddle find and its runs
//   random_tester random FILE [option...]     random calls in random orders
//
// FILE is a program as `heddle find --print-program` prints it. Each invariant that is broken is a
// line "SECONDS PROCESSOR-SECONDS RUN-OR-CAUSE NAME" at the time when it is broken; the last line
// tells how much was done.
#include "find/random/random_tester.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/scenario.h"

namespace {

using heddle::Diagnostic;
using heddle::Result;

using Options = std::map<std::string, std::string>;

Result<Options> read_options(const std::vector<std::string>& words) {
  static const std::set<std::string> kKnown = {
      "on",      "level",  "invariants", "rows",    "seed", "seconds", "runs",       "calls",
      "clients", "orders", "replicas",   "network", "jobs", "save",    "constraints"};
  Options options = {{"on", "replicated"}, {"level", "eventual"}, {"seed", "1"}};
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const bool is_option = word.starts_with("--") && equals != word.npos;
    const std::string name = is_option ? word.substr(2, equals - 2) : "";
    if (!kKnown.contains(name)) return Diagnostic{.what = "unknown option " + word};
    options[name] = word.substr(equals + 1);
  }
  return options;
}

std::size_t number(const Options& options, const std::string& name, std::size_t fallback) {
  const auto found = options.find(name);
  return found == options.end() ? fallback : std::stoul(found->second);
}

Result<std::vector<heddle::Invariant>> read_invariants(const std::string& path) {
  const Result<std::string> text = heddle::read_file(path);
  if (!text) return text.error();
  Result<heddle::Scenario> read =
      heddle::parse_scenario(*text + "\nsession s\nstep s { SELECT 1; }\n", path);
  if (!read) return read.error();
  return std::move(read->invariants);
}

// Of all threads of this process; a server's are not in it.
double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

void print_break(double seconds, std::size_t where, const std::string& name) {
  fmt::print("{:.2f} {:.2f} {} {}\n", seconds, processor_seconds(), where, name);
  std::fflush(stdout);
}

Result<void> save(const Options& options, const std::string& stem, const std::string& text) {
  const auto folder = options.find("save");
  if (folder == options.end()) return {};
  return heddle::write_file_atomically(fmt::format("{}/{}.spec", folder->second, stem), text);
}

Result<void> test_directed(const heddle::Program& program, const Options& options,
                           std::vector<heddle::Invariant> invariants) {
  heddle::FindOptions find;
  find.level = heddle::find_isolation_level(options.at("level"));
  find.jobs = number(options, "jobs", 0);
  if (options.contains("constraints")) {
    const Result<std::string> text = heddle::read_file(options.at("constraints"));
    if (!text) return text.error();
    auto constraints = heddle::parse_constraints(*text, options.at("constraints"));
    if (!constraints) return constraints.error();
    find.constraints = *std::move(constraints);
  }
  heddle::ExecuteOptions execution;
  execution.on.texts = {options.at("on")};
  execution.jobs = find.jobs;
  execution.invariants = std::move(invariants);
  if (options.contains("rows")) {
    const Result<std::string> text = heddle::read_file(options.at("rows"));
    if (!text) return text.error();
    execution.rows = heddle::SourceText{.file = options.at("rows"), .text = *text};
  }
  const auto begun = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  };
  auto report = heddle::find_anomalies(program, find);
  if (!report) return report.error();
  const double searching = seconds();
  const double searching_processor = processor_seconds();
  std::set<std::string> broken;
  std::size_t causes = 0;
  execution.executed = [&](const heddle::FoundCause& cause) {
    ++causes;
    for (const std::string& name : cause.execution->broken_invariants) {
      if (broken.insert(name).second) print_break(seconds(), causes, name);
    }
  };
  if (auto done = heddle::execute_findings(program, find, execution, *report); !done) return done;
  fmt::print("done {:.1f} s, {:.1f} s of processors, of which {:.1f} s and {:.1f} s searching; ",
             seconds(), processor_seconds(), searching, searching_processor);
  fmt::print("{} causes\n", report->causes.size());
  return {};
}

Result<void> test_randomly(const heddle::Program& program, const Options& options,
                           std::vector<heddle::Invariant> invariants) {
  const Result<std::string> rows = heddle::read_file(options.at("rows"));
  if (!rows) return rows.error();
  const auto level = heddle::find_isolation_level(options.at("level"));
  if (!level) return Diagnostic{.what = "unknown level " + options.at("level")};
  const heddle::find::RandomTest test{.program = &program,
                                      .rows = {.file = options.at("rows"), .text = *rows},
                                      .invariants = std::move(invariants),
                                      .on = {.texts = {options.at("on")}},
                                      .level = *level};
  heddle::find::RandomOptions random;
  random.seed = number(options, "seed", 1);
  const std::size_t calls = number(options, "calls", 0);
  if (calls > 0) random.fewest_calls = random.most_calls = calls;
  random.clients = number(options, "clients", random.clients);
  random.orders = number(options, "orders", random.orders);
  random.replicas = number(options, "replicas", random.replicas);
  if (options.contains("network")) {
    using heddle::find::RandomNetwork;
    static const std::map<std::string, RandomNetwork> kNetworks = {
        {"any", RandomNetwork::any},
        {"sticky", RandomNetwork::sticky},
        {"prompt", RandomNetwork::prompt}};
    const auto network = kNetworks.find(options.at("network"));
    if (network == kNetworks.end()) return Diagnostic{.what = "a network is any, sticky or prompt"};
    random.network = network->second;
  }
  if (options.contains("runs")) random.runs = number(options, "runs", 0);
  if (options.contains("seconds") || !options.contains("runs")) {
    random.timeout_ms = static_cast<std::uint32_t>(number(options, "seconds", 600) * 1000);
  }
  Result<void> saved;
  auto report =
      heddle::find::test_at_random(test, random, [&](const heddle::find::RandomBreak& broken) {
        print_break(broken.seconds, broken.run, broken.invariant);
        const std::string stem = fmt::format("random-{}", broken.run);
        if (saved) saved = save(options, stem, broken.spec);
      });
  if (!report) return report.error();
  fmt::print("done {:.1f} s, {:.1f} s of processors; {} runs with {} calls, of which {} failed\n",
             report->seconds, processor_seconds(), report->runs, report->calls,
             report->failed_calls);
  return saved;
}

Result<void> run(const std::vector<std::string>& words) {
  const bool is_known = words.size() >= 2 && (words[0] == "directed" || words[0] == "random");
  if (!is_known) return Diagnostic{.what = "see the head of bench/random_tester.cc"};
  const Result<std::string> text = heddle::read_file(words[1]);
  if (!text) return text.error();
  const Result<heddle::Program> program = heddle::parse_program({{words[1], *text}});
  if (!program) return program.error();
  const Result<Options> options = read_options({words.begin() + 2, words.end()});
  if (!options) return options.error();
  for (const char* needed : {"invariants", "rows"}) {
    const bool is_needed = words[0] == "random" || std::string(needed) == "invariants";
    if (is_needed && !options->contains(needed)) {
      return Diagnostic{.what = fmt::format("--{}=FILE is needed", needed)};
    }
  }
  auto invariants = read_invariants(options->at("invariants"));
  if (!invariants) return invariants.error();
  return words[0] == "random" ? test_randomly(*program, *options, std::move(*invariants))
                              : test_directed(*program, *options, std::move(*invariants));
}

}  // namespace

int main(int count, char** words) {
  const Result<void> done = run({words + 1, words + count});
  if (done) return 0;
  fmt::print(stderr, "random_tester: {}\n", to_string(done.error()));
  return 1;
}
