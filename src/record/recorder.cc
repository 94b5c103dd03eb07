#include "record/recorder.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "base/path_pattern.h"
#include "base/text.h"
#include "format/trace/trace_lines.h"
#include "record/passed_units.h"
#include "wire/postgres/messages.h"
#include "wire/postgres/statement_essence.h"

namespace heddle {
namespace {

// What may wait before the proxies do.
constexpr std::size_t kMostQueued = std::size_t{64} << 20;
// The recorder is woken for the first event, and then looks again after a while, so that a busy
// client does not wake it for each.
constexpr std::chrono::milliseconds kGathering{5};
constexpr std::size_t kWakeAt = 512;
constexpr std::size_t kEventBytes = 200;
// How long, and how much, waits for requests that are open.
constexpr std::chrono::seconds kLongestWait{10};
constexpr std::size_t kMostWaiting = std::size_t{32} << 20;
// Of so many connections that were closed the servers' numbers are known.
constexpr std::size_t kMostClosed = 1000;
// Of so many that were let in it is known when they were opened.
constexpr std::size_t kMostDatedSessions = 1000;

// The database that the client names; none is called as its user is.
std::string named_database(const std::map<std::string, std::string>& parameters) {
  for (const char* name : {"database", "user"}) {
    const auto found = parameters.find(name);
    if (found != parameters.end() && !found->second.empty()) return found->second;
  }
  return "";
}

std::size_t bytes_of(const postgres::WireUnit& unit) {
  std::size_t bytes = kEventBytes + unit.text->size();
  for (const postgres::WireParameter& each : unit.parameters) {
    bytes += sizeof each + (each.value ? each.value->size() : 0);
  }
  for (const postgres::WireResult& each : unit.results) bytes += sizeof each + each.kept_bytes;
  return bytes;
}

std::string_view without_end(std::string_view line) { return line.substr(0, line.size() - 1); }

}  // namespace

Recorder::Recorder(LineFileWriter file, TraceHead head, Redactor redactor, std::size_t most_body)
    : file_(std::move(file)),
      head_(std::move(head)),
      redactor_(std::move(redactor)),
      most_body_(most_body),
      flows_(head_.edges),
      begun_(std::chrono::steady_clock::now()) {
  counts_.units.resize(head_.edges.size());
  counts_.named_traces.resize(head_.edges.size());
  counts_.most_open.resize(head_.edges.size());
  open_.resize(head_.edges.size());
  sessions_.resize(head_.edges.size());
}

Result<std::unique_ptr<Recorder>> Recorder::start(LineFileWriter file, TraceHead head,
                                                  Redactor redactor, std::size_t most_body) {
  const auto now = std::chrono::steady_clock::now();
  if (auto written = file.add(without_end(trace_line(head)), now); !written) return written.error();
  if (auto written = file.finish(); !written) return written.error();
  std::unique_ptr<Recorder> recorder(
      new Recorder(std::move(file), std::move(head), std::move(redactor), most_body));
  recorder->thread_ = std::thread([self = recorder.get()] { self->run(); });
  return recorder;
}

Recorder::~Recorder() {
  {
    const std::scoped_lock lock(queue_mutex_);
    is_ended_ = true;
  }
  is_filled_.notify_all();
  thread_.join();
}

void Recorder::push(Event event, std::size_t size) {
  std::unique_lock lock(queue_mutex_);
  is_taken_.wait(lock, [&] { return queued_bytes_ < kMostQueued || is_ended_; });
  queue_.push_back(std::move(event));
  queued_bytes_ += size;
  ++pushed_;
  const bool wakes = is_waiting_ || queue_.size() == kWakeAt;
  is_waiting_ = false;
  lock.unlock();
  if (wakes) is_filled_.notify_all();
}

void Recorder::run() {
  std::unique_lock lock(queue_mutex_);
  while (true) {
    if (queue_.empty()) {
      if (is_ended_) return;
      is_waiting_ = true;
      wait_for_event(lock);
      is_waiting_ = false;
    }
    if (!is_ended_) {
      is_filled_.wait_for(lock, kGathering, [&] { return queue_.size() >= kWakeAt || is_ended_; });
    }
    std::vector<Event> events = std::exchange(queue_, {});
    queued_bytes_ = 0;
    const std::uint64_t pushed = pushed_;
    lock.unlock();
    is_taken_.notify_all();
    take(std::move(events));
    lock.lock();
    taken_ = pushed;
    is_taken_.notify_all();
  }
}

// Until there is one; meanwhile what the file holds back is written in time.
void Recorder::wait_for_event(std::unique_lock<std::mutex>& lock) {
  const auto has_come = [this] { return !queue_.empty() || is_ended_; };
  while (!has_come()) {
    const auto due = file_.due();
    if (!due) {
      is_filled_.wait(lock, has_come);
    } else if (!is_filled_.wait_until(lock, *due, has_come)) {
      lock.unlock();
      take({});
      lock.lock();
    }
  }
}

void Recorder::take(std::vector<Event> events) {
  const std::scoped_lock lock(state_mutex_);
  for (Event& event : events) {
    std::visit([this](auto& each) { handle(each); }, event);
  }
  write_lines(false);
  if (trouble_) return;
  if (auto written = file_.write_due(std::chrono::steady_clock::now()); !written) {
    trouble_ = written.error();
  }
}

// All that the proxies have told before has been taken.
void Recorder::wait_until_taken() {
  std::unique_lock lock(queue_mutex_);
  // Others may come all the time.
  is_taken_.wait(lock, [this, pushed = pushed_] { return taken_ >= pushed; });
}

void Recorder::begin_listening() {
  wait_until_taken();
  const std::scoped_lock lock(state_mutex_);
  flows_.begin_listening(FlowTracker::Time::clock::now());
}

void Recorder::end_listening() {
  wait_until_taken();
  const std::scoped_lock lock(state_mutex_);
  flows_.end_listening(FlowTracker::Time::clock::now());
}

void Recorder::begin_serial() {
  const std::scoped_lock lock(state_mutex_);
  flows_.serial_begins();
}

bool Recorder::is_at_rest(std::chrono::milliseconds quiet) {
  wait_until_taken();
  const std::scoped_lock lock(state_mutex_);
  return flows_.is_at_rest(std::chrono::steady_clock::now(), quiet);
}

RecordCounts Recorder::counts() {
  const std::scoped_lock lock(state_mutex_);
  RecordCounts counts = counts_;
  counts.flows = flows_.flows();
  return counts;
}

std::set<std::uint32_t> Recorder::backends(std::size_t edge) {
  wait_until_taken();
  const std::scoped_lock lock(state_mutex_);
  std::set<std::uint32_t> backends;
  for (const auto& [number, connection] : connections_) {
    if (connection.told.edge == edge) backends.insert(connection.told.backend);
  }
  for (const auto& [where, backend] : closed_backends_) {
    if (where == edge) backends.insert(backend);
  }
  return backends;
}

ProxiedSessions Recorder::sessions(std::size_t edge, const std::optional<std::string>& database,
                                   ProxyTime until) {
  wait_until_taken();
  const std::scoped_lock lock(state_mutex_);
  ProxiedSessions sessions;
  const TraceTime last = time(until);
  for (const auto& [name, begun] : sessions_[edge]) {
    if (database && name != *database) continue;
    sessions.begun += begun.older;
    for (const TraceTime opened : begun.latest) sessions.begun += opened <= last ? 1 : 0;
  }
  for (const auto& [number, connection] : connections_) {
    const TraceConnection& told = connection.told;
    if (told.edge == edge && told.backend == 0 && told.opened <= last) ++sessions.pending;
  }
  return sessions;
}

std::vector<TraceBackground> Recorder::background() {
  const std::scoped_lock lock(state_mutex_);
  return flows_.background();
}

std::vector<std::string> Recorder::remarks() {
  wait_until_taken();
  const std::scoped_lock lock(state_mutex_);
  return remarks_;
}

std::optional<Diagnostic> Recorder::trouble() {
  const std::scoped_lock lock(state_mutex_);
  return trouble_;
}

void Recorder::add_catalogue(const TraceCatalogue& catalogue) {
  const std::scoped_lock lock(state_mutex_);
  write(trace_line(catalogue));
}

void Recorder::add_remark(std::string text) {
  const std::scoped_lock lock(state_mutex_);
  write(trace_remark_line(text));
  remarks_.push_back(std::move(text));
}

Result<void> Recorder::finish(TraceEnd end) {
  wait_until_taken();
  const std::scoped_lock lock(state_mutex_);
  while (!waiting_.empty()) write_waiting(waiting_.begin()->first);
  write_lines(true);
  for (const TraceBackground& each : flows_.background()) write(trace_line(each));
  end.units = next_unit_ - 1;
  end.unsure = counts_.unsure;
  write(trace_line(end));
  if (!trouble_) {
    if (auto written = file_.finish(); !written) trouble_ = written.error();
  }
  is_finished_ = true;
  return trouble_ ? Result<void>(*trouble_) : Result<void>();
}

void Recorder::write(std::string_view line) {
  if (trouble_ || is_finished_) return;
  const auto now = std::chrono::steady_clock::now();
  if (auto written = file_.add(without_end(line), now); !written) trouble_ = written.error();
}

TraceTime Recorder::time(ProxyTime at) const {
  return static_cast<TraceTime>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::max(at, begun_) - begun_).count());
}

