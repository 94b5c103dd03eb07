#include "record/check/check_system.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "format/trace/trace_lines.h"
#include "record/check/check_problems.h"
#include "record/check/direct_connections.h"
#include "record/check/store_check.h"
#include "record/check/trace_check.h"
#include "record/http_question.h"
#include "record/lines/line_file_reader.h"
#include "record/system_edges.h"
#include "throwaway/directory.h"
#include "throwaway/guard.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks{100};
constexpr std::chrono::seconds kAnswerPatience{5};
constexpr std::size_t kPartBytes = std::size_t{8} << 20;

// The trace part by part, each with the head in front.
Result<void> read_trace(const std::string& file, TraceCheck& check) {
  auto reader = LineFileReader::open(file);
  if (!reader) return reader.error();
  auto line = reader->next();
  if (!line) return line.error();
  const std::string head = line->value_or("") + "\n";
  std::string part = head;
  while (true) {
    line = reader->next();
    if (!line) return line.error();
    if (*line) part += **line + "\n";
    if (*line && part.size() < kPartBytes) continue;
    const auto trace = parse_trace(part, file);
    if (!trace) return trace.error();
    check.add(*trace);
    if (!*line) return {};
    part = head;
  }
}

class SystemCheck {
 public:
  SystemCheck(const Config& config, RecordOptions options)
      : config_(config),
        options_(std::move(options)),
        stores_(config.system),
        direct_(config.system) {}

  Result<RecordCheck> run() {
    check_.file = config_.file;
    check_.has_command = !options_.command.empty();
    if (auto guarded = guard_start(); !guarded) return guarded.error();
    auto directory = ThrowawayDirectory::create(throwaway_roots(), std::nullopt);
    if (!directory) return directory.error();
    options_.trace = (*directory)->path() + "/trace.jsonl.zst";
    options_.max_rows = 0;
    options_.meanwhile = [this] { look_sometimes(); };
    auto opened = Recording::open(config_, options_);
    if (!opened) return opened.error();
    recording_ = std::move(*opened);
    if (auto watched = watch(); !watched) return watched.error();
    return conclude();
  }

 private:
  // From the start of the system to its end.
  Result<void> watch() {
    const auto begun = recording_->begin();
    if (!begun && (!recording_->has_system() || interrupted())) return begun.error();
    if (!begun) check_.not_healthy = begun.error().what;
    stores_.look(recording_->recorder());
    find_silent();
    Result<ProcessOutcome> outcome = ProcessOutcome{};
    if (begun) outcome = use();
    if (!outcome) return outcome.error();
    stores_.finish_looking(recording_->recorder());
    is_stopped_ = recording_->has_started_system();
    return recording_->end(outcome);
  }

  Result<ProcessOutcome> use() {
    for (const Setting& each : config_.system.health) ask_through_edge(each.text);
    for (const ServiceSettings& service : config_.system.services) {
      for (const Setting& each : service.health) ask_through_edge(each.text);
    }
    if (!check_.has_command) return ProcessOutcome{};
    const auto outcome = recording_->run();
    if (outcome && !outcome->succeeded()) {
      command_end_ =
          outcome->signal != 0
              ? fmt::format("the command was ended by signal {}", outcome->signal)
              : fmt::format("the command has ended with exit code {}", outcome->exit_code);
    }
    return outcome;
  }

  // The health check once more, by the outer edge of the service that it asks, to be seen there.
  void ask_through_edge(const std::string& url) {
    const std::string server = server_part(url);
    if (!url.starts_with("http://")) return;
    for (std::size_t i = 0; i < config_.system.edges.size(); ++i) {
      if (!config_.system.edges[i].is_outer) continue;
      const auto names = server_names(server_part(callee_address(i).text));
      if (std::ranges::find(names, server) == names.end()) continue;
      const std::size_t path = url.find('/', url.find("://") + 3);
      static_cast<void>(answers_well(
          "http://" + recording_->addresses()[i] + (path == url.npos ? "/" : url.substr(path)),
          Clock::now() + kAnswerPatience));
      return;
    }
  }

  const Setting& callee_address(std::size_t edge) const {
    const std::string& callee = config_.system.edges[edge].callee.front().text;
    for (const StoreSettings& store : config_.system.stores) {
      if (store.name.text == callee) return store.address.front();
    }
    std::size_t i = 0;
    while (config_.system.services[i].name.text != callee) ++i;
    return config_.system.services[i].address.front();
  }

  void find_silent() {
    for (std::size_t i = 0; i < config_.system.edges.size(); ++i) {
      const std::string& callee = config_.system.edges[i].callee.front().text;
      if (std::ranges::find(check_.silent, callee) != check_.silent.end()) continue;
      const auto listens =
          accepts_connections(callee_address(i).text, Clock::now() + kAnswerPatience);
      if (!listens || !*listens) check_.silent.push_back(callee);
    }
  }

  void look_sometimes() {
    if (Clock::now() - last_look_ < kBetweenLooks) return;
    stores_.look(recording_->recorder());
    direct_.look();
    last_look_ = Clock::now();
  }

  Result<RecordCheck> conclude() {
    stores_.measure_clones(is_stopped_);
    check_.stores = stores_.take();
    check_.called_directly = {direct_.services().begin(), direct_.services().end()};
    const RecordCounts counts = recording_->recorder().counts();
    TraceCheck trace(config_.system, trace_edges(config_.system));
    if (auto read = read_trace(options_.trace, trace); !read) return read.error();
    trace.finish(check_);
    for (std::size_t i = 0; i < check_.edges.size(); ++i) {
      check_.edges[i].most_connections = counts.most_open[i];
    }
    if (!command_end_.empty()) check_.remarks.push_back(command_end_);
    check_.problems = find_problems(config_, check_);
    return std::move(check_);
  }

  const Config& config_;
  RecordOptions options_;
  StoreChecks stores_;
  DirectConnections direct_;
  RecordCheck check_;
  std::unique_ptr<Recording> recording_;
  Clock::time_point last_look_ = {};
  std::string command_end_;
  bool is_stopped_ = false;
};

}  // namespace

Result<RecordCheck> check_system(const Config& config, RecordOptions options) {
  return SystemCheck(config, std::move(options)).run();
}

}  // namespace heddle
