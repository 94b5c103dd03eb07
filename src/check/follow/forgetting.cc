#include "check/follow/forgetting.h"

#include <algorithm>
#include <optional>
#include <set>

namespace heddle {

namespace {

// How a transaction touches a key from outside.
struct KeyTouch {
  std::int64_t key = 0;
  const KeptRead* read = nullptr;
  const KeptWrite* write = nullptr;
};

class ForgettableSearch {
 public:
  ForgettableSearch(const KeptPart& part, const LevelShape& shape, const ForcedOrder& order)
      : part_(part), shape_(shape), order_(order), touches_(part.transactions.size()) {
    for (const auto& [name, key] : order.keys()) {
      for (const KeptRead& read : key.reads) touch(read.reader, {name, &read, nullptr});
      for (const KeptWrite& write : key.writes) touch(write.writer, {name, nullptr, &write});
    }
  }

  Forgettable run() {
    found_.nodes.resize(part_.transactions.size());
    for (Node node = 0; node < found_.nodes.size(); ++node) {
      const KeptTransaction& txn = part_.transactions[node];
      found_.nodes[node] = txn.is_settled && txn.counts();
    }
    drop_never_seen();
    for (Node node = 0; node < found_.nodes.size(); ++node) {
      if (!found_.nodes[node] && stays(node)) excluded_.push_back(node);
    }
    do {
      spread();
      found_.last_writers.clear();
      found_.left_over.clear();
    } while (!choose_last_writers() || !may_leave_over());
    std::set<Node> put_off(found_.put_off.begin(), found_.put_off.end());
    found_.put_off.assign(put_off.begin(), put_off.end());
    return std::move(found_);
  }

 private:
  void touch(Node node, const KeyTouch& touch) { touches_[node].push_back(touch); }

  const KeptKey& key(std::int64_t name) const { return order_.keys().at(name); }

  // Whether the others have to mind it.
  bool stays(Node node) const {
    return !part_.transactions[node].is_aborted() &&
           std::ranges::find(found_.never_seen, node) == found_.never_seen.end();
  }

  void exclude(Node node) {
    if (!found_.nodes[node]) return;
    found_.nodes[node] = false;
    excluded_.push_back(node);
  }

  // One of unknown outcome that would have to come before some settled ones, as its session went on
  // or as they overwrote what it read, where each of its keys was written at that time or later:
  // nobody who is still to come sees it.
  void drop_never_seen() {
    if (!shape_.rw_is_edge) return;
    for (Node node = 0; node < part_.transactions.size(); ++node) {
      const KeptTransaction& txn = part_.transactions[node];
      if (txn.is_aborted() || txn.counts() || !txn.is_unique) continue;
      const std::vector<Node> later = settled_after(node);
      const auto is_past = [&](const KeyTouch& mine) {
        if (mine.write == nullptr) return true;
        return !mine.write->is_read && std::ranges::any_of(later, [&](Node since) {
          return touched_since(mine.key, since, node);
        });
      };
      if (std::ranges::all_of(touches_[node], is_past)) found_.never_seen.push_back(node);
    }
  }

  // Settled ones that it would come before: the next of its session, and those that overwrote what
  // it read.
  std::vector<Node> settled_after(Node node) const {
    std::vector<Node> later;
    for (Node next = node + 1; next < part_.transactions.size() && shape_.session; ++next) {
      const KeptTransaction& txn = part_.transactions[next];
      if (txn.recorded.session != part_.transactions[node].recorded.session) continue;
      if (txn.is_settled && txn.counts()) {
        later.push_back(next);
        break;
      }
    }
    for (const KeyTouch& mine : touches_[node]) {
      // With two points a transaction may read before and write after what overwrote what it read.
      if (mine.read == nullptr || mine.read->candidates.size() != 1 || key(mine.key).is_mixed ||
          shape_.split) {
        continue;
      }
      const Node seen = mine.read->candidates.front();
      if (seen == kBefore && part_.partial) continue;
      for (const KeptWrite& write : key(mine.key).writes) {
        const KeptTransaction& txn = part_.transactions[write.writer];
        const bool is_newer =
            write.writer != seen && write.writer != node && txn.is_settled && txn.counts() &&
            (seen == kBefore || order_.surely(shape_.commit(seen), shape_.commit(write.writer)));
        if (is_newer) later.push_back(write.writer);
      }
    }
    return later;
  }