std::optional<TraceTime> Recorder::time(std::optional<ProxyTime> at) const {
  return at ? std::optional(time(*at)) : std::nullopt;
}

void Recorder::connection_opened(ProxiedConnection connection, ProxyTime at) {
  push(Opened{connection, at}, kEventBytes);
}

void Recorder::connection_named(ProxiedConnection connection,
                                const std::map<std::string, std::string>& parameters) {
  push(Named{connection, parameters}, kEventBytes);
}

void Recorder::connection_numbered(ProxiedConnection connection, std::uint32_t backend) {
  push(Numbered{connection, backend}, kEventBytes);
}

void Recorder::client_left(ProxiedConnection connection) { push(Left{connection}, kEventBytes); }

void Recorder::connection_closed(ProxiedConnection connection, ProxyTime) {
  push(Closed{connection}, kEventBytes);
}

void Recorder::statement_arrived(ProxiedConnection connection, const postgres::WireUnit& unit,
                                 ProxyTime at) {
  push(StatementArrived{connection, unit.ordinal, unit.text, at}, kEventBytes);
}

void Recorder::statement_answered(ProxiedConnection connection, postgres::WireUnit unit,
                                  UnitTimes times) {
  const std::size_t bytes = bytes_of(unit);
  push(StatementAnswered{connection, std::move(unit), times}, bytes);
}

