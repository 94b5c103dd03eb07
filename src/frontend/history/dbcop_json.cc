// dbcop's histories as JSON: a list of sessions, or an object whose "data" is that list. A session
// is a list of transactions, a transaction an object with "events" and "committed" (in older files
// "success"). An event is one of
//
//   {"Read": {"variable": 3, "version": 17}}, version null: what was there before any write
//   {"Write": {"variable": 3, "version": 18}}
//   ["r", 3, 17], ["w", 3, 18]
//   {"write": true, "variable": 3, "value": 18, "success": true}
//
// after dbcop's crates/core/src/history/raw/types.rs and, for the last, src/db/history.rs.

#include "frontend/history/dbcop.h"
#include "frontend/history/dbcop_events.h"
#include "frontend/history/lines_json.h"

namespace heddle {

namespace {

struct DbcopEvent {
  std::optional<bool> write;
  std::optional<Value> variable;
  std::optional<Value> value;
  bool success = true;
};

class DbcopJsonReader {
 public:
  DbcopJsonReader(std::string_view bytes, const std::string& name) : json_(bytes, name) {}

  Result<TransactionHistory> read() {
    bool has_sessions = json_.peek() == '[';
    if (has_sessions) {
      read_sessions();
    } else {
      json_.each_member([&](std::string_view key) {
        if (key != "data") return json_.skip_value();
        if (has_sessions) json_.fail("a second \"data\"");
        has_sessions = true;
        read_sessions();
      });
    }
    if (!has_sessions) json_.fail("no \"data\"", "a history of dbcop has a list of sessions there");
    if (!json_.at_end()) json_.fail("something follows after the history");
    if (json_.trouble()) return *json_.trouble();
    return events_.take();
  }

 private:
  void read_sessions() {
    json_.each_element([&] {
      json_.each_element([&] { read_transaction(); });
      events_.end_session();
    });
  }

  void read_transaction() {
    const SourcePosition position = json_.position();
    events_.begin_transaction(position.line);
    std::optional<bool> success;
    bool has_events = false;
    json_.each_member([&](std::string_view key) {
      if (key == "events" && !has_events) {
        has_events = true;
        json_.each_element([&] { add(read_event()); });
      } else if (key == "committed" || key == "success") {
        success = json_.boolean();
      } else {
        json_.skip_value();
      }
    });
    if (!success || !has_events) {
      json_.fail_at(position, "a transaction needs \"events\" and \"committed\"");
    }
    if (events_.is_full()) json_.fail("more operations than 2^32 - 16");
    if (!json_.trouble()) events_.end_transaction(*success);
  }

  void add(const DbcopEvent& event) {
    if (!event.write || !event.variable || !event.value) {
      json_.fail("an event needs a variable and a version");
    }
    if (json_.trouble()) return;
    if (*event.write && *event.value == kNil) return json_.fail("a write needs a version");
    events_.add(*event.write, *event.variable, *event.value, event.success);
  }

  DbcopEvent read_event() {
    DbcopEvent event;
    if (json_.peek() == '[') {
      std::size_t place = 0;
      json_.each_element([&] { read_part(event, place++); });
      return event;
    }
    json_.each_member([&](std::string_view key) {
      if (key == "Read" || key == "Write") {
        event.write = key == "Write";
        json_.each_member([&](std::string_view part) { read_member(event, part); });
      } else {
        read_member(event, key);
      }
    });
    return event;
  }

  void read_part(DbcopEvent& event, std::size_t place) {
    if (place == 0) {
      const std::string_view kind = json_.text();
      if (kind != "r" && kind != "w") json_.fail("expected \"r\" or \"w\"");
      event.write = kind == "w";
    } else {
      read_member(event, place == 1 ? "variable" : place == 2 ? "version" : "more");
    }
  }

  void read_member(DbcopEvent& event, std::string_view key) {
    if (key == "variable") {
      event.variable = read_value();
    } else if (key == "version" || key == "value") {
      event.value = read_value();
    } else if (key == "write") {
      event.write = json_.boolean();
    } else if (key == "success") {
      event.success = json_.boolean();
    } else {
      json_.skip_value();
    }
  }

  Value read_value() {
    if (json_.peek() == '{') json_.fail("expected a number or a text");
    return json_.value(events_.texts());
  }

  JsonCursor json_;
  DbcopEvents events_;
};

}  // namespace

Result<TransactionHistory> read_dbcop_json(std::string_view bytes, const std::string& name) {
  return DbcopJsonReader(bytes, name).read();
}

}  // namespace heddle
