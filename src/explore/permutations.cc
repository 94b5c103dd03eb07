// Files are cut into pieces of consecutive permutations; workers, each with a database of its own,
// take pieces in order, and the runs are handed out in order. A file is one piece unless its runs
// leave nothing behind in the sessions, in which case two workers may share it. A file that looks
// across databases runs while no other does; of those that use names which all databases of the
// server share, one runs at a time.
//
// Within a piece two lanes take turns, each with a database and sessions of its own: while the
// sessions of one permutation run in one lane, the other drops the tables of the permutation before
// and makes those of the next. Only one permutation's sessions run at a time, as in
// isolationtester. Making and dropping tables is about half of the time of most specs.
//
// A database and its sessions cost as much as a dozen permutations: a second lane and further
// workers begin when what is left, at the pace so far, is worth it.
#include "explore/permutations.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>
#include <utility>

#include "base/text.h"
#include "explore/cluster_state.h"
#include "heddle/statement.h"
#include "replay/isolationtester_runner.h"
#include "replay/observe/statement_effects.h"
#include "store/open/open.h"
#include "store/store.h"

namespace heddle {

namespace {

// Large enough that opening connections and the first setup are a small part of a piece.
constexpr std::size_t kPieceSize = 64;

// With fewer a second lane never pays.
constexpr std::size_t kFewestForTwoLanes = 6;

// Whoever helps saves half of what is left at most, and takes a database that must be removed
// again.
constexpr std::int64_t kWorthItFactor = 10;

// pg_regress's name, which some of PostgreSQL's own specs mention.
constexpr const char* kDatabase = "isolation_regression";

using Clock = std::chrono::steady_clock;

struct Piece {
  std::size_t file = 0;
  std::size_t first = 0;
  std::size_t count = 0;
  bool alone = false;         // nothing else may run meanwhile
  bool shares_names = false;  // nothing else that shares names may
  bool two_lanes = false;
  bool named = false;      // its database must have the name that the file mentions
  bool traceless = false;  // nothing of its steps keeps a database from being dropped
};

// Of a worker, made when first needed.
struct LaneDatabase {
  std::unique_ptr<StoreDatabase> database;
  bool is_wiped = true;
};
using LaneDatabases = std::array<LaneDatabase, 2>;

// What the work so far says about what is left of it.
class Pace {
 public:
  explicit Pace(bool is_eager) : is_eager_(is_eager) {}

  void opened(Clock::duration cost) {
    const std::lock_guard lock(mutex_);
    opening_ = std::max(opening_, cost);
  }
  void ran(Clock::duration permutation) {
    const std::lock_guard lock(mutex_);
    spent_ += permutation;
    ++runs_;
  }
  // Whether another database pays for so many permutations.
  bool pays_for(std::size_t left) const {
    if (is_eager_) return left > 0;
    const std::lock_guard lock(mutex_);
    constexpr std::int64_t kFewestRuns = 2;
    if (runs_ < kFewestRuns) return false;
    return spent_ / runs_ * static_cast<std::int64_t>(left) > opening_ * kWorthItFactor;
  }

 private:
  const bool is_eager_;
  mutable std::mutex mutex_;  // guards what follows
  Clock::duration opening_{};
  Clock::duration spent_{};
  std::int64_t runs_ = 0;
};

// Whose turn it is to run sessions, by permutation; also ends the wait of the other lane.
class Turns {
 public:
  // False when the piece has ended.
  bool await(std::size_t permutation) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ || turn_ == permutation; });
    return !ended_;
  }
  void pass() {
    const std::lock_guard lock(mutex_);
    ++turn_;
    changed_.notify_all();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t turn_ = 0;
  bool ended_ = false;
};

// A file whose sessions would know each other's traces stays in one piece.
bool is_traceless(const Scenario& scenario) {
  return std::all_of(scenario.steps.begin(), scenario.steps.end(), [](const Step& step) {
    auto statements = parse_statements(step.sql.text, Dialect::postgres);
    const bool temporary = to_lower(step.sql.text).find("temp") != std::string::npos;
    if (!statements || temporary) return false;
    return std::all_of(statements->begin(), statements->end(), [](const Statement& statement) {
      return !statement.calls_unknown_function && effects_of(statement.kind).clean_unless_temporary;
    });
  });
}