void Recorder::request_arrived(ProxiedConnection connection, std::uint64_t ordinal,
                               const HttpHead& head, const std::string& trace, ProxyTime at) {
  const std::string path = head.target.substr(0, head.target.find('?'));
  push(RequestArrived{connection, ordinal, head.method + " " + path, trace, at}, kEventBytes);
}

void Recorder::request_exempt(ProxiedConnection connection, std::uint64_t ordinal) {
  push(RequestExempt{connection, ordinal}, kEventBytes);
}

void Recorder::request_answered(ProxiedConnection connection, HttpExchange exchange) {
  const std::size_t bytes =
      kEventBytes + exchange.body.bytes.size() + exchange.response_body.bytes.size();
  push(RequestAnswered{connection, std::move(exchange)}, bytes);
}

void Recorder::remark(std::size_t edge, std::string text) {
  push(Remark{edge, std::move(text)}, kEventBytes);
}

void Recorder::handle(Opened& event) {
  Connection& connection = connections_[event.connection.number];
  const std::size_t edge = event.connection.edge;
  connection.told = {.number = event.connection.number, .edge = edge, .opened = time(event.at)};
  counts_.most_open[edge] = std::max(counts_.most_open[edge], ++open_[edge]);
}

void Recorder::count_session(const TraceConnection& connection) {
  BegunSessions& sessions = sessions_[connection.edge][named_database(connection.parameters)];
  sessions.latest.push_back(connection.opened);
  if (sessions.latest.size() <= kMostDatedSessions) return;
  sessions.latest.pop_front();
  ++sessions.older;
}

void Recorder::handle(Named& event) {
  Connection& connection = connections_[event.connection.number];
  const auto options = event.parameters.find("options");
  if (options != event.parameters.end()) connection.levels.begin(options->second);
  connection.told.parameters = std::move(event.parameters);
}

void Recorder::handle(Numbered& event) {
  Connection& connection = connections_[event.connection.number];
  connection.told.backend = event.backend;
  if (!postgres::is_replication({.parameters = connection.told.parameters})) {
    count_session(connection.told);
  }
  add_line(trace_line(connection.told));
}

