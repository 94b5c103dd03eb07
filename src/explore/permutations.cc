// Files are cut into pieces of consecutive permutations; workers, each with a database of its own,
// take pieces in order, and the runs are handed out in order. A file is one piece unless its runs
// leave nothing behind in the sessions, in which case two workers may share it. A file that touches
// what all databases of the server share runs while no other does.
#include "explore/permutations.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>
#include <utility>

#include "explore/cluster_state.h"
#include "heddle/statement.h"
#include "replay/isolationtester_runner.h"
#include "store/store.h"

namespace heddle {

namespace {

// Large enough that opening connections and the first setup are a small part of a piece.
constexpr std::size_t kPieceSize = 64;

// pg_regress's name, which some of PostgreSQL's own specs mention.
constexpr const char* kDatabase = "isolation_regression";

struct Piece {
  std::size_t file = 0;
  std::size_t first = 0;
  std::size_t count = 0;
  bool alone = false;
};

// Statements after which a session is as before once its transaction is over; SET is undone by the
// end of the session only, so a file with one stays in one piece.
constexpr std::array kTracelessStatements = {
    StatementKind::select,    StatementKind::insert,     StatementKind::update,
    StatementKind::delete_,   StatementKind::merge,      StatementKind::truncate,
    StatementKind::begin,     StatementKind::commit,     StatementKind::rollback,
    StatementKind::savepoint, StatementKind::lock_table,
};

bool is_traceless(const Scenario& scenario) {
  return std::all_of(scenario.steps.begin(), scenario.steps.end(), [](const Step& step) {
    auto statements = parse_statements(step.sql.text, Dialect::postgres);
    if (!statements) return false;
    return std::all_of(statements->begin(), statements->end(), [](const Statement& statement) {
      return !statement.calls_unknown_function &&
             std::find(kTracelessStatements.begin(), kTracelessStatements.end(), statement.kind) !=
                 kTracelessStatements.end();
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

// The environment that isolationtester runs in. On a given server it is ours, unchanged; on a
// throwaway server, which only heddle sees, what pg_regress would have set is added.
struct Surroundings {
  bool regress = false;

  std::string application(const Scenario& scenario) const {
    if (const char* name = std::getenv("PGAPPNAME")) return name;
    return regress ? "isolation/" + stem_of(scenario.file) : "";
  }

  std::vector<std::string> settings() const {
    std::vector<std::string> settings;
    if (regress && std::getenv("PGDATESTYLE") == nullptr) {
      settings.emplace_back("DateStyle=Postgres, MDY");
    }
    if (regress && std::getenv("PGTZ") == nullptr) settings.emplace_back("TimeZone=PST8PDT");
    return settings;
  }
};

// What the workers share.
class PermutationPool {
 public:
  PermutationPool(const std::vector<Scenario>& scenarios, const PermutationOptions& options,
                  StoreServer& server, const RunReceiver& receive)
      : scenarios_(scenarios), options_(options), server_(server), receive_(receive) {
    surroundings_.regress = server.is_throwaway();
    for (std::size_t file = 0; file < scenarios.size(); ++file) add_pieces(file);
    ended_ = std::vector<std::atomic<bool>>(scenarios.size());
  }

  Result<PermutationsReport> run() {
    report_.store = server_.description();
    std::vector<std::thread> threads;
    for (std::uint32_t i = 1; i < options_.jobs; ++i) threads.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : threads) thread.join();
    if (trouble_) return *trouble_;
    return report_;
  }

 private:
  void add_pieces(std::size_t file) {
    schedules_.push_back(schedules_of(scenarios_[file]));
    const std::size_t count = schedules_.back().size();
    const bool alone = options_.jobs > 1 && touches_cluster_state(scenarios_[file]);
    const bool cut =
        options_.jobs > 1 && !alone && count > kPieceSize && is_traceless(scenarios_[file]);
    const std::size_t size = cut ? kPieceSize : count;
    for (std::size_t first = 0; first < count; first += size) {
      pieces_.push_back({file, first, std::min(size, count - first), alone});
    }
  }

  void work() {
    auto database = server_.create_database(kDatabase);
    if (!database) return stop(database.error());
    while (!stopped_) {
      const std::size_t index = next_++;
      if (index >= pieces_.size()) return;
      const Piece& piece = pieces_[index];
      std::shared_lock together(alone_, std::defer_lock);
      std::unique_lock apart(alone_, std::defer_lock);
      piece.alone ? apart.lock() : together.lock();
      run_piece(index, **database);
      if (auto wiped = (*database)->wipe(); !wiped) return stop(wiped.error());
    }
  }

  void run_piece(std::size_t index, StoreDatabase& database) {
    const Piece& piece = pieces_[index];
    const Scenario& scenario = scenarios_[piece.file];
    auto runner =
        IsolationtesterRunner::create(scenario, database, surroundings_.application(scenario),
                                      surroundings_.settings(), options_.step_timeout_ms);
    if (!runner) return stop(runner.error());
    for (std::size_t i = 0; i < piece.count && !stopped_ && !ended_[piece.file]; ++i) {
      Run run = (*runner)->run(schedules_[piece.file][piece.first + i]);
      const RunEnd end = run.end;
      hand_out(index, std::move(run));
      if (end != RunEnd::complete) {
        ended_[piece.file] = true;
        break;
      }
    }
    finish_piece(index);
  }

  // Runs of the piece whose turn it is go out at once, those of later pieces are kept.
  void hand_out(std::size_t index, Run run) {
    const std::lock_guard lock(mutex_);
    if (index == turn_) {
      deliver(pieces_[index].file, run);
    } else {
      kept_[index].push_back(std::move(run));
    }
  }

  void finish_piece(std::size_t index) {
    const std::lock_guard lock(mutex_);
    finished_[index] = true;
    while (turn_ < pieces_.size() && finished_[turn_]) {
      ++turn_;
      for (const Run& run : kept_[turn_]) deliver(pieces_[turn_].file, run);
      kept_.erase(turn_);
    }
  }

  // REQUIRES: mutex_ held. Nothing of a file is shown after the run that ended it.
  void deliver(std::size_t file, const Run& run) {
    if (shown_end_[file]) return;
    receive_(file, run);
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
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;  // guards what follows
  std::size_t turn_ = 0;
  std::map<std::size_t, std::vector<Run>> kept_;
  std::map<std::size_t, bool> finished_;
  std::map<std::size_t, bool> shown_end_;
  std::optional<Diagnostic> trouble_;
  PermutationsReport report_;
};

}  // namespace

Result<PermutationsReport> run_permutations(const std::vector<Scenario>& scenarios,
                                            const PermutationOptions& options,
                                            const RunReceiver& receive) {
  auto server = open_server(options.on);
  if (!server) return server.error();
  return PermutationPool(scenarios, options, **server, receive).run();
}

}  // namespace heddle