std::vector<Schedule> schedules_of(const Scenario& scenario) {
  std::vector<Schedule> schedules;
  for (const Permutation& permutation : scenario.permutations) {
    schedules.push_back(schedule_of(permutation));
  }
  if (!scenario.permutations.empty()) return schedules;
  for_each_permutation(scenario, [&](const Schedule& schedule) {
    schedules.push_back(schedule);
    return true;
  });
  return schedules;
}

std::string stem_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  const std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
  return name.substr(0, name.find('.'));
}

// The environment that isolationtester runs in. On a given server there is none; on a throwaway
// server, which only heddle sees, it is what pg_regress would have set. The user's own was taken
// away when the server was opened.
class Surroundings {
 public:
  // REQUIRES: no thread has been started; libpq reads these variables for every connection.
  explicit Surroundings(const StoreServer& server) : regress_(server.is_throwaway()) {
    if (!regress_) return;
    setenv("PGTZ", "PST8PDT", 0);
    setenv("PGDATESTYLE", "Postgres, MDY", 0);
  }

  std::string application(const Scenario& scenario) const {
    return regress_ ? "isolation/" + stem_of(scenario.file) : "";
  }

 private:
  bool regress_;
};

// What the workers share.
class PermutationPool {
 public:
  PermutationPool(const std::vector<Scenario>& scenarios, const PermutationOptions& options,
                  StoreServer& server, const RunReceiver& receive)
      : scenarios_(scenarios),
        options_(options),
        server_(server),
        receive_(receive),
        surroundings_(server),
        pace_(options.is_eager) {
    for (std::size_t file = 0; file < scenarios.size(); ++file) add_pieces(file);
    ended_ = std::vector<std::atomic<bool>>(scenarios.size());
  }

  Result<PermutationsReport> run() {
    report_.store = server_.description();
    std::vector<std::thread> threads;
    for (std::uint32_t i = 1; i < options_.jobs; ++i) {
      threads.emplace_back([this] {
        if (await_enough_work()) work();
      });
    }
    work();
    end_of_work();
    for (std::thread& thread : threads) thread.join();
    if (trouble_) return *trouble_;
    return report_;
  }

 private:
  void add_pieces(std::size_t file) {
    schedules_.push_back(schedules_of(scenarios_[file]));
    const std::size_t count = schedules_.back().size();
    const bool alone = looks_across_databases(scenarios_[file]);
    const bool named = mentions_word(scenarios_[file], kDatabase);
    const bool shares_names = named || uses_shared_names(scenarios_[file]);
    some_are_named_ = some_are_named_ || named;
    const bool traceless = is_traceless(scenarios_[file]);
    const bool cut =
        options_.jobs > 1 && !alone && !shares_names && count > kPieceSize && traceless;
    const std::size_t size = cut ? kPieceSize : count;
    const bool two_lanes =
        traceless && size >= kFewestForTwoLanes && can_prepare_ahead(scenarios_[file]);
    for (std::size_t first = 0; first < count; first += size) {
      pieces_.push_back({.file = file,
                         .first = first,
                         .count = std::min(size, count - first),
                         .alone = alone,
                         .shares_names = shares_names,
                         .two_lanes = two_lanes,
                         .named = named,
                         .traceless = traceless && !alone && !shares_names});
    }
  }

  void work() {
    LaneDatabases databases;
    while (!stopped_) {
      const std::size_t index = next_++;
      if (index >= pieces_.size()) return;
      const Piece& piece = pieces_[index];
      std::shared_lock together(alone_, std::defer_lock);
      std::unique_lock apart(alone_, std::defer_lock);
      std::unique_lock names(shared_names_, std::defer_lock);
      if (piece.shares_names) names.lock();
      piece.alone ? apart.lock() : together.lock();
      const bool elsewhere = piece.named && options_.jobs > 1;
      if (auto done = run_piece(index, elsewhere ? named_databases_ : databases); !done)
        return stop(done.error());
    }
  }