// The client may open its next one before the server has ended this one.
void Recorder::handle(Left& event) {
  const auto found = connections_.find(event.connection.number);
  if (found == connections_.end() || std::exchange(found->second.has_left, true)) return;
  --open_[event.connection.edge];
}

void Recorder::handle(Closed& event) {
  flows_.connection_closed(event.connection.number);
  write_decided();
  const auto found = connections_.find(event.connection.number);
  if (found == connections_.end()) return;
  if (!found->second.has_left) --open_[event.connection.edge];
  if (found->second.told.backend != 0) {
    closed_backends_.emplace_back(event.connection.edge, found->second.told.backend);
    if (closed_backends_.size() > kMostClosed) closed_backends_.pop_front();
  }
  connections_.erase(found);
}

Recorder::Unit Recorder::take_unit(UnitName name) {
  const auto found = units_.find(name);
  if (found == units_.end()) return {.number = next_unit_++, .flow = std::nullopt};
  const Unit unit = std::move(found->second);
  units_.erase(found);
  return unit;
}

void Recorder::count_flow(const TraceFlow& flow) {
  if (flow.evidence == FlowEvidence::unsure) ++counts_.unsure;
  if (flow.evidence == FlowEvidence::background) ++counts_.background;
}

void Recorder::handle(StatementArrived& event) {
  const UnitName name{event.connection.number, event.ordinal};
  Connection& connection = connections_[name.connection];
  if (TransactionLevels::may_concern(*event.text)) {
    connection.levels.statement(postgres::statement_essence(*event.text, {}));
  }
  ++counts_.statements;
  ++counts_.units[event.connection.edge];
  units_[name] = {
      .number = next_unit_++,
      .flow = flows_.statement_arrived(event.connection.edge, name, *event.text, event.at)};
  write_decided();
}

void Recorder::handle(StatementAnswered& event) {
  const UnitName name{event.connection.number, event.unit.ordinal};
  Unit unit = take_unit(name);
  TraceStatement statement = make_statement(event, unit);
  flows_.statement_ended(event.connection.edge, name, event.unit.status_after,
                         event.times.answered.value_or(event.times.arrived),
                         answer_hash(event.unit));
  if (unit.flow) {
    add_line(std::move(statement));
  } else {
    waiting_[name] = std::move(statement);
  }
  write_decided();
}

TraceStatement Recorder::make_statement(const StatementAnswered& event, Unit unit) {
  Connection& connection = connections_[event.connection.number];
  TraceStatement statement = trace_statement(event.unit);
  statement.unit = unit.number;
  statement.edge = event.connection.edge;
  statement.connection = event.connection.number;
  if (unit.flow) statement.flow = *unit.flow;
  statement.arrived = time(event.times.arrived);
  statement.permitted = time(event.times.permitted);
  statement.answered = time(event.times.answered);
  statement.level = connection.levels.level();
  if (!connection.is_in_transaction) ++connection.transaction;
  statement.transaction = connection.transaction;
  connection.is_in_transaction = event.unit.status_after == 'T' || event.unit.status_after == 'E';
  if (!connection.is_in_transaction) connection.levels.end();
  return statement;
}

void Recorder::add_line(TraceStatement statement) {
  count_flow(statement.flow);
  redactor_.redact(statement);
  const std::size_t size = kEventBytes + statement.text.size();
  lines_.push_back({.at = std::chrono::steady_clock::now(),
                    .known = redactor_.known(),
                    .size = size,
                    .content = std::move(statement)});
  waiting_bytes_ += size;
}

void Recorder::add_line(PlacedExchange request) {
  count_flow(request.place.flow);
  redactor_.redact(request.exchange);
  const std::size_t size = kEventBytes + request.exchange.body.bytes.size() +
                           request.exchange.response_body.bytes.size();
  lines_.push_back({.at = std::chrono::steady_clock::now(),
                    .known = redactor_.known(),
                    .size = size,
                    .content = std::move(request)});
  waiting_bytes_ += size;
}

void Recorder::add_line(std::string line) {
  const std::size_t size = kEventBytes + line.size();
  lines_.push_back(
      {.at = std::chrono::steady_clock::now(), .size = size, .content = std::move(line)});
  waiting_bytes_ += size;
}

