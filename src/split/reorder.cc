// Each block's actions are nodes of a graph with an edge from one to a later one that must not come
// before it. An order with the fewest changes of service takes of the service that it is at all
// that it can get, because what is taken early never stands in the way of anything; only which
// service comes next is tried, for each set of actions that are done, once.
#include "split/reorder.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "program/visit.h"

namespace heddle::chopping {

namespace {

constexpr std::size_t kMostActions = 40;
constexpr std::size_t kMostSets = 20'000;

// What an action does, with all that is inside of it.
struct Doing {
  std::set<std::string> uses;  // variables
  std::set<std::string> sets;
  std::set<std::string> reads;  // tables
  std::set<std::string> writes;
  std::set<std::size_t> services;
  bool stays = false;  // it must keep its place among all others
};

void add_variables(const Expression& expression, std::set<std::string>& names) {
  if (expression.kind == ExpressionKind::variable) names.insert(expression.text);
  for (const Expression& operand : expression.operands) add_variables(operand, names);
}

bool overlap(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::ranges::any_of(a, [&](const std::string& name) { return b.contains(name); });
}

// Whether the later one has to stay behind the earlier one.
bool is_behind(const Doing& later, const Doing& earlier) {
  return later.stays || earlier.stays || overlap(later.uses, earlier.sets) ||
         overlap(later.sets, earlier.uses) || overlap(later.sets, earlier.sets) ||
         overlap(later.reads, earlier.writes) || overlap(later.writes, earlier.reads) ||
         overlap(later.writes, earlier.writes);
}

class Reorderer {
 public:
  Reorderer(const Schema& schema, const TableServices& services)
      : schema_(schema), services_(services) {}

  Reordered run(const Functionality& functionality) {
    Reordered result{.functionality = functionality, .order = {}};
    looks_at_found_ = uses_found(result.functionality.body);
    std::size_t next = 0;
    result.order = walk(result.functionality.body, next);
    return result;
  }

 private:
  static bool uses_found(Block& block) {
    return std::ranges::any_of(block, [](Action& action) {
      std::set<std::string> used;
      program::for_each_expression(
          action, [&](Expression& expression) { add_variables(expression, used); },
          [](Expression&) {});
      bool uses = used.contains("found") || std::holds_alternative<CountRows>(action.what);
      program::for_each_block(action, [&](Block& inner) { uses = uses || uses_found(inner); });
      return uses;
    });
  }

  void add(const Statement& statement, Doing& doing) const {
    const bool ends =
        statement.kind == StatementKind::commit || statement.kind == StatementKind::rollback;
    doing.stays = doing.stays || ends || may_use_any_table(statement);
    for (const TableUse& use : statement.tables) {
      (use.written ? doing.writes : doing.reads).insert(name_of(use));
      // Keys of other tables are checked when rows are written.
      const Table* table = find_table(schema_, use.table, schema_.dialect, use.schema);
      if (!use.written || table == nullptr) continue;
      doing.reads.insert(table->name);
      for (const ForeignKeyConstraint& key : table->foreign_keys) {
        if (const Table* to = referenced_by(key)) doing.reads.insert(to->name);
      }
      for (const Table& other : schema_.tables) {
        const bool refers = std::ranges::any_of(
            other.foreign_keys,
            [&](const ForeignKeyConstraint& key) { return referenced_by(key) == table; });
        if (refers) doing.writes.insert(other.name);
      }
    }
    const std::set<std::size_t> own = services_.of(statement);
    doing.services.insert(own.begin(), own.end());
  }

  const Table* referenced_by(const ForeignKeyConstraint& key) const {
    return find_table(schema_, key.referenced_table, schema_.dialect, key.referenced_schema);
  }

  std::string name_of(const TableUse& use) const {
    const Table* table = find_table(schema_, use.table, schema_.dialect, use.schema);
    return table == nullptr ? use.table : table->name;
  }

  void add(Action& action, Doing& doing) const {
    program::for_each_expression(
        action, [&](Expression& expression) { add_variables(expression, doing.uses); },
        [&](Expression& expression) {
          add_variables(expression, doing.sets);
          // A field or element: the rest of the row or array stays.
          if (expression.kind != ExpressionKind::variable) add_variables(expression, doing.uses);
        });
    if (ProgramStatement* statement = program::statement_of(action)) {
      add(statement->statement, doing);
      doing.stays = doing.stays || statement->made_text;
      if (looks_at_found_) doing.sets.insert("found");
    }
    if (auto* run = std::get_if<RunStatement>(&action.what)) {
      doing.stays = doing.stays || run->returned || run->strict;
    }
    if (auto* count = std::get_if<CountLoop>(&action.what)) doing.sets.insert(count->variable);
    if (auto* each = std::get_if<ElementLoop>(&action.what)) doing.sets.insert(each->variable);
    const bool leaves = std::holds_alternative<Return>(action.what) ||
                        std::holds_alternative<ReturnRow>(action.what) ||
                        std::holds_alternative<Raise>(action.what) ||
                        std::holds_alternative<LeaveLoop>(action.what) ||
                        std::holds_alternative<Attempt>(action.what) ||
                        std::holds_alternative<OpenRows>(action.what) ||
                        std::holds_alternative<FetchRow>(action.what) ||
                        std::holds_alternative<CloseRows>(action.what) ||
                        std::holds_alternative<CountRows>(action.what) ||
                        std::holds_alternative<Loop>(action.what);
    doing.stays = doing.stays || leaves;
    program::for_each_block(action, [&](Block& block) {
      for (Action& inner : block) add(inner, doing);
    });
  }

