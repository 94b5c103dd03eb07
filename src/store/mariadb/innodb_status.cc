// A transaction's section lists what it holds and, marked, what it waits for: table locks by their
// mode, record locks by page and the numbers of the records on it. Who blocks whom follows from
// InnoDB's rules (lock_rec_has_to_wait and the compatibility of modes in lock0priv.h). Locks that
// others wait for, too, count only where nobody holds one that is in the way: queues are not told.
#include "store/mariadb/innodb_status.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "base/text.h"

namespace heddle {

namespace {

enum class LockMode : std::uint8_t {
  intention_shared,
  intention_exclusive,
  shared,
  exclusive,
  auto_increment
};

struct Lock {
  std::string_view place;  // a table, or space and page
  bool of_table = false;
  LockMode mode = LockMode::exclusive;
  bool waits = false;
  // Of records.
  bool gap_only = false;
  bool record_only = false;
  bool insert_intention = false;
  std::vector<std::uint64_t> records;
};

// The record after all others of a page; only gaps are locked there.
constexpr std::uint64_t kSupremum = 1;

struct LockingTransaction {
  std::uint64_t connection = 0;
  bool waits = false;
  std::vector<Lock> locks;
};

std::optional<std::uint64_t> number_after(std::string_view line, std::string_view words) {
  const std::size_t at = line.find(words);
  if (at == line.npos) return std::nullopt;
  const char* const begin = line.data() + at + words.size();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(begin, line.data() + line.size(), number);
  if (error != std::errc() || end == begin) return std::nullopt;
  return number;
}

bool has(std::string_view line, std::string_view words) { return line.find(words) != line.npos; }

// Names of tables may hold anything, so that words are looked for behind the last of them.
std::string_view behind_transaction_id(std::string_view line) {
  const std::size_t at = line.rfind(" trx id ");
  return at == line.npos ? std::string_view() : line.substr(at);
}

LockMode mode_in(std::string_view words, std::string_view before) {
  const std::size_t at = words.find(before);
  const std::string_view mode = at == words.npos ? "" : words.substr(at + before.size());
  if (mode.starts_with("IS")) return LockMode::intention_shared;
  if (mode.starts_with("IX")) return LockMode::intention_exclusive;
  if (mode.starts_with("S")) return LockMode::shared;
  if (mode.starts_with("AUTO")) return LockMode::auto_increment;
  return LockMode::exclusive;
}

std::optional<Lock> read_lock(std::string_view line) {
  Lock lock;
  const std::string_view rest = behind_transaction_id(line);
  if (line.starts_with("TABLE LOCK table ")) {
    lock.of_table = true;
    lock.place = line.substr(0, line.size() - rest.size());
    lock.mode = mode_in(rest, "lock mode ");
  } else if (line.starts_with("RECORD LOCKS space id ")) {
    lock.place = line.substr(0, line.find(" n bits "));
    lock.mode = mode_in(rest, "lock_mode ");
    if (has(rest, "lock mode ")) lock.mode = mode_in(rest, "lock mode ");
    lock.gap_only = has(rest, "locks gap before rec");
    lock.record_only = has(rest, "locks rec but not gap");
    lock.insert_intention = has(rest, "insert intention");
  } else {
    return std::nullopt;
  }
  lock.waits = rest.ends_with(" waiting");
  return lock;
}

std::vector<LockingTransaction> read_transactions(std::string_view status) {
  std::vector<LockingTransaction> transactions;
  for (std::string_view rest = status; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.starts_with("---TRANSACTION ")) {
      transactions.emplace_back();
    } else if (line == "FILE I/O") {
      break;  // the section that follows
    }
    if (transactions.empty()) continue;
    LockingTransaction& current = transactions.back();
    if (line.starts_with("LOCK WAIT ")) current.waits = true;
    // "MariaDB thread id 8, OS thread handle ..." or "MySQL thread id 8, ..."
    const bool names_thread =
        line.starts_with("MariaDB thread id ") || line.starts_with("MySQL thread id ");
    if (names_thread && current.connection == 0) {
      current.connection = number_after(line, " thread id ").value_or(0);
    }
    if (auto lock = read_lock(line)) current.locks.push_back(std::move(*lock));
    if (line.starts_with("Record lock, heap no ") && !current.locks.empty()) {
      current.locks.back().records.push_back(number_after(line, "heap no ").value_or(0));
    }
  }
  return transactions;
}

bool are_compatible(LockMode a, LockMode b) {
  using enum LockMode;
  if (a > b) std::swap(a, b);
  switch (b) {
    case intention_shared:
    case intention_exclusive:
      return true;
    case shared:
      return a == intention_shared || a == shared;
    case exclusive:
      return false;
    case auto_increment:
      return a == intention_shared || a == intention_exclusive;
  }
  return false;
}

bool blocks_on_record(const Lock& held, const Lock& wanted, std::uint64_t record) {
  if (std::ranges::find(held.records, record) == held.records.end()) return false;
  if (held.insert_intention) return false;
  const bool held_gap = held.gap_only || record == kSupremum;
  if (wanted.insert_intention) return !held.record_only;
  if (wanted.gap_only || record == kSupremum) return false;
  return !held_gap;
}

bool blocks(const Lock& held, const Lock& wanted) {
  if (held.of_table != wanted.of_table || held.place != wanted.place) return false;
  if (are_compatible(held.mode, wanted.mode)) return false;
  if (held.of_table) return true;
  return std::ranges::any_of(
      wanted.records, [&](std::uint64_t record) { return blocks_on_record(held, wanted, record); });
}

std::vector<std::uint64_t> find_blockers(const std::vector<LockingTransaction>& transactions,
                                         const LockingTransaction& waiter, bool waiting_too) {
  std::vector<std::uint64_t> blockers;
  for (const LockingTransaction& other : transactions) {
    if (&other == &waiter || other.connection == 0) continue;
    const bool is_blocker = std::ranges::any_of(other.locks, [&](const Lock& held) {
      if (held.waits && !waiting_too) return false;
      return std::ranges::any_of(
          waiter.locks, [&](const Lock& wanted) { return wanted.waits && blocks(held, wanted); });
    });
    if (is_blocker) blockers.push_back(other.connection);
  }
  std::ranges::sort(blockers);
  return blockers;
}

}  // namespace

std::vector<InnodbWait> read_innodb_waits(std::string_view status) {
  const std::vector<LockingTransaction> transactions = read_transactions(status);
  std::vector<InnodbWait> waits;
  for (const LockingTransaction& transaction : transactions) {
    if (!transaction.waits || transaction.connection == 0) continue;
    InnodbWait wait{transaction.connection, find_blockers(transactions, transaction, false)};
    if (wait.blockers.empty()) wait.blockers = find_blockers(transactions, transaction, true);
    waits.push_back(std::move(wait));
  }
  return waits;
}

}  // namespace heddle
