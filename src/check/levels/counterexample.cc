#include "check/levels/counterexample.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "vocabulary/cycle_kind.h"

namespace heddle {

namespace {

// Copies transactions, leaving out what concerns others.
class Cutter {
 public:
  Cutter(const TransactionHistory& from, const std::vector<TransactionId>& transactions)
      : from_(from) {
    part_.history.initial = from.initial;
    part_.history.has_times = from.has_times;
    part_.transactions = transactions;
    for (const TransactionId id : transactions) {
      for (const KeyOperation& operation : from.operations_of(id)) {
        if (is_write(operation)) written_.emplace(operation.key, operation.value);
      }
    }
  }

  SubHistory run() {
    for (const TransactionId id : part_.transactions) copy(id);
    return std::move(part_);
  }

 private:
  static bool is_write(const KeyOperation& operation) {
    return operation.action == KeyAction::write || operation.action == KeyAction::append;
  }

  void copy(TransactionId id) {
    RecordedTransaction txn = from_.transactions[id.index()];
    const std::uint32_t first = txn.first;
    txn.first = static_cast<std::uint32_t>(part_.history.operations.size());
    for (std::uint32_t i = 0; i < txn.count; ++i) {
      KeyOperation operation = cut(id, from_.operations[first + i]);
      operation.key = renumbered(operation.key);
      part_.history.operations.push_back(operation);
      part_.operations.push_back(first + i);
    }
    part_.history.transactions.push_back(txn);
  }

  KeyId renumbered(KeyId key) {
    const KeyId there = part_.history.keys.of(from_.keys.name(key));
    if (there.index() == part_.keys.size()) part_.keys.push_back(key);
    return there;
  }

  KeyOperation cut(TransactionId id, KeyOperation operation) {
    if (is_write(operation) || operation.value == kUnseen) return operation;
    if (operation.action == KeyAction::read_list && part_.history.lists.size() == 0) {
      part_.history.texts = from_.texts;  // for what is said of lists
    }
    if (operation.action == KeyAction::read) {
      const bool known =
          from_.initial == operation.value || written_.contains({operation.key, operation.value});
      if (!known) operation.value = kUnseen;
      return operation;
    }
    return cut_list(operation, from_.operations_of(id));
  }

  // A list whose last element from outside the transaction is not theirs tells nothing any more.
  KeyOperation cut_list(KeyOperation read, std::span<const KeyOperation> own) {
    std::vector<Value> left;
    bool is_known = true;
    for (const Value element : from_.lists[read.list()]) {
      const bool is_kept = written_.contains({read.key, element});
      const bool is_own = std::ranges::any_of(own, [&](const KeyOperation& operation) {
        return is_write(operation) && operation.key == read.key && operation.value == element;
      });
      if (is_kept) left.push_back(element);
      if (!is_own) is_known = is_kept;
    }
    read.value = kUnseen;
    if (is_known) {
      read.value = {static_cast<std::int64_t>(part_.history.lists.add(left).index())};
    }
    return read;
  }