  // The old numbers of the block's statements in their new order; `next` is that of its first one.
  std::vector<std::size_t> walk(Block& block, std::size_t& next) {
    std::vector<std::vector<std::size_t>> numbers(block.size());
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (program::statement_of(block[i]) != nullptr) numbers[i].push_back(next++);
      program::for_each_block(block[i], [&](Block& inner) {
        const std::vector<std::size_t> own = walk(inner, next);
        numbers[i].insert(numbers[i].end(), own.begin(), own.end());
      });
    }
    Block ordered;
    std::vector<std::size_t> order;
    for (const std::size_t i : best_order(block)) {
      ordered.push_back(std::move(block[i]));
      order.insert(order.end(), numbers[i].begin(), numbers[i].end());
    }
    block = std::move(ordered);
    return order;
  }

  // Parts between actions that stay where they are.
  std::vector<std::size_t> best_order(Block& block) const {
    std::vector<Doing> doings(block.size());
    for (std::size_t i = 0; i < block.size(); ++i) add(block[i], doings[i]);
    std::vector<std::size_t> order;
    std::size_t begin = 0;
    std::optional<std::size_t> service;
    for (std::size_t end = 0; end <= block.size(); ++end) {
      if (end < block.size() && !doings[end].stays) continue;
      const std::vector<std::size_t> part = order_of(doings, begin, end, service);
      order.insert(order.end(), part.begin(), part.end());
      for (const std::size_t i : part) {
        if (doings[i].services.size() == 1) service = *doings[i].services.begin();
      }
      if (end == block.size()) break;
      order.push_back(end);
      if (doings[end].services.size() == 1) service = *doings[end].services.begin();
      begin = end + 1;
    }
    return order;
  }

  using Done = std::vector<bool>;

  struct Best {
    std::size_t changes = 0;
    std::optional<std::size_t> next;  // service
  };

  // Of the actions from `begin` to before `end`.
  struct Part {
    const std::vector<Doing>& doings;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::map<std::pair<Done, std::optional<std::size_t>>, Best> known = {};
  };

  std::vector<std::size_t> order_of(const std::vector<Doing>& doings, std::size_t begin,
                                    std::size_t end, std::optional<std::size_t> service) const {
    std::vector<std::size_t> order;
    if (end - begin > kMostActions) {
      for (std::size_t i = begin; i < end; ++i) order.push_back(i);
      return order;
    }
    Part part{.doings = doings, .begin = begin, .end = end};
    Done done(end - begin);
    while (order.size() < end - begin) {
      for (const std::size_t i : take(part, done, service)) order.push_back(i);
      if (order.size() == end - begin) break;
      const Best best = search(part, done, service);
      service = best.next;
    }
    return order;
  }

  static bool is_ready(const Part& part, const Done& done, std::size_t action) {
    for (std::size_t i = part.begin; i < action; ++i) {
      if (!done[i - part.begin] && is_behind(part.doings[action], part.doings[i])) return false;
    }
    return !done[action - part.begin];
  }

  // What the service can do next, and what needs none, in the order of the program. Something of
  // several services counts as one of the first of them.
  static std::vector<std::size_t> take(const Part& part, Done& done,
                                       std::optional<std::size_t> service) {
    std::vector<std::size_t> taken;
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (std::size_t i = part.begin; i < part.end; ++i) {
        const std::set<std::size_t>& own = part.doings[i].services;
        const bool is_of = own.empty() || (service && own == std::set{*service});
        if (!is_of || !is_ready(part, done, i)) continue;
        done[i - part.begin] = true;
        taken.push_back(i);
        goes_on = true;
      }
      if (taken.empty() && service) {
        for (std::size_t i = part.begin; i < part.end; ++i) {
          const std::set<std::size_t>& own = part.doings[i].services;
          if (own.size() < 2 || *own.begin() != *service || !is_ready(part, done, i)) continue;
          done[i - part.begin] = true;
          taken.push_back(i);
          return taken;
        }
      }
    }
    return taken;
  }

  // The fewest changes from here on, and the service that comes next. REQUIRES: nothing is left
  // that this service could do.
  static Best search(Part& part, const Done& done, std::optional<std::size_t> service) {
    const auto key = std::pair(done, service);
    if (const auto known = part.known.find(key); known != part.known.end()) return known->second;
    std::vector<std::size_t> next;  // those that come first in the text first
    for (std::size_t i = part.begin; i < part.end; ++i) {
      if (!is_ready(part, done, i)) continue;
      const std::size_t of = *part.doings[i].services.begin();
      if (std::ranges::find(next, of) == next.end()) next.push_back(of);
    }
    Best best{.changes = part.doings.size() + 1, .next = std::nullopt};
    for (const std::size_t to : next) {
      Done after = done;
      take(part, after, to);
      const bool is_done = std::ranges::find(after, false) == after.end();
      const std::size_t changes =
          1 + (is_done || part.known.size() > kMostSets ? 0 : search(part, after, to).changes);
      if (changes < best.changes) best = {.changes = changes, .next = to};
    }
    part.known.emplace(key, best);
    return best;
  }

  const Schema& schema_;
  const TableServices& services_;
  bool looks_at_found_ = false;
};

}  // namespace

std::optional<Reordered> reorder_statements(const Functionality& functionality,
                                            const Schema& schema, const TableServices& services) {
  Reordered reordered = Reorderer(schema, services).run(functionality);
  if (std::ranges::is_sorted(reordered.order)) return std::nullopt;
  return reordered;
}

}  // namespace heddle::chopping
