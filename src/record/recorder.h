// Writes down what proxies tell, each unit with its flow.
//
// The proxies' thread only hands over what it has seen; a thread of the recorder's own does the
// rest. Where that is slower, because the disk is, the proxies wait for it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

#include "heddle/result.h"
#include "heddle/trace.h"
#include "proxy/observer.h"
#include "record/flow_tracker.h"
#include "record/lines/line_file_writer.h"
#include "record/redact/redactor.h"
#include "record/redact_trace.h"
#include "record/transaction_levels.h"

namespace heddle {

// What has passed so far.
struct RecordCounts {
  std::uint64_t requests = 0;
  std::uint64_t statements = 0;
  std::uint64_t background = 0;
  std::uint64_t unsure = 0;
  std::uint64_t flows = 0;
  std::vector<std::uint64_t> units;         // by edge
  std::vector<std::uint64_t> named_traces;  // by edge: requests that named a trace
  std::vector<std::uint64_t> most_open;     // by edge: connections at once
};

// Connections to a database, of those that came by an edge until some time; without those that
// replicate.
struct ProxiedSessions {
  std::uint64_t begun = 0;    // the server has let them in
  std::uint64_t pending = 0;  // it may yet
};

// What is written is redacted. A line waits as long as a request from outside is open that came
// before it: its response may tell that something in the line is a secret.
class Recorder : public ProxyObserver {
 public:
  // Writes the head. `most_body`: bytes of a body that are written; the proxies keep
  // kLongestSearched more, so that no secret is cut in two before it is found. REQUIRES: the edges
  // are those of the proxies, in their order.
  static Result<std::unique_ptr<Recorder>> start(LineFileWriter file, TraceHead head,
                                                 Redactor redactor, std::size_t most_body);
  ~Recorder() override;

  // Requests whose end nobody waits for, since they last until there is news: patterns of
  // "GET /events/7". REQUIRES: called before the proxies start.
  void exempt(std::vector<std::string> patterns) { exempt_ = std::move(patterns); }
  // What comes between these is background that is to be learned; before, too, but what a system
  // does to start is not what it repeats.
  void begin_listening();
  void end_listening();
  void begin_serial();
  // Whether everything that was asked for is done, and what follows from it, too.
  bool is_at_rest(std::chrono::milliseconds quiet);
  RecordCounts counts();
  // The servers' numbers of the connections that came by that edge, as far as they are open or have
  // not long been closed.
  std::set<std::uint32_t> backends(std::size_t edge);
  // `database`: none means any.
  ProxiedSessions sessions(std::size_t edge, const std::optional<std::string>& database,
                           ProxyTime until);
  std::vector<TraceBackground> background();
  std::vector<std::string> remarks();
  // Why nothing is written any more; none: it is.
  std::optional<Diagnostic> trouble();

  void add_catalogue(const TraceCatalogue& catalogue);
  void add_remark(std::string text);
  // Writes what is left, and the end. Nothing may come behind it.
  Result<void> finish(TraceEnd end);

  void connection_opened(ProxiedConnection connection, ProxyTime at) override;
  void connection_named(ProxiedConnection connection,
                        const std::map<std::string, std::string>& parameters) override;
  void connection_numbered(ProxiedConnection connection, std::uint32_t backend) override;
  void client_left(ProxiedConnection connection) override;
  void connection_closed(ProxiedConnection connection, ProxyTime at) override;
  void statement_arrived(ProxiedConnection connection, const postgres::WireUnit& unit,
                         ProxyTime at) override;
  void statement_answered(ProxiedConnection connection, postgres::WireUnit unit,
                          UnitTimes times) override;
  void request_arrived(ProxiedConnection connection, std::uint64_t ordinal, const HttpHead& head,
                       const std::string& trace, ProxyTime at) override;
  void request_exempt(ProxiedConnection connection, std::uint64_t ordinal) override;
  void request_answered(ProxiedConnection connection, HttpExchange exchange) override;
  void remark(std::size_t edge, std::string text) override;