  // Whether there is so much left to begin that another worker pays; false: there will not be.
  bool await_enough_work() {
    std::unique_lock lock(mutex_);
    enough_.wait(lock, [this] { return is_over_ || stopped_ || pace_.pays_for(not_begun()); });
    return !is_over_ && !stopped_;
  }

  void end_of_work() {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    enough_.notify_all();
  }

  // Permutations of pieces that nobody has taken.
  std::size_t not_begun() const {
    std::size_t left = 0;
    for (std::size_t i = next_; i < pieces_.size(); ++i) left += pieces_[i].count;
    return left;
  }

  // One piece at work: lanes take its permutations in order.
  struct PieceRun {
    std::size_t index = 0;
    LaneDatabases& databases;
    std::atomic<std::size_t> next = 0;
    Turns turns = {};
    std::thread second = {};
  };

  Result<void> run_piece(std::size_t index, LaneDatabases& databases) {
    const Piece& piece = pieces_[index];
    PieceRun run{.index = index, .databases = databases};
    {
      auto runner = make_runner(piece, databases[0]);
      if (!runner) return runner.error();
      run_lane(run, **runner, piece.two_lanes);
      if (run.second.joinable()) run.second.join();
    }
    finish_piece(index);
    for (LaneDatabase& lane : databases) {
      // What a file may leave for others to see goes at once; tables may wait for the next file.
      if (piece.traceless || !lane.database || lane.is_wiped) continue;
      if (auto wiped = wipe(lane); !wiped) return wiped.error();
    }
    return {};
  }

  static Result<void> wipe(LaneDatabase& lane) {
    if (auto wiped = lane.database->wipe(); !wiped) return wiped.error();
    lane.is_wiped = true;
    return {};
  }

  Result<std::unique_ptr<IsolationtesterRunner>> make_runner(const Piece& piece,
                                                             LaneDatabase& lane) {
    const Clock::time_point begin = Clock::now();
    const bool is_new = !lane.database;
    if (is_new) {
      const bool preferred = piece.named || !some_are_named_ || options_.jobs == 1;
      auto made = server_.create_database(preferred ? kDatabase : "");
      if (!made) return made.error();
      lane.database = std::move(*made);
    }
    if (!lane.is_wiped) {
      if (auto wiped = wipe(lane); !wiped) return wiped.error();
    }
    lane.is_wiped = false;
    const Scenario& scenario = scenarios_[piece.file];
    auto runner = IsolationtesterRunner::create(
        scenario, *lane.database, surroundings_.application(scenario), options_.step_timeout_ms);
    if (is_new) pace_.opened(Clock::now() - begin);
    return runner;
  }

  void run_second_lane(PieceRun& run) {
    auto runner = make_runner(pieces_[run.index], run.databases[1]);
    if (!runner) {
      stop(runner.error());
      return run.turns.end();
    }
    run_lane(run, **runner, false);
  }

  // The permutations of the piece that no other lane takes.
  void run_lane(PieceRun& run, IsolationtesterRunner& runner, bool may_get_help) {
    const Piece& piece = pieces_[run.index];
    for (std::size_t i = run.next++; i < piece.count; i = run.next++) {
      if (may_get_help && !run.second.joinable() && pace_.pays_for(piece.count - i)) {
        run.second = std::thread([this, &run] { run_second_lane(run); });
      }
      const Clock::time_point begin = Clock::now();
      if (!run_permutation(run, i, runner)) return;
      pace_.ran(Clock::now() - begin);
    }
  }

  // Whether the piece goes on.
  bool run_permutation(PieceRun& of, std::size_t i, IsolationtesterRunner& runner) {
    const Piece& piece = pieces_[of.index];
    Run run = runner.set_up(schedules_[piece.file][piece.first + i]);
    if (!of.turns.await(i)) return false;
    if (stopped_ || ended_[piece.file]) {
      of.turns.end();
      return false;
    }
    if (run.end == RunEnd::complete) runner.run_sessions(run);
    const bool goes_on = run.end == RunEnd::complete;
    if (goes_on) {
      of.turns.pass();
      runner.tear_down(run);
    } else {
      ended_[piece.file] = true;
      of.turns.end();
    }
    hand_out(of.index, i, std::move(run));
    return goes_on;
  }

