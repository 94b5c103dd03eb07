#include "race/pairs/memory_reads.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "race/flows/client_order.h"
#include "race/flows/endpoints.h"

namespace heddle::race {
namespace {

constexpr std::size_t kMostWords = 16;

// A table that a service polls.
struct PolledTable {
  std::string store;
  std::string table;
  const TraceTable* definition = nullptr;
  std::vector<std::string> columns;

  friend bool operator<(const PolledTable& a, const PolledTable& b) {
    return std::tie(a.store, a.table) < std::tie(b.store, b.table);
  }
};

class MemoryReader {
 public:
  MemoryReader(const Trace& trace, const Flows& flows, const RaceSettings& settings,
               FlowAccesses& all)
      : trace_(trace), flows_(flows), settings_(settings), all_(all) {}

  void add() {
    find_polled();
    if (polled_.empty()) return;
    std::set<std::size_t> with_statements;
    for (const FlowAccess& each : all_.accesses) with_statements.insert(each.span);
    for (std::size_t span = 0; span < flows_.spans.size(); ++span) {
      if (!with_statements.contains(span)) add_reads_of(span);
    }
  }

 private:
  const StoreTables& tables_of(const std::string& store) const {
    static const StoreTables kNone;
    const auto found = all_.tables.find(store);
    return found == all_.tables.end() ? kNone : found->second;
  }

  void find_polled() {
    std::set<std::pair<std::size_t, std::string>> seen;  // edges and texts without their values
    for (const TraceStatement& each : trace_.statements) {
      if (each.flow.evidence != FlowEvidence::background || each.text.size() > kLongestPoll)
        continue;
      if (!seen.emplace(each.edge, each.text).second || seen.size() > kMostPolls) continue;
      const std::string store = store_name(trace_.head.edges[each.edge].callee, settings_);
      const std::string& service = trace_.head.edges[each.edge].caller;
      for (Access& access : read_accesses(each, parse_text(each.text), tables_of(store))) {
        const bool is_news = access.reads && !access.writes() &&
                             access.locking == LockingClause::none && access.table != kAnyTable;
        if (!is_news) continue;
        polled_[service].insert({.store = store,
                                 .table = access.table,
                                 .definition = access.definition,
                                 .columns = std::move(access.columns_read)});
      }
    }
  }

  // The values of the request: what its path has where its endpoint has a star, its query and body.
  std::set<std::string> values_of(const RequestSpan& span) const {
    const TraceRequest& request = trace_.requests[span.request];
    std::set<std::string> values;
    const std::vector<std::string> path = path_segments(request.target);
    const std::vector<std::string> shape = path_segments(
        span.endpoint.substr(std::min(span.endpoint.size(), span.endpoint.find('/'))));
    for (std::size_t i = 0; i < path.size() && i < shape.size(); ++i) {
      if (shape[i] == "*") values.insert(path[i]);
    }
    const std::size_t query = request.target.find('?');
    if (query != std::string::npos) add_words(request.target.substr(query), values);
    add_words(request.body.bytes, values);
    return values;
  }

  static void add_words(const std::string& text, std::set<std::string>& values) {
    for (std::string& word : words_of(text)) values.insert(std::move(word));
  }

  void add_reads_of(std::size_t number) {
    const RequestSpan& span = flows_.spans[number];
    const auto polled = polled_.find(span.service);
    const bool has_asked_others =
        std::ranges::any_of(span.children, [](const FlowChild& each) { return each.is_request; });
    if (polled == polled_.end() || has_asked_others) return;
    const std::set<std::string> values = values_of(span);
    const TraceRequest& request = trace_.requests[span.request];
    if (values.empty() || values.size() > kMostWords) return;
    for (const PolledTable& table : polled->second) {
      std::vector<Condition> parts;
      for (const std::string& column : table.columns) {
        for (const std::string& value : values) {
          parts.push_back({.kind = Condition::Kind::equal,
                           .left = {.column = column},
                           .right = {.value = text_value(value)}});
        }
      }
      Access access{.unit = request.unit, .table = table.table, .definition = table.definition};
      access.kind = StatementKind::select;
      access.columns_read = access.deciding_columns = table.columns;
      access.reads = access.is_from_memory = true;
      access.looks = any_of(std::move(parts));
      access.there = partial_rows(access.looks);
      add_access(number, table.store, std::move(access));
    }
  }

  void add_access(std::size_t number, const std::string& store, Access access) {
    const RequestSpan& span = flows_.spans[number];
    const TransactionName transaction{.connection = 0, .number = access.unit};
    all_.transactions[transaction] = {.ended = span.ended};
    StatementPlace place{.span = number, .child = kNoChild};
    if (span.parent) {
      const std::vector<FlowChild>& children = flows_.spans[*span.parent].children;
      const auto child = std::ranges::find_if(
          children, [&](const FlowChild& each) { return each.is_request && each.index == number; });
      place = {.span = *span.parent, .child = static_cast<std::size_t>(child - children.begin())};
    }
    all_.accesses.push_back({.access = std::move(access),
                             .place = place,
                             .span = number,
                             .flow = span.flow,
                             .store = store,
                             .transaction = transaction,
                             .begun = span.begun,
                             .ended = span.ended,
                             .shape = span.endpoint + ", from memory"});
  }

  static constexpr std::size_t kLongestPoll = 10'000;
  static constexpr std::size_t kMostPolls = 1'000;

  const Trace& trace_;
  const Flows& flows_;
  const RaceSettings& settings_;
  FlowAccesses& all_;
  std::map<std::string, std::set<PolledTable>> polled_;  // by service
};

}  // namespace

void add_memory_reads(const Trace& trace, const Flows& flows, const RaceSettings& settings,
                      FlowAccesses& all) {
  MemoryReader(trace, flows, settings, all).add();
}

}  // namespace heddle::race