 private:
  struct Opened {
    ProxiedConnection connection;
    ProxyTime at;
  };
  struct Named {
    ProxiedConnection connection;
    std::map<std::string, std::string> parameters;
  };
  struct Numbered {
    ProxiedConnection connection;
    std::uint32_t backend;
  };
  struct Left {
    ProxiedConnection connection;
  };
  struct Closed {
    ProxiedConnection connection;
  };
  struct StatementArrived {
    ProxiedConnection connection;
    std::uint64_t ordinal;
    std::shared_ptr<const std::string> text;
    ProxyTime at;
  };
  struct StatementAnswered {
    ProxiedConnection connection;
    postgres::WireUnit unit;
    UnitTimes times;
  };
  struct RequestArrived {
    ProxiedConnection connection;
    std::uint64_t ordinal;
    std::string what;
    std::string trace;
    ProxyTime at;
  };
  struct RequestExempt {
    ProxiedConnection connection;
    std::uint64_t ordinal;
  };
  struct RequestAnswered {
    ProxiedConnection connection;
    HttpExchange exchange;
  };
  struct Remark {
    std::size_t edge;
    std::string text;
  };
  using Event =
      std::variant<Opened, Named, Numbered, Left, Closed, StatementArrived, StatementAnswered,
                   RequestArrived, RequestExempt, RequestAnswered, Remark>;

  struct Unit {
    std::uint64_t number = 0;
    std::optional<TraceFlow> flow;  // none: not decided
  };
  struct Connection {
    TraceConnection told;
    TransactionLevels levels;
    std::uint64_t transaction = 0;
    bool is_in_transaction = false;
    bool has_left = false;  // its client
  };

  struct BegunSessions {
    std::uint64_t older = 0;
    std::deque<TraceTime> latest = {};  // when each was opened
  };

  // A request with its place in the trace.
  struct PlacedExchange {
    TraceRequest place;
    HttpExchange exchange;
  };
  struct Line {
    ProxyTime at;
    std::uint64_t known = 0;  // how many secrets were, when it was redacted
    std::size_t size = 0;
    std::variant<TraceStatement, PlacedExchange, std::string> content;  // or a line as it is
  };

  Recorder(LineFileWriter file, TraceHead head, Redactor redactor, std::size_t most_body);

  void push(Event event, std::size_t size);
  void run();
  void take(std::vector<Event> events);
  void wait_for_event(std::unique_lock<std::mutex>& lock);
  void wait_until_taken();

  void handle(Opened& event);
  void handle(Named& event);
  void handle(Numbered& event);
  void handle(Left& event);
  void handle(Closed& event);
  void handle(StatementArrived& event);
  void handle(StatementAnswered& event);
  void handle(RequestArrived& event);
  void handle(RequestExempt& event);
  void handle(RequestAnswered& event);
  void handle(Remark& event);
  TraceStatement make_statement(const StatementAnswered& event, Unit unit);
  void add_line(TraceStatement statement);
  void add_line(PlacedExchange request);
  void add_line(std::string line);
  void write_line(Line& line);
  void write_lines(bool all);
  void write_decided();
  void write_waiting(UnitName name);
  void count_session(const TraceConnection& connection);
  void count_flow(const TraceFlow& flow);
  void write(std::string_view line);
  Unit take_unit(UnitName name);
  TraceTime time(ProxyTime at) const;
  std::optional<TraceTime> time(std::optional<ProxyTime> at) const;

  // Of the recorder's thread, guarded by state_mutex_ against those who ask.
  std::mutex state_mutex_;
  LineFileWriter file_;
  TraceHead head_;
  void leave_out(UnitName name);

  std::vector<std::string> exempt_;
  TraceRedactor redactor_;
  std::size_t most_body_;
  std::deque<Line> lines_;  // that wait, by time
  std::size_t waiting_bytes_ = 0;
  std::map<UnitName, ProxyTime> outer_;  // requests from outside that are open
  FlowTracker flows_;
  std::unordered_map<std::uint64_t, Connection> connections_;
  std::vector<std::uint64_t> open_;                                    // connections, by edge
  std::deque<std::pair<std::size_t, std::uint32_t>> closed_backends_;  // the last ones, with edges
  std::vector<std::map<std::string, BegunSessions>> sessions_;         // by edge, by database
  std::map<UnitName, Unit> units_;
  std::map<UnitName, TraceStatement> waiting_;  // for their flows
  std::uint64_t next_unit_ = 1;
  RecordCounts counts_;
  std::vector<std::string> remarks_;
  std::optional<Diagnostic> trouble_;
  bool is_finished_ = false;
  ProxyTime begun_;

  std::mutex queue_mutex_;  // guards the rest
  std::condition_variable is_filled_;
  std::condition_variable is_taken_;
  std::vector<Event> queue_;
  std::size_t queued_bytes_ = 0;
  bool is_waiting_ = false;   // the recorder, for the first event
  std::uint64_t pushed_ = 0;  // events so far
  std::uint64_t taken_ = 0;   // of these, the first ones, that it has dealt with
  bool is_ended_ = false;
  std::thread thread_;
};

}  // namespace heddle
