// To which flow each request and each statement belongs, from what passes at the edges alone.
//
// A flow begins with a request at an outer edge. A request that names a trace (W3C traceparent)
// belongs to its flow, as does a statement that names one in a comment. Everything else is told by
// who had something to do: where a service has the requests of one flow open, what it asks for is
// that flow's; where it has those of several, nobody can tell, and that is said. A transaction is
// of one flow, from its BEGIN on, whose flow is known when its first statement comes.
//
// What a service does again and again while nobody asks it for anything is background. It is
// learned before the first request, statement by statement without their values.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heddle/trace.h"

namespace heddle {

// A unit of an edge's connection: both numbers as the proxies count them.
struct UnitName {
  std::uint64_t connection = 0;
  std::uint64_t ordinal = 0;

  friend auto operator<=>(const UnitName&, const UnitName&) = default;
};

class FlowTracker {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit FlowTracker(std::vector<TraceEdge> edges);

  // The system has started: what it did for that is not what it repeats. Until listening ends, what
  // comes is background, and its period is learned.
  void begin_listening(Time at);
  void end_listening(Time at);
  // Everything is of the one flow that is open or was the last, until serial_ends().
  void serial_begins() { is_serial_ = true; }

  // `trace`: the trace's id that the request names, or that the proxy has given it; empty: none.
  TraceFlow request_arrived(std::size_t edge, UnitName unit, std::string_view trace,
                            std::string_view what, Time at);
  void request_ended(std::size_t edge, UnitName unit, Time at);
  // It will not end soon: a stream, an upgraded connection.
  void request_exempt(UnitName unit);

  // The flow, or none yet: that of a transaction that has just begun.
  std::optional<TraceFlow> statement_arrived(std::size_t edge, UnitName unit, std::string_view text,
                                             Time at);
  // `state`: of the transaction, I, T, E, or '?'. `answer`: equal for equal answers.
  void statement_ended(std::size_t edge, UnitName unit, char state, Time at,
                       std::uint64_t answer = 0);
  void connection_closed(std::uint64_t number);

  // Flows that have been decided since, of units for which there was none yet.
  std::vector<std::pair<UnitName, TraceFlow>> take_decided() { return std::exchange(decided_, {}); }

  // Whether no unit of a flow is open, and each background statement has come and been answered
  // twice since the last of them was; without such statements: nothing has passed for `quiet`.
  bool is_at_rest(Time now, std::chrono::milliseconds quiet) const;
  // Why it is not, in words; empty: it is, or nothing was quiet for long enough.
  std::string restless_part() const;
  std::vector<TraceBackground> background() const;
  std::uint64_t flows() const { return next_flow_ - 1; }

 private:
  struct OpenRequest {
    UnitName unit;
    std::uint64_t flow = 0;  // 0: not known
  };
  struct Service {
    std::vector<OpenRequest> open;
  };
  struct Repeated {
    // While it was listened to.
    std::uint64_t heard = 0;
    Time first = {};
    Time last = {};
    Time::duration longest_gap = {};

    std::uint64_t count = 0;
    std::uint64_t idle_answer = 0;  // while it was listened to, and the last one
    std::uint64_t last_answer = 0;
    std::uint64_t answered_since = 0;  // the last unit of a flow was
  };
  struct Connection {
    bool is_in_transaction = false;
    std::optional<TraceFlow> transaction;  // none: not known yet
    std::vector<UnitName> undecided;
    bool was_background = false;  // its last statement
    // The poll that has brought something new on it, and how many of its kind there were then.
    const Repeated* news = nullptr;
    std::uint64_t news_count = 0;
  };
  struct OpenUnit {
    bool is_of_flow = false;
    Repeated* repeated = nullptr;
  };
  // What the text of a statement says of it.
  struct Shape {
    std::string text;  // without values
    bool begins = false;
    bool ends = false;
    bool is_within_only = false;
    bool is_setup = false;
  };
  using Template = std::pair<std::size_t, std::string>;  // the edge, and the text

  const Shape& shape_of(std::string_view text);
  TraceFlow new_flow(std::string_view trace);
  TraceFlow flow_of_work(std::size_t edge, bool follows_background, bool may_be_background) const;
  std::optional<TraceFlow> flow_in_comment(std::string_view text) const;
  TraceFlow decide(std::size_t edge, const Connection& connection, const Shape& shape,
                   bool is_last);
  bool follows_news(const Connection& connection) const;
  void settle(Connection& connection, const TraceFlow& flow);
  bool is_periodic(const Repeated& repeated, Time end) const;
  Repeated* listen(std::size_t edge, const std::string& essence, Time at);
  void note_open(UnitName unit, const TraceFlow& flow, Repeated* repeated);
  void note_ended(UnitName unit, Time at);
  void note_news(Connection& connection, UnitName unit, std::uint64_t answer);

  std::vector<TraceEdge> edges_;
  std::map<std::string, Service> services_;
  std::unordered_map<std::uint64_t, Connection> connections_;
  std::unordered_map<std::string, Shape> shapes_;  // by text
  std::map<Template, Repeated> repeated_;
  std::set<Template> done_after_news_;  // by pollers, while no request was open
  std::map<UnitName, OpenUnit> open_;
  std::unordered_map<std::string, std::uint64_t> flow_of_trace_;
  std::vector<std::pair<UnitName, TraceFlow>> decided_;
  std::uint64_t next_flow_ = 1;
  std::uint64_t open_of_flows_ = 0;
  Time last_of_flow_ = {};
  Time last_of_any_ = {};
  Time listened_from_ = {};
  bool is_listening_ = true;
  bool is_serial_ = false;
};

// The trace's id in a comment /*traceparent='00-...'*/ of a statement (sqlcommenter); empty: none.
std::string_view trace_in_comment(std::string_view text);

}  // namespace heddle
