// The engine beside a model that knows no SQL: maps of cells, one for each replica, into which
// effects are merged in the order in which they come.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "store/replicated/engine_testing.h"

namespace heddle::replicated {

namespace {

// What the model gets wrong on purpose.
enum class Flaw : std::uint8_t {
  none,
  update_revives,       // an UPDATE says that the row is there
  equal_is_no_write,    // an UPDATE to the value that is there is no effect
  rows_are_whole,       // an UPDATE writes all columns
  last_delivered_wins,  // the order of delivery decides
};

// Row, column ("" for the row's being there).
using ModelCell = std::pair<int, std::string>;

struct ModelWrite {
  ModelCell cell;
  int value = 0;
};

struct ModelGroup {
  int stamp = 0;
  std::vector<ModelWrite> writes;
};

struct ModelReplica {
  std::vector<int> delivered;  // numbers of groups, in the order of delivery
};

using ModelRows = std::map<int, std::map<std::string, int>>;

// A flaw may leave a row without a value.
int value_of(const std::map<std::string, int>& row, const std::string& column) {
  const auto found = row.find(column);
  return found == row.end() ? -1 : found->second;
}

class Model {
 public:
  Model(std::size_t replicas, Flaw flaw) : replicas_(replicas), flaw_(flaw) {}

  ModelRows rows(std::size_t replica) const { return merge(replicas_[replica].delivered); }

  ModelRows merge(const std::vector<int>& groups) const {
    std::map<ModelCell, std::pair<int, int>> cells;
    for (const int number : groups) {
      const ModelGroup& group = groups_[static_cast<std::size_t>(number)];
      for (const ModelWrite& write : group.writes) {
        const auto found = cells.find(write.cell);
        const bool wins = found == cells.end() || flaw_ == Flaw::last_delivered_wins ||
                          group.stamp > found->second.first;
        if (wins) cells[write.cell] = {group.stamp, write.value};
      }
    }
    ModelRows rows;
    for (const auto& [cell, value] : cells) {
      const auto alive = cells.find({cell.first, ""});
      if (alive == cells.end() || alive->second.second == 0) continue;
      rows[cell.first];
      if (!cell.second.empty()) rows[cell.first][cell.second] = value.second;
    }
    return rows;
  }

  // Each returns the number of the group.
  int add(std::size_t replica, std::vector<ModelWrite> writes) {
    groups_.push_back({static_cast<int>(groups_.size()), std::move(writes)});
    const int number = static_cast<int>(groups_.size()) - 1;
    replicas_[replica].delivered.push_back(number);
    return number;
  }

  int insert(std::size_t replica, int id, int a, int b) {
    return add(replica, {{{id, ""}, 1}, {{id, "a"}, a}, {{id, "b"}, b}});
  }

  int erase(std::size_t replica, int id) {
    std::vector<ModelWrite> writes;
    if (rows(replica).contains(id)) writes.push_back({{id, ""}, 0});
    return add(replica, std::move(writes));
  }

  // Rows whose a is at least `least`; the new value is `value`, or one more than before.
  int update(std::size_t replica, int least, const std::string& column, std::optional<int> value) {
    std::vector<ModelWrite> writes;
    for (const auto& [id, row] : rows(replica)) {
      if (value_of(row, "a") < least) continue;
      const int now = value.value_or(value_of(row, column) + 1);
      if (flaw_ == Flaw::equal_is_no_write && now == value_of(row, column)) continue;
      writes.push_back({{id, column}, now});
      const std::string other = column == "a" ? "b" : "a";
      if (flaw_ == Flaw::rows_are_whole) writes.push_back({{id, other}, value_of(row, other)});
      if (flaw_ == Flaw::update_revives) writes.push_back({{id, ""}, 1});
    }
    return add(replica, std::move(writes));
  }

  void deliver(int group, std::size_t replica) { replicas_[replica].delivered.push_back(group); }

