// dbcop's History as bincode 1 writes it: numbers and lengths in 8 bytes, lowest first, truth
// values in one byte, texts and lists after their length. The structs are in dbcop's
// src/db/history.rs: five numbers of parameters, three texts (information, start, end), then per
// session the transactions, per transaction the events (write, variable, value, success) and
// success.

#include "base/interrupt.h"
#include "frontend/history/dbcop.h"
#include "frontend/history/dbcop_events.h"

namespace heddle {

namespace {

constexpr std::uint64_t kParameters = 5;
constexpr std::uint64_t kTexts = 3;
constexpr std::uint64_t kSmallestSession = 8;
constexpr std::uint64_t kSmallestTransaction = 9;
constexpr std::uint64_t kSmallestEvent = 18;

class BincodeReader {
 public:
  BincodeReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  Result<TransactionHistory> read() {
    bytes_.skip(8 * kParameters);
    for (std::uint64_t i = 0; i < kTexts; ++i) bytes_.skip(bytes_.little_endian_64());
    const std::uint64_t sessions = length(kSmallestSession);
    for (std::uint64_t i = 0; i < sessions && !trouble_ && !interrupted(); ++i) {
      const std::uint64_t transactions = length(kSmallestTransaction);
      for (std::uint64_t j = 0; j < transactions && !trouble_ && !interrupted(); ++j)
        read_transaction();
      events_.end_session();
    }
    if (!bytes_.ok()) fail("the file ends too early");
    if (!bytes_.at_end()) fail("something follows after the history");
    if (trouble_) return *trouble_;
    return events_.take();
  }

 private:
  void read_transaction() {
    events_.begin_transaction();
    const std::uint64_t events = length(kSmallestEvent);
    for (std::uint64_t i = 0; i < events && !trouble_ && !interrupted(); ++i) {
      const bool write = truth();
      const Value variable = unsigned_value(events_.texts(), bytes_.little_endian_64());
      const Value value = unsigned_value(events_.texts(), bytes_.little_endian_64());
      events_.add(write, variable, value, truth());
    }
    events_.end_transaction(truth());
    if (events_.is_full()) fail("more operations than 2^32 - 16");
  }

  // The length of a list whose elements need at least `smallest` bytes each.
  std::uint64_t length(std::uint64_t smallest) {
    const std::uint64_t length = bytes_.little_endian_64();
    if (length <= bytes_.remaining() / smallest) return length;
    fail("a list longer than the file");
    return 0;
  }

  bool truth() {
    const std::uint8_t byte = bytes_.byte();
    if (byte > 1) fail("a truth value that is neither 0 nor 1");
    return byte == 1;
  }

  void fail(const char* what) {
    if (!trouble_) trouble_ = binary_error(name_, bytes_.offset(), what);
  }

  ByteReader bytes_;
  const std::string& name_;
  DbcopEvents events_;
  std::optional<Diagnostic> trouble_;
};

}  // namespace

Result<TransactionHistory> read_dbcop_bincode(std::string_view bytes, const std::string& name) {
  return BincodeReader(bytes, name).read();
}

}  // namespace heddle