  // Whether a settled transaction that is `since`, or surely after it, writes the key. A list shows
  // also what was appended before: there it must be read without what `but_not` appended.
  bool touched_since(std::int64_t name, Node since, Node but_not) const {
    const auto is_since = [&](Node node, Point point) {
      const KeptTransaction& txn = part_.transactions[node];
      return node != but_not && txn.is_settled && txn.counts() &&
             (node == since || order_.surely(shape_.commit(since), point));
    };
    if (!key(name).is_list) {
      return std::ranges::any_of(key(name).writes, [&](const KeptWrite& write) {
        return is_since(write.writer, shape_.commit(write.writer));
      });
    }
    return std::ranges::any_of(key(name).reads, [&](const KeptRead& read) {
      return is_since(read.reader, shape_.begin(read.reader)) &&
             std::ranges::find(read.shown, but_not) == read.shown.end();
    });
  }

  void spread() {
    while (!excluded_.empty()) {
      const Node node = excluded_.back();
      excluded_.pop_back();
      keep_order(node);
      for (const KeyTouch& mine : touches_[node]) mind_key(node, mine);
    }
  }

  // What has to come after it by time or session stays, too.
  void keep_order(Node node) {
    const KeptTransaction& kept = part_.transactions[node];
    for (Node other = 0; other < found_.nodes.size(); ++other) {
      if (!found_.nodes[other]) continue;
      const KeptTransaction& txn = part_.transactions[other];
      const bool by_time =
          kept.counts() && !kept.is_open() && kept.recorded.ended < txn.recorded.began;
      const bool by_session =
          shape_.session && other > node && txn.recorded.session == kept.recorded.session;
      if (by_time || by_session) exclude(other);
    }
  }

  void mind_key(Node node, const KeyTouch& mine) {
    const KeptKey& touched = key(mine.key);
    for (const KeptWrite& write : touched.writes) {
      const Node other = write.writer;
      if (!found_.nodes[other]) continue;
      const bool good = mine.write != nullptr ? write_before_write(write, *mine.write, mine.key)
                                              : write_before_read(other, *mine.read, touched);
      if (!good) exclude(other);
    }
    if (mine.write == nullptr) return;
    for (const KeptRead& read : touched.reads) {
      if (found_.nodes[read.reader] && !read_before_write(read, node, touched))
        exclude(read.reader);
    }
  }

  bool write_before_read(Node writer, const KeptRead& read, const KeptKey& touched) const {
    if (order_.before(shape_.commit(writer), shape_.begin(read.reader))) return true;
    // Whoever reads what nobody has written yet comes after all that is settled.
    return !touched.is_mixed && std::ranges::all_of(read.candidates, [&](Node candidate) {
      return candidate != kBefore &&
             (candidate == writer ||
              order_.before(shape_.commit(writer), shape_.commit(candidate)));
    });
  }

  bool write_before_write(const KeptWrite& first, const KeptWrite& second, std::int64_t name) {
    const Node later = second.writer;
    return order_.before(shape_.commit(first.writer), shape_.overwrite(later)) ||
           does_not_matter(first, second, name) || is_put_off(first.writer, later, false);
  }

  bool read_before_write(const KeptRead& read, Node writer, const KeptKey& touched) {
    const Point written = shape_.commit(writer);
    if (shape_.rw_is_edge && order_.before(shape_.begin(read.reader), written)) return true;
    if (order_.before(shape_.commit(read.reader), written)) return true;
    if (!shape_.rw_is_edge && !touched.is_mixed && read.candidates.size() == 1) {
      const Node seen = read.candidates.front();
      if (seen == kBefore || order_.before(shape_.commit(seen), shape_.overwrite(writer))) {
        return true;
      }
    }
    return is_put_off(read.reader, writer, true);
  }

  // Two versions that nobody has read, and nobody can any more.
  bool does_not_matter(const KeptWrite& first, const KeptWrite& second, std::int64_t name) const {
    if (first.is_read || second.is_read || !shape_.rw_is_edge || key(name).is_mixed ||
        key(name).is_list) {
      return false;
    }
    return std::ranges::any_of(key(name).writes, [&](const KeptWrite& third) {
      return is_overwritten(first, third) && is_overwritten(second, third);
    });
  }

  bool is_overwritten(const KeptWrite& by, const KeptWrite& third) const {
    const KeptTransaction& txn = part_.transactions[third.writer];
    return third.writer != by.writer && txn.is_settled && txn.counts() &&
           order_.surely(shape_.commit(by.writer), shape_.commit(third.writer));
  }

