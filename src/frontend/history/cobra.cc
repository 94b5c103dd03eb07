// Cobra's clients log each transaction when it has committed: S (start) and C (commit) with the
// transaction's id, W with write id, hash of the key and hash of the value, R with the transaction
// and the write it read from, hash of the key and hash of the value; a letter and 8 bytes, highest
// first, per number. Logs made with timestamps have one more number after S and C. The sources are
// LogEntry, ChengInstrumentAPI and LibConstants of CobraBench and AbstractVerifier of
// CobraVerifier.
//
// A read names its write, so the value of a write is its id, and a read that names a write that the
// named transaction did not log gets a value that nothing writes. Three names are no writes:
//
// - "initial": the key was there before the first transaction. That is kNil.
// - "null": the key was not there. Nobody knows whether it never was or was deleted, as all deletes
//   share one id. Where the key was read as initial it was there, so only a delete explains a null;
//   elsewhere null is also the state before the first transaction.
// - "garbage collection": the verifier's own marks, initial ones too.

#include "frontend/history/cobra.h"

#include <array>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "frontend/history/forms/byte_reader.h"

namespace heddle {

namespace {

constexpr std::uint64_t kInitialId = 0xbebeebee;
constexpr std::uint64_t kNullId = 0xdeadbeef;
constexpr std::uint64_t kDeleteId = 0xabcdefab;
constexpr std::array<std::uint64_t, 2> kGarbageCollectionIds = {0x23332333, 0x66666666};

// One entry of a log. Start, commit and abort have only `transaction` and `time`.
struct Entry {
  char kind = 0;
  std::uint64_t transaction = 0;  // R: the one that wrote
  std::uint64_t time = 0;
  std::uint64_t write = 0;
  std::uint64_t key = 0;
};

// False at a kind that does not exist and where the log ends inside of the entry.
bool read_entry(ByteReader& bytes, bool timed, Entry& entry) {
  entry = Entry();
  entry.kind = static_cast<char>(bytes.byte());
  switch (entry.kind) {
    case 'S':
    case 'C':
    case 'A':
      entry.transaction = bytes.big_endian_64();
      if (timed) entry.time = bytes.big_endian_64();
      break;
    case 'R':
      entry.transaction = bytes.big_endian_64();
      [[fallthrough]];
    case 'W':
      entry.write = bytes.big_endian_64();
      entry.key = bytes.big_endian_64();
      bytes.big_endian_64();  // the hash of the value
      break;
    default:
      return false;
  }
  return bytes.ok();
}

// Calls visit(entry, the transaction it is in, whether that is open afterwards) for each entry.
template <class Visit>
Result<void> for_each_entry(const CobraLog& log, bool timed, const Visit& visit) {
  ByteReader bytes(log.bytes);
  std::optional<std::uint64_t> open;
  while (!bytes.at_end() && !interrupted()) {
    const std::size_t offset = bytes.offset();
    Entry entry;
    if (!read_entry(bytes, timed, entry)) {
      return binary_error(
          log.name, offset,
          bytes.ok() ? "no entry of a Cobra log" : "the log ends inside of an entry");
    }
    const bool is_start = entry.kind == 'S';
    if (is_start == open.has_value()) {
      return binary_error(log.name, offset,
                          is_start ? "a transaction starts inside of another one"
                                   : "an entry outside of a transaction");
    }
    if (is_start) open = entry.transaction;
    const std::uint64_t transaction = *open;
    if (entry.kind == 'C' || entry.kind == 'A') {
      if (entry.transaction != transaction) {
        return binary_error(log.name, offset, "the end of a transaction that did not start");
      }
      open.reset();
    }
    visit(entry, transaction);
  }
  return {};
}

struct WriteName {
  std::uint64_t key = 0;
  std::uint64_t write = 0;

  bool operator==(const WriteName&) const = default;
};

struct WriteNameHash {
  std::size_t operator()(const WriteName& name) const {
    const std::uint64_t mixed = name.write * 0x9E3779B97F4A7C15U + name.key * 0xC2B2AE3D27D4EB4FU;
    return static_cast<std::size_t>(mixed ^ mixed >> 32);
  }
};

class CobraReader {
 public:
  CobraReader(std::span<const CobraLog> logs, bool timed) : logs_(logs), timed_(timed) {
    history_.has_times = timed;
  }

  Result<TransactionHistory> read() {
    for (const CobraLog& log : logs_) {
      const auto collect = [&](const Entry& entry, std::uint64_t transaction) {
        collect_names(entry, transaction);
      };
      if (const Result<void> done = for_each_entry(log, timed_, collect); !done)
        return done.error();
    }
    for (const CobraLog& log : logs_) {
      if (const Result<void> done = read_log(log); !done) return done.error();
    }
    return std::move(history_);
  }