  const TransactionHistory& from_;
  SubHistory part_;
  std::set<std::pair<KeyId, Value>> written_;
};

void collect(const Observation& observation, const std::vector<OrderEdge>& edges,
             std::set<TransactionId>& transactions) {
  const auto add = [&](Node node) {
    if (node != kInitialNode && node != kManyWriters) {
      transactions.insert(observation.transaction(node));
    }
  };
  for (const OrderEdge& edge : edges) {
    add(edge.from);
    add(edge.to);
    if (edge.read != kNoRead) add(observation.all_reads()[edge.read].writer);
    collect(observation, edge.because, transactions);
  }
}

void collect_keys(const std::vector<OrderEdge>& edges, std::set<KeyId>& keys) {
  for (const OrderEdge& edge : edges) {
    if (edge.kind != DependencyKind::so && edge.kind != DependencyKind::rt) keys.insert(edge.key);
    collect_keys(edge.because, keys);
  }
}

// An order of two writes that no list shows, but a read: retold() can do without it.
bool is_forced_by_read(const OrderEdge& edge) {
  return edge.kind == DependencyKind::ww && edge.read != kNoRead && !edge.because.empty();
}

bool is_derived_overwrite(const OrderEdge& edge) {
  return edge.kind == DependencyKind::ww && (edge.read != kNoRead || !edge.because.empty());
}

std::size_t count(const std::vector<OrderEdge>& cycle, DependencyKind kind) {
  return static_cast<std::size_t>(std::ranges::count(cycle, kind, &OrderEdge::kind));
}

bool has_adjacent_rw(const std::vector<OrderEdge>& cycle) {
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const OrderEdge& next = cycle[(i + 1) % cycle.size()];
    if (cycle[i].kind == DependencyKind::rw && next.kind == DependencyKind::rw) return true;
  }
  return false;
}

bool are_two_rw_on_one_key(const std::vector<OrderEdge>& cycle) {
  return cycle.size() == 2 && count(cycle, DependencyKind::rw) == 2 && cycle[0].key == cycle[1].key;
}

// Reads what another one overwrites, and overwrites that: better left as it is.
bool is_lost_update(const std::vector<OrderEdge>& cycle) {
  return cycle.size() == 2 && cycle[0].key == cycle[1].key &&
         count(cycle, DependencyKind::rw) == 1 && count(cycle, DependencyKind::ww) == 1;
}

// REQUIRES: the edge at that place is forced by a read.
std::vector<OrderEdge> told_without(std::vector<OrderEdge> cycle, std::ptrdiff_t at,
                                    const Observation& observation) {
  const auto derived = cycle.begin() + at;
  const Node reader = derived->because.back().to;
  OrderEdge stale{DependencyKind::rw, reader, derived->from, derived->key, derived->read, {}};
  std::rotate(cycle.begin(), derived, cycle.end());
  std::vector<OrderEdge> told = std::move(cycle.front().because);
  // The rest of the cycle leads from the version that was read to the one that was missed; what was
  // there at first is older than all.
  if (observation.all_reads()[stale.read].writer != kInitialNode) {
    stale.because.assign(std::make_move_iterator(cycle.begin() + 1),
                         std::make_move_iterator(cycle.end()));
  }
  told.push_back(std::move(stale));
  return told;
}

}  // namespace

SubHistory part_of(const TransactionHistory& history,
                   const std::vector<TransactionId>& transactions) {
  return Cutter(history, transactions).run();
}

std::vector<TransactionId> transactions_in(const Observation& observation,
                                           const std::vector<OrderEdge>& cycle) {
  std::set<TransactionId> transactions;
  collect(observation, cycle, transactions);
  return {transactions.begin(), transactions.end()};
}

std::vector<TransactionId> with_all_of_its_keys(const Observation& observation,
                                                const std::vector<OrderEdge>& cycle,
                                                std::vector<TransactionId> transactions) {
  std::set<KeyId> keys;
  collect_keys(cycle, keys);
  for (Node node = 1; node < observation.node_count(); ++node) {
    const bool touches =
        std::ranges::any_of(observation.reads(node),
                            [&](const Seen& seen) { return keys.contains(seen.key); }) ||
        std::ranges::any_of(observation.writes(node),
                            [&](KeyId key) { return keys.contains(key); });
    if (touches) transactions.push_back(observation.transaction(node));
  }
  std::ranges::sort(transactions);
  transactions.erase(std::unique(transactions.begin(), transactions.end()), transactions.end());
  return transactions;
}