  // `later` is one of unknown outcome that writes blindly. If nobody ever sees it, it may as well
  // come last. If somebody does who is still to come, or who comes after all of F that touch the
  // key, then it comes after all of F that touch the key: one of its keys at least. So `first` is
  // before it if for each of its keys some touch of F is not before `first`.
  bool is_put_off(Node first, Node later, bool only_begin) {
    const KeptTransaction& txn = part_.transactions[later];
    if (!txn.is_open() || txn.is_settled || !shape_.rw_is_edge || !txn.is_unique) return false;
    for (const KeyTouch& mine : touches_[later]) {
      // A list shows also what was appended before.
      if (mine.write == nullptr || key(mine.key).is_list) return false;
      if (!is_touched_after(mine.key, first, only_begin)) return false;
    }
    found_.put_off.push_back(later);
    put_off_for_.emplace_back(first, later);
    return true;
  }

  bool is_touched_after(std::int64_t name, Node first, bool only_begin) const {
    const Point point = only_begin ? shape_.begin(first) : shape_.commit(first);
    const auto is_after = [&](Point touch) {
      return touch == point || order_.surely(point, touch);
    };
    const KeptKey& touched = key(name);
    return std::ranges::any_of(touched.writes,
                               [&](const KeptWrite& write) {
                                 return found_.nodes[write.writer] &&
                                        is_after(shape_.commit(write.writer));
                               }) ||
           std::ranges::any_of(touched.reads, [&](const KeptRead& read) {
             return found_.nodes[read.reader] && !touched.is_mixed &&
                    is_after(shape_.begin(read.reader));
           });
  }

  // False: some were left out of F.
  bool choose_last_writers() {
    // What was put off for a touch that is not in F any more has to be looked at again.
    bool good = true;
    for (const auto& [first, later] : put_off_for_) {
      if (found_.nodes[first] && !still_put_off(first, later)) {
        exclude(first);
        good = false;
      }
    }
    for (const auto& [name, touched] : order_.keys())
      good = choose_last_writer(name, touched) && good;
    return good;
  }

  bool still_put_off(Node first, Node later) const {
    return std::ranges::all_of(touches_[later], [&](const KeyTouch& mine) {
      return is_touched_after(mine.key, first, false);
    });
  }

  bool choose_last_writer(std::int64_t name, const KeptKey& touched) {
    std::vector<Node> writers;
    for (const KeptWrite& write : touched.writes) {
      if (found_.nodes[write.writer]) writers.push_back(write.writer);
    }
    if (writers.empty()) return true;
    const auto precedes = [&](Node a, Node b) {
      return order_.before(shape_.commit(a), shape_.commit(b));
    };
    std::vector<Node> open;  // nobody knows whether they are the last
    for (const Node writer : writers) {
      const bool is_open = std::ranges::any_of(writers, [&](Node other) {
        if (other == writer || precedes(writer, other)) return false;
        return touched.is_list || touched.is_mixed || !precedes(other, writer);
      });
      const bool is_beaten = std::ranges::any_of(
          writers, [&](Node other) { return other != writer && precedes(writer, other); });
      const bool matters = touched.is_list || touched.is_mixed || !is_beaten;
      if (touched.is_mixed || (is_open && matters)) open.push_back(writer);
    }
    if (touched.is_list) {
      std::erase_if(open, [&](Node writer) {
        return std::ranges::all_of(writers, [&](Node other) {
          return other == writer || precedes(writer, other) || precedes(other, writer);
        });
      });
    }
    std::vector<Node> last = open;
    if (!open.empty()) add_not_older(last, writers);
    if (!open.empty() && is_left_over(last, touched)) {
      found_.left_over[name] = last;
      std::erase_if(writers,
                    [&](Node writer) { return std::ranges::find(last, writer) != last.end(); });
      if (writers.empty()) return true;
      open.clear();
    }
    if (!open.empty() && (touched.is_mixed || touched.is_list || !nobody_sees(open, touched))) {
      for (const Node writer : open) exclude(writer);
      return false;
    }
    std::ranges::sort(writers, [&](Node a, Node b) { return precedes(a, b); });
    if (!touched.is_list) writers = {open.empty() ? last_of(writers, touched) : open.front()};
    found_.last_writers[name] = std::move(writers);
    return true;
  }