  void withdraw(int group) {
    for (ModelReplica& replica : replicas_) std::erase(replica.delivered, group);
    groups_[static_cast<std::size_t>(group)].writes.clear();
  }

  std::size_t replica_count() const { return replicas_.size(); }
  std::size_t group_count() const { return groups_.size(); }
  void add_replica() { replicas_.emplace_back(); }

 private:
  std::vector<ModelReplica> replicas_;
  std::vector<ModelGroup> groups_;
  Flaw flaw_;
};

std::string to_text(const ModelRows& rows) {
  std::vector<std::string> texts;
  for (const auto& [id, row] : rows) {
    texts.push_back(fmt::format("{},{},{}", id, value_of(row, "a"), value_of(row, "b")));
  }
  return join(texts, ";");
}

constexpr std::string_view kQuery = "SELECT id, a, b FROM t ORDER BY id";

class Comparison {
 public:
  Comparison(std::uint32_t seed, Flaw flaw, const std::string& key)
      : random_(seed),
        store_(2, fmt::format("CREATE TABLE t (id {} PRIMARY KEY, a int, b int)", key)),
        model_(2, flaw) {
    for (const std::string& name : names_) {
      store_.open(name, IsolationLevel::eventual);
      at_[name] = 0;
    }
    store_.open("probe", IsolationLevel::eventual);
    store_.run("probe", "DELIVERY MANUAL");
  }