  // Runs go out in order, as soon as all before them have.
  void hand_out(std::size_t piece, std::size_t permutation, Run run) {
    const std::lock_guard lock(mutex_);
    kept_[piece].emplace(permutation, std::move(run));
    deliver_ready();
    enough_.notify_all();
  }

  void finish_piece(std::size_t index) {
    const std::lock_guard lock(mutex_);
    finished_[index] = true;
    deliver_ready();
  }

  // REQUIRES: mutex_ held.
  void deliver_ready() {
    while (turn_ < pieces_.size()) {
      std::map<std::size_t, Run>& runs = kept_[turn_];
      while (!runs.empty() && (runs.begin()->first == delivered_ || finished_[turn_])) {
        deliver(pieces_[turn_].file, runs.begin()->second);
        runs.erase(runs.begin());
        ++delivered_;
      }
      if (!finished_[turn_]) return;
      kept_.erase(turn_++);
      delivered_ = 0;
    }
  }

  // REQUIRES: mutex_ held. Nothing of a file is shown after the run that ended it, and nothing at
  // all once the receiver has had enough.
  void deliver(std::size_t file, const Run& run) {
    if (shown_end_[file] || refused_) return;
    if (!receive_(file, run)) stopped_ = refused_ = true;
    if (run.end == RunEnd::complete) return;
    shown_end_[file] = true;
    report_.timed_out = report_.timed_out || run.end == RunEnd::timed_out;
    report_.failed = report_.failed || run.end != RunEnd::timed_out;
    if (run.end == RunEnd::interrupted) stopped_ = true;
  }

  void stop(const Diagnostic& diagnostic) {
    const std::lock_guard lock(mutex_);
    if (!trouble_) trouble_ = diagnostic;
    stopped_ = true;
    enough_.notify_all();
  }

  const std::vector<Scenario>& scenarios_;
  const PermutationOptions& options_;
  StoreServer& server_;
  const RunReceiver& receive_;
  Surroundings surroundings_;
  std::vector<std::vector<Schedule>> schedules_;
  std::vector<Piece> pieces_;
  std::vector<std::atomic<bool>> ended_;
  std::shared_mutex alone_;
  std::mutex shared_names_;  // taken before alone_
  bool some_are_named_ = false;
  LaneDatabases named_databases_;  // of the named pieces where there are several workers; guarded
                                   // by shared_names_
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  Pace pace_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable enough_;
  bool is_over_ = false;
  std::size_t turn_ = 0;                                    // the piece whose runs go out
  std::size_t delivered_ = 0;                               // of that piece
  std::map<std::size_t, std::map<std::size_t, Run>> kept_;  // piece -> permutation -> run
  std::map<std::size_t, bool> finished_;
  std::map<std::size_t, bool> shown_end_;
  bool refused_ = false;  // the receiver wants no more
  std::optional<Diagnostic> trouble_;
  PermutationsReport report_;
};

// The one store that all files are for.
Result<std::shared_ptr<StoreServer>> open_common_store(const std::vector<Scenario>& scenarios,
                                                       const StoreAddresses& on) {
  for (const Scenario& scenario : scenarios) {
    const bool is_other = on.texts.empty() && !scenario.stores.empty() &&
                          (scenarios.front().stores.empty() ||
                           scenario.stores.front().kind != scenarios.front().stores.front().kind);
    if (scenario.stores.size() < 2 && !is_other) continue;
    return Diagnostic{.what = "isolationtester knows one store, the same for all files",
                      .what_to_do = is_other ? "say which with --on" : "use another --format",
                      .file = scenario.file,
                      .position = scenario.stores.back().position,
                      .trouble = Trouble::bad_input};
  }
  return open_stores(scenarios.front(), on);
}

}  // namespace

Result<PermutationsReport> run_permutations(const std::vector<Scenario>& scenarios,
                                            const PermutationOptions& options,
                                            const RunReceiver& receive) {
  auto server = open_common_store(scenarios, options.on);
  if (!server) return server.error();
  return PermutationPool(scenarios, options, **server, receive).run();
}

}  // namespace heddle