  Node last_of(const std::vector<Node>& writers, const KeptKey&) const {
    return *std::ranges::find_if(writers, [&](Node writer) {
      return std::ranges::none_of(writers, [&](Node other) {
        return other != writer && order_.before(shape_.commit(writer), shape_.commit(other));
      });
    });
  }

  bool ended_before(Node first, Node second) const {
    const RecordedTransaction& one = part_.transactions[first].recorded;
    return one.ended != kNever && one.ended < part_.transactions[second].recorded.began;
  }

  // Until all others are older than all of these.
  void add_not_older(std::vector<Node>& last, const std::vector<Node>& writers) const {
    for (bool grown = true; grown;) {
      grown = false;
      for (const Node writer : writers) {
        if (std::ranges::find(last, writer) != last.end()) continue;
        const bool is_older = std::ranges::all_of(last, [&](Node one) {
          return order_.before(shape_.commit(writer), shape_.commit(one));
        });
        if (is_older) continue;
        last.push_back(writer);
        grown = true;
      }
    }
  }

  // Whether nobody has read these versions, and all that stays and touches the key began after
  // these ended.
  bool is_left_over(const std::vector<Node>& open, const KeptKey& touched) const {
    if (leaves_nothing_ || touched.is_mixed || shape_.split || !shape_.rw_is_edge) return false;
    const auto is_one = [&](Node node) { return std::ranges::find(open, node) != open.end(); };
    const auto is_after_all = [&](Node node) {
      return found_.nodes[node] ||
             std::ranges::all_of(open, [&](Node last) { return ended_before(last, node); });
    };
    return std::ranges::all_of(touched.writes,
                               [&](const KeptWrite& write) {
                                 return is_after_all(write.writer) &&
                                        !(is_one(write.writer) && write.is_read);
                               }) &&
           std::ranges::all_of(touched.reads,
                               [&](const KeptRead& read) { return is_after_all(read.reader); });
  }

  // See the header. False: nothing is left over, and what is open was left out of F.
  bool may_leave_over() {
    if (found_.left_over.empty() || is_decided()) return true;
    leaves_nothing_ = true;
    return false;
  }

  bool is_decided() const {
    return std::ranges::all_of(
        order_.keys(), [&](const auto& entry) { return is_decided(entry.first, entry.second); });
  }

  bool is_decided(std::int64_t name, const KeptKey& touched) const {
    const auto open = found_.left_over.find(name);
    const auto is_open = [&](Node node) {
      return open != found_.left_over.end() &&
             std::ranges::find(open->second, node) != open->second.end();
    };
    for (const KeptWrite& write : touched.writes) {
      if (!found_.nodes[write.writer]) continue;
      for (const KeptWrite& other : touched.writes) {
        if (!found_.nodes[other.writer] || other.writer <= write.writer) continue;
        const bool is_free =
            (is_open(write.writer) && is_open(other.writer)) || does_not_matter(write, other, name);
        if (!is_free && !are_ordered(write.writer, other.writer)) return false;
      }
      for (const KeptRead& read : touched.reads) {
        if (!found_.nodes[read.reader] || read.reader == write.writer) continue;
        if (!are_ordered(write.writer, read.reader)) return false;
      }
    }
    return true;
  }

  bool are_ordered(Node one, Node other) const {
    return order_.before(shape_.commit(one), shape_.commit(other)) ||
           order_.before(shape_.commit(other), shape_.commit(one));
  }

  // Versions that are overwritten by what stays, and that nobody has read.
  bool nobody_sees(const std::vector<Node>& writers, const KeptKey& touched) const {
    if (!shape_.rw_is_edge) return false;
    return std::ranges::any_of(touched.writes, [&](const KeptWrite& third) {
      return std::ranges::all_of(touched.writes, [&](const KeptWrite& write) {
        if (std::ranges::find(writers, write.writer) == writers.end()) return true;
        return !write.is_read && is_overwritten(write, third);
      });
    });
  }

  const KeptPart& part_;
  const LevelShape& shape_;
  const ForcedOrder& order_;
  std::vector<std::vector<KeyTouch>> touches_;  // by node
  Forgettable found_;
  std::vector<Node> excluded_;  // whose consequences are to be drawn
  std::vector<std::pair<Node, Node>> put_off_for_;
  bool leaves_nothing_ = false;
};

}  // namespace

Forgettable choose_forgettable(const KeptPart& part, const LevelShape& shape,
                               const ForcedOrder& order) {
  return ForgettableSearch(part, shape, order).run();
}

}  // namespace heddle