  // What went wrong; empty: nothing.
  std::string go(int steps) {
    for (int i = 0; i < steps; ++i) {
      const std::string wrong = step();
      if (!wrong.empty()) return wrong;
    }
    for (const std::string& name : names_) end(name, false);
    std::vector<int> all;
    for (std::size_t i = 0; i < model_.group_count(); ++i) all.push_back(static_cast<int>(i));
    const std::string converged = store_.converged(std::string(kQuery));
    const std::string expected = to_text(model_.merge(all));
    return converged == expected ? "" : fmt::format("converged {} not {}", converged, expected);
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  std::string check(const std::string& log) {
    log_.push_back(log);
    for (std::size_t replica = 0; replica < model_.replica_count(); ++replica) {
      store_.run("probe", fmt::format("MOVE TO r{}", replica + 1));
      const std::string found = store_.run("probe", std::string(kQuery));
      const std::string expected = to_text(model_.rows(replica));
      if (found == expected) continue;
      return fmt::format("{}\nr{}: {} not {}", join(log_, "\n"), replica + 1, found, expected);
    }
    const std::string kept = reply_text(store_.engine().read_table("T", std::string(kQuery)));
    const std::string read = store_.converged(std::string(kQuery));
    if (kept == read) return "";
    return fmt::format("{}\nkept {} not {}", join(log_, "\n"), kept, read);
  }

  void note(const std::string& name, int group) {
    groups_[name].push_back(group);
    if (open_.contains(name)) open_[name].push_back(group);
  }

  void end(const std::string& name, bool rolls_back) {
    if (!open_.contains(name)) return;
    store_.run(name, rolls_back ? "ROLLBACK" : "COMMIT");
    if (rolls_back) {
      for (const int group : open_[name]) model_.withdraw(group);
    }
    open_.erase(name);
  }

  std::string write(const std::string& name) {
    const std::size_t replica = at_[name];
    const int id = pick(4);
    std::string text;
    switch (pick(4)) {
      case 0: {
        const int a = pick(3);
        const int b = pick(3);
        text = fmt::format("INSERT INTO t VALUES ({}, {}, {})", id, a, b);
        const bool is_there = model_.rows(replica).contains(id);
        const std::string reply = store_.run(name, text);
        if (is_there != reply.starts_with("ERROR 23505")) return text + ": " + reply;
        note(name, is_there ? model_.add(replica, {}) : model_.insert(replica, id, a, b));
        return check(name + ": " + text);
      }
      case 1:
        text = fmt::format("DELETE FROM t WHERE id = {}", id);
        note(name, model_.erase(replica, id));
        break;
      default: {
        const std::string column = pick(2) == 0 ? "a" : "b";
        const int least = pick(4) - 1;
        const std::optional<int> value = pick(3) == 0 ? std::nullopt : std::optional(pick(3));
        text = fmt::format("UPDATE t SET {} = {} WHERE a >= {}", column,
                           value ? std::to_string(*value) : column + " + 1", least);
        note(name, model_.update(replica, least, column, value));
      }
    }
    const std::string reply = store_.run(name, text);
    if (reply.starts_with("ERROR")) return text + ": " + reply;
    return check(name + ": " + text);
  }

  std::string deliver(const std::string& name) {
    const auto to = static_cast<std::size_t>(pick(static_cast<int>(model_.replica_count())));
    const std::vector<int>& groups = groups_[name];
    const int kind = pick(8);
    std::string text;
    if (kind == 0) {
      text = fmt::format("DELIVER ALL TO r{}", to + 1);
      for (const auto& [other, all] : groups_) {
        for (const int group : all) model_.deliver(group, to);
      }
    } else if (kind < 3 || groups.empty()) {
      text = fmt::format("DELIVER {} TO r{}", name, to + 1);
      for (const int group : groups) model_.deliver(group, to);
    } else {
      const int number = pick(static_cast<int>(groups.size()));
      text = fmt::format("DELIVER {}.{} TO r{}", name, number + 1, to + 1);
      model_.deliver(groups[static_cast<std::size_t>(number)], to);
    }
    const std::string reply = store_.run("probe", text);
    if (reply != "DELIVER") return text + ": " + reply;
    return check(text);
  }

  std::string step() {
    const std::string name = names_[static_cast<std::size_t>(pick(3))];
    const int kind = pick(20);
    if (kind < 11) return write(name);
    if (kind < 16) return deliver(name);
    if (kind < 18) {
      const std::size_t most = std::min<std::size_t>(model_.replica_count() + 1, 3);
      const auto to = static_cast<std::size_t>(pick(static_cast<int>(most)));
      if (to == model_.replica_count()) model_.add_replica();
      at_[name] = to;
      std::string text = fmt::format("MOVE SESSION {} TO r{}", name, to + 1);
      if (store_.run("probe", text) != "MOVE") return text;
      return check(text);
    }
    if (open_.contains(name)) {
      const bool rolls_back = kind == 18;
      end(name, rolls_back);
      return check(name + (rolls_back ? ": ROLLBACK" : ": COMMIT"));
    }
    store_.run(name, "BEGIN");
    open_[name];
    return check(name + ": BEGIN");
  }

  std::mt19937 random_;
  TestStore store_;
  Model model_;
  std::vector<std::string> names_ = {"s1", "s2", "s3"};
  std::map<std::string, std::size_t> at_;
  std::map<std::string, std::vector<int>> groups_;
  std::map<std::string, std::vector<int>> open_;
  std::vector<std::string> log_;
};

// The kinds of keys that SQLite has: the row's own number, and another one.
constexpr const char* kKeys[] = {"int", "integer"};
constexpr int kSteps = 40;

bool notices(Flaw flaw) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    if (!Comparison(seed, flaw, "int").go(kSteps).empty()) return true;
  }
  return false;
}

}  // namespace

TEST(EngineRandom, agrees_with_a_model_of_cells) {
  for (std::uint32_t seed = 1; seed <= test_rounds(100); ++seed) {
    const std::string wrong = Comparison(seed, Flaw::none, kKeys[seed % 2]).go(kSteps);
    ASSERT_EQ(wrong, "") << "seed " << seed;
  }
}

TEST(EngineRandom, notices_what_the_model_gets_wrong) {
  EXPECT_TRUE(notices(Flaw::update_revives));
  EXPECT_TRUE(notices(Flaw::equal_is_no_write));
  EXPECT_TRUE(notices(Flaw::rows_are_whole));
  EXPECT_TRUE(notices(Flaw::last_delivered_wins));
}

}  // namespace heddle::replicated