std::vector<TransactionId> shrink(
    std::vector<TransactionId> transactions,
    const std::function<bool(const std::vector<TransactionId>&)>& fails,
    const std::function<bool()>& may_go_on) {
  for (std::size_t size = transactions.size() / 2; size > 0;) {
    bool left_out = false;
    for (std::size_t at = 0; at < transactions.size() && may_go_on();) {
      std::vector<TransactionId> rest = transactions;
      const std::size_t end = std::min(at + size, rest.size());
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at),
                 rest.begin() + static_cast<std::ptrdiff_t>(end));
      if (!rest.empty() && fails(rest)) {
        transactions = std::move(rest);
        left_out = true;
      } else {
        at += size;
      }
    }
    if (!may_go_on()) break;
    if (size > 1) {
      size /= 2;
    } else if (!left_out) {
      break;
    }
  }
  return transactions;
}

std::vector<OrderEdge> retold(const Observation& observation, std::vector<OrderEdge> cycle) {
  // Each round goes one reason deeper, so there are few.
  while (!is_lost_update(cycle)) {
    auto best = cycle.end();
    for (auto edge = cycle.begin(); edge != cycle.end(); ++edge) {
      if (!is_forced_by_read(*edge)) continue;
      if (best == cycle.end() || edge->because.size() < best->because.size()) best = edge;
    }
    if (best == cycle.end()) break;
    const auto at = best - cycle.begin();
    cycle = told_without(std::move(cycle), at, observation);
  }
  return cycle;
}

AnomalyKind kind_of(IsolationLevel level, const std::vector<OrderEdge>& cycle) {
  std::vector<CycleEdge> edges;
  std::ranges::transform(cycle, std::back_inserter(edges), [](const OrderEdge& edge) {
    return CycleEdge{
        .kind = edge.kind, .row = edge.key.index(), .is_derived = is_derived_overwrite(edge)};
  });
  return kind_of_cycle(edges, level);
}

AnomalyKind kind_at(IsolationLevel level, const Observation& observation,
                    const std::vector<OrderEdge>& cycle) {
  std::vector<OrderEdge> told = cycle;
  const bool allows_skew = !proscribes(level, AnomalyKind::write_skew);
  for (OrderEdge& edge : told) {
    if (allows_skew ? !has_adjacent_rw(told) : !are_two_rw_on_one_key(told)) break;
    const bool writes = edge.kind == DependencyKind::rw && edge.from != kInitialNode &&
                        observation.writes_key(edge.from, edge.key);
    if (writes) edge.kind = DependencyKind::ww;
  }
  return kind_of(level, told);
}

std::vector<RecordedEdge> recorded(const Observation& observation, const SubHistory& part,
                                   const std::vector<OrderEdge>& edges) {
  const auto transaction = [&](Node node) {
    return part.transactions[observation.transaction(node).index()];
  };
  const auto write = [&](Node node, KeyId key) -> std::optional<std::uint32_t> {
    if (node == kInitialNode || !observation.writes_key(node, key)) return std::nullopt;
    return part.operations[observation.last_write(node, key)];
  };
  std::vector<RecordedEdge> result;
  for (const OrderEdge& edge : edges) {
    RecordedEdge told;
    told.kind = edge.kind;
    if (edge.from != kInitialNode) told.from = transaction(edge.from);
    told.to = transaction(edge.to);
    if (edge.kind != DependencyKind::so && edge.kind != DependencyKind::rt) {
      told.key = part.keys[edge.key.index()];
    }
    std::optional<std::uint32_t> read;
    if (edge.read != kNoRead) {
      read = part.operations[observation.all_reads()[edge.read].operation];
    }
    if (edge.kind == DependencyKind::ww || edge.kind == DependencyKind::wr) {
      told.from_operation = write(edge.from, edge.key);
    } else if (edge.kind == DependencyKind::rw) {
      told.from_operation = read;
    }
    if (edge.kind == DependencyKind::wr) told.to_operation = read;
    if (edge.kind == DependencyKind::ww || edge.kind == DependencyKind::rw) {
      told.to_operation = write(edge.to, edge.key);
    }
    told.because = recorded(observation, part, edge.because);
    result.push_back(std::move(told));
  }
  return result;
}

}  // namespace heddle