void Recorder::write_line(Line& line) {
  if (const auto* const text = std::get_if<std::string>(&line.content)) {
    write(*text);
    return;
  }
  const bool has_news = line.known != redactor_.known();
  if (auto* const statement = std::get_if<TraceStatement>(&line.content)) {
    if (has_news) redactor_.redact(*statement);
    write(trace_line(*statement));
    return;
  }
  auto& request = *std::get_if<PlacedExchange>(&line.content);
  if (has_news) redactor_.redact(request.exchange);
  for (PassedBody* const body : {&request.exchange.body, &request.exchange.response_body}) {
    if (body->bytes.size() <= most_body_) continue;
    body->bytes.resize(most_body_);
    body->is_whole = false;
  }
  write(trace_line(trace_request(std::move(request.place), request.exchange)));
}

void Recorder::write_lines(bool all) {
  ProxyTime oldest = ProxyTime::max();
  for (const auto& [name, arrived] : outer_) oldest = std::min(oldest, arrived);
  const ProxyTime too_old = std::chrono::steady_clock::now() - kLongestWait;
  while (!lines_.empty()) {
    Line& line = lines_.front();
    const bool waits = line.at >= oldest && line.at > too_old && waiting_bytes_ < kMostWaiting;
    if (waits && !all) return;
    write_line(line);
    waiting_bytes_ -= line.size;
    lines_.pop_front();
  }
}

void Recorder::write_decided() {
  for (auto& [name, flow] : flows_.take_decided()) {
    if (const auto open = units_.find(name); open != units_.end()) {
      open->second.flow = flow;
      continue;
    }
    const auto found = waiting_.find(name);
    if (found == waiting_.end()) continue;
    found->second.flow = flow;
    write_waiting(name);
  }
}

void Recorder::write_waiting(UnitName name) {
  const auto found = waiting_.find(name);
  add_line(std::move(found->second));
  waiting_.erase(found);
}

void Recorder::handle(RequestArrived& event) {
  const UnitName name{event.connection.number, event.ordinal};
  ++counts_.requests;
  ++counts_.units[event.connection.edge];
  if (!event.trace.empty()) ++counts_.named_traces[event.connection.edge];
  if (head_.edges[event.connection.edge].is_outer) outer_[name] = event.at;
  units_[name] = {.number = next_unit_++,
                  .flow = flows_.request_arrived(event.connection.edge, name, event.trace,
                                                 event.what, event.at)};
  const bool is_exempt = std::ranges::any_of(
      exempt_, [&](const std::string& pattern) { return matches_glob(pattern, event.what); });
  if (is_exempt) leave_out(name);
}

void Recorder::handle(RequestExempt& event) { leave_out({event.connection.number, event.ordinal}); }

// It is not waited for.
void Recorder::leave_out(UnitName name) {
  flows_.request_exempt(name);
  outer_.erase(name);
  const auto found = units_.find(name);
  if (found != units_.end() && found->second.flow && found->second.flow->number == 0) {
    found->second.flow->evidence = FlowEvidence::exempt;
  }
}

void Recorder::handle(RequestAnswered& event) {
  const UnitName name{event.connection.number, event.exchange.ordinal};
  const Unit unit = take_unit(name);
  TraceRequest request;
  request.unit = unit.number;
  request.edge = event.connection.edge;
  request.connection = event.connection.number;
  if (unit.flow) request.flow = *unit.flow;
  request.arrived = time(event.exchange.times.arrived);
  request.permitted = time(event.exchange.times.permitted);
  request.answered = time(event.exchange.times.answered);
  flows_.request_ended(event.connection.edge, name,
                       event.exchange.times.answered.value_or(std::chrono::steady_clock::now()));
  add_line(PlacedExchange{.place = std::move(request), .exchange = std::move(event.exchange)});
  outer_.erase(name);
}

void Recorder::handle(Remark& event) {
  const TraceEdge& edge = head_.edges[event.edge];
  std::string text = fmt::format("{}>{}: {}", edge.caller, edge.callee, event.text);
  // What each connection of a pool does is said once.
  if (std::ranges::find(remarks_, text) != remarks_.end()) return;
  add_line(trace_remark_line(text));
  remarks_.push_back(std::move(text));
}

}  // namespace heddle