 private:
  struct Writer {
    std::uint64_t transaction = 0;
    bool is_shared = false;  // several transactions logged the same write
  };

  void collect_names(const Entry& entry, std::uint64_t transaction) {
    if (entry.kind == 'R' && entry.write == kInitialId) was_initial_.insert(entry.key);
    if (entry.kind != 'W' || entry.write == kDeleteId) return;
    const auto [place, is_new] =
        writers_.try_emplace({entry.key, entry.write}, Writer{transaction, false});
    if (!is_new && place->second.transaction != transaction) place->second.is_shared = true;
  }

  Result<void> read_log(const CobraLog& log) {
    const auto session = static_cast<std::uint32_t>(history_.sessions.size());
    std::string_view name = log.name;
    name = name.substr(name.find_last_of('/') + 1);
    if (name.ends_with(".log")) name.remove_suffix(4);
    history_.sessions.emplace_back(name);
    std::optional<TransactionBuilder> txn;
    Moment began = 0;
    bool backwards = false;
    const auto add = [&](const Entry& entry, std::uint64_t transaction) {
      const auto time = static_cast<Moment>(entry.time & 0x7FFFFFFFFFFFFFFEU);
      if (entry.kind == 'S') {
        txn.emplace(history_, session);
        began = time;
      } else if (entry.kind == 'C' || entry.kind == 'A') {
        backwards = backwards || (timed_ && time < began);
        end(*txn, entry.kind, began, time);
        txn.reset();
      } else {
        add_operation(*txn, entry, transaction);
      }
    };
    if (Result<void> done = for_each_entry(log, timed_, add); !done) return done;
    if (txn) txn->end(TransactionOutcome::unknown, began);
    if (!backwards) return {};
    return Diagnostic{"a transaction commits before it starts", "", log.name};
  }

  void end(TransactionBuilder& txn, char kind, Moment began, Moment time) const {
    const auto outcome = kind == 'C' ? TransactionOutcome::committed : TransactionOutcome::aborted;
    txn.end(outcome, began, timed_ ? time : kNever);
  }

  void add_operation(TransactionBuilder& txn, const Entry& entry, std::uint64_t transaction) {
    const KeyId key = history_.keys.of(unsigned_value(history_.texts, entry.key));
    if (entry.kind == 'W') {
      txn.write(key, entry.write == kDeleteId ? null_value(entry.key)
                                              : written_value(entry, transaction));
    } else {
      txn.read(key, read_value(entry));
    }
  }

  Value read_value(const Entry& entry) {
    const bool from_initial = entry.transaction == kInitialId || entry.transaction == kNullId;
    if (!from_initial) return written_value(entry, entry.transaction);
    if (entry.write == kInitialId || entry.write == kGarbageCollectionIds[0] ||
        entry.write == kGarbageCollectionIds[1]) {
      return kNil;
    }
    return entry.write == kNullId ? null_value(entry.key) : unwritten(entry);
  }

  Value null_value(std::uint64_t key) {
    return was_initial_.contains(key) ? history_.texts.text("deleted") : kNil;
  }

  // REQUIRES: `transaction` is the one that writes, in the case of a read the one that it names.
  Value written_value(const Entry& entry, std::uint64_t transaction) {
    const auto found = writers_.find({entry.key, entry.write});
    if (found == writers_.end()) return unwritten(entry);
    if (found->second.is_shared) return named_value(entry.write, transaction);
    if (found->second.transaction != transaction) return unwritten(entry);
    return unsigned_value(history_.texts, entry.write);
  }

  // Two transactions may log the same id; then the value names the transaction too.
  Value named_value(std::uint64_t write, std::uint64_t transaction) {
    return history_.texts.text(fmt::format("{} of transaction {:x}", write, transaction));
  }

  Value unwritten(const Entry& entry) {
    return history_.texts.text(
        fmt::format("{} of transaction {:x}, not logged", entry.write, entry.transaction));
  }

  std::span<const CobraLog> logs_;
  bool timed_;
  TransactionHistory history_;
  std::unordered_map<WriteName, Writer, WriteNameHash> writers_;
  std::unordered_set<std::uint64_t> was_initial_;
};

}  // namespace

Result<TransactionHistory> read_cobra(std::span<const CobraLog> logs) {
  Result<TransactionHistory> plain = CobraReader(logs, /*timed=*/false).read();
  if (plain) return plain;
  Result<TransactionHistory> timed = CobraReader(logs, /*timed=*/true).read();
  return timed ? std::move(timed) : std::move(plain);
}

}  // namespace heddle
