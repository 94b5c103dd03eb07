#include "find/random/random_tester.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "find/execute/initial_rows.h"
#include "find/random/random_numbers.h"
#include "find/random/random_scenarios.h"
#include "replay/runner.h"
#include "store/open/open.h"
#include "store/store.h"

namespace heddle::find {

namespace {

// Serial orders that an invariant is asked after: of four calls all.
constexpr std::size_t kMostSerialOrders = 24;

using Names = std::set<std::string>;

Names broken_in(const Run& run) {
  Names names;
  for (const InvariantOutcome& outcome : run.invariants) {
    if (!outcome.holds) names.insert(outcome.name);
  }
  return names;
}

bool has_failed(const StepRecord& record) { return record.call_end && record.call_end->error; }

class RandomTester {
 public:
  RandomTester(const RandomTest& test, const RandomOptions& options, StoreServer& server,
               const std::function<void(const RandomBreak&)>& broken)
      : test_(test), options_(options), server_(server), broken_(broken) {
    for (const Invariant& invariant : test.invariants) open_.insert(invariant.name);
    report_.store = server.description();
  }

  Result<RandomReport> test(const RandomScenarios& scenarios) {
    for (std::uint64_t calls = 1; !is_over(); ++calls) {
      // They have a seed of their own, so that they can be made without those before them.
      RandomNumbers random((options_.seed << 32U) + calls);
      const RandomScenario drawn = scenarios.draw(random);
      auto runner = Runner::create(drawn.scenario, server_, {.level = test_.level});
      if (!runner) return runner.error();
      for (std::size_t order = 0; order < options_.orders && !is_over(); ++order) {
        if (auto done = run(drawn, **runner, random); !done) return done.error();
      }
    }
    report_.seconds = seconds();
    return std::move(report_);
  }

 private:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  }

  bool is_over() const {
    if (interrupted() || (options_.runs && report_.runs >= *options_.runs)) return true;
    if (options_.stops_when_all_are_broken && open_.empty()) return true;
    return options_.timeout_ms && seconds() * 1000 >= *options_.timeout_ms;
  }

  Result<void> run(const RandomScenario& drawn, Runner& runner, RandomNumbers& random) {
    ++report_.runs;
    auto run = runner.run_interleaved(scripts_of(drawn.scenario), choose_at_random(drawn, random));
    if (!run) return run.error();
    report_.calls += drawn.calls;
    for (const StepRecord& record : run->records)
      report_.failed_calls += has_failed(record) ? 1 : 0;
    report_.failed_calls += std::ranges::count_if(
        run->aborted, [&](SessionId session) { return session.index() < drawn.calls; });
    if (run->end != RunEnd::complete) return {};
    Names fresh;
    std::ranges::set_intersection(broken_in(*run), open_, std::inserter(fresh, fresh.end()));
    if (fresh.empty()) return {};
    if (auto done = keep_those_that_hold_serially(drawn, runner, random, fresh); !done) {
      return done.error();
    }
    for (const std::string& name : fresh) add_break(name, drawn.scenario, *run);
    return {};
  }

  Result<void> keep_those_that_hold_serially(const RandomScenario& drawn, Runner& runner,
                                             RandomNumbers& random, Names& names) {
    std::vector<std::size_t> order(drawn.calls);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    constexpr std::size_t kAllOrdersOf = 4;
    for (std::size_t i = 0; i < kMostSerialOrders && !names.empty(); ++i) {
      auto serial = runner.run_serial(blocks_of(drawn.scenario, order));
      if (!serial) return serial.error();
      const Names broken = broken_in(*serial);
      const std::size_t before = names.size();
      std::erase_if(names, [&](const std::string& name) {
        return serial->end != RunEnd::complete || broken.contains(name);
      });
      report_.serially_broken += before > names.size() ? 1 : 0;
      if (drawn.calls > kAllOrdersOf) {
        for (std::size_t k = order.size(); k > 1; --k)
          std::swap(order[k - 1], order[random.below(k)]);
      } else if (!std::ranges::next_permutation(order).found) {
        break;
      }
    }
    return {};
  }

  static std::vector<SerialBlock> blocks_of(const Scenario& scenario,
                                            const std::vector<std::size_t>& order) {
    std::vector<SerialBlock> blocks;
    for (const std::size_t session : order) {
      blocks.push_back(
          {SessionId(session), scenario.sessions[session].steps, SerialBlock::Extent::rest});
    }
    return blocks;
  }

  void add_break(const std::string& name, const Scenario& scenario, const Run& run) {
    open_.erase(name);
    Scenario told = scenario;
    // As many steps as were taken.
    told.permutations = {{.steps = run.planned.steps, .position = {}}};
    report_.breaks.push_back(
        {.invariant = name, .run = report_.runs, .seconds = seconds(), .spec = to_spec(told)});
    if (broken_) broken_(report_.breaks.back());
  }

  const RandomTest& test_;
  const RandomOptions& options_;
  StoreServer& server_;
  const std::function<void(const RandomBreak&)>& broken_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  Names open_;
  RandomReport report_;
};

// Whether all invariants hold of the rows at the beginning.
Result<void> check_rows(const RandomScenarios& scenarios, const RandomTest& test,
                        const RandomOptions& options, StoreServer& server) {
  RandomNumbers random(options.seed);
  const RandomScenario drawn = scenarios.draw(random);
  auto runner = Runner::create(drawn.scenario, server, {.level = test.level});
  if (!runner) return runner.error();
  const auto nothing = (*runner)->run_serial({});
  if (!nothing) return nothing.error();
  const Names broken = broken_in(*nothing);
  if (broken.empty()) return {};
  return Diagnostic{.what = fmt::format("the rows break the invariant \"{}\"", *broken.begin()),
                    .what_to_do = "give rows of which all invariants hold",
                    .file = test.rows.file,
                    .position = {},
                    .trouble = Trouble::bad_input};
}

}  // namespace

Result<RandomReport> test_at_random(const RandomTest& test, const RandomOptions& options,
                                    const std::function<void(const RandomBreak&)>& broken) {
  const Result<Scenario> nothing =
      parse_scenario("session s\nstep s1 { SELECT 1; }\n", test.rows.file);
  auto server = open_stores(*nothing, test.on);
  if (!server) return server.error();
  auto rows = read_initial_rows(*test.program, test.on, test.rows);
  if (!rows) return rows.error();
  auto scenarios = RandomScenarios::create(test, *rows, options);
  if (!scenarios) return scenarios.error();
  if (auto hold = check_rows(*scenarios, test, options, **server); !hold) return hold.error();
  return RandomTester(test, options, **server, broken).test(*scenarios);
}

}  // namespace heddle::find
