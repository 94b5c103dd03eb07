#include "store/replicated/recorder.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <sqlite3.h>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle::replicated {

namespace {

constexpr std::string_view kOneDatabase =
    "the replicas of a replicated store have one database each, and no temporary tables";
constexpr std::string_view kNoVirtualTables = "the replicated store has no virtual tables";

std::string hexadecimal(const unsigned char* bytes, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += fmt::format("{:02X}", bytes[i]);
  return text;
}

// Whole numbers are written without a point: in keys 1 and 1.0 are equal, and a column of reals
// makes a real of it.
std::string real_literal(double value) {
  if (std::isinf(value)) return value > 0 ? "9e999" : "-9e999";
  constexpr double kExact = 9007199254740992.0;
  if (std::floor(value) == value && std::abs(value) < kExact) return fmt::format("{:.0f}", value);
  return fmt::format("{}", value);
}

std::string literal(sqlite3_value* value) {
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      return fmt::format("{}", static_cast<std::int64_t>(sqlite3_value_int64(value)));
    case SQLITE_FLOAT:
      return real_literal(sqlite3_value_double(value));
    case SQLITE_TEXT: {
      const auto* const bytes = sqlite3_value_text(value);
      const std::string_view view(reinterpret_cast<const char*>(bytes), size);
      if (view.find('\0') != std::string_view::npos) {
        return fmt::format("CAST(X'{}' AS TEXT)", hexadecimal(bytes, size));
      }
      std::string text = "'";
      for (const char c : view) text += c == '\'' ? std::string("''") : std::string(1, c);
      return text + "'";
    }
    case SQLITE_BLOB: {
      const auto* const bytes = static_cast<const unsigned char*>(sqlite3_value_blob(value));
      return fmt::format("X'{}'", hexadecimal(bytes, size));
    }
    default:
      return "NULL";
  }
}

using ReadValue = int (*)(sqlite3*, int, sqlite3_value**);

std::vector<std::string> literals(sqlite3* connection, ReadValue read) {
  std::vector<std::string> values;
  for (int i = 0; i < sqlite3_preupdate_count(connection); ++i) {
    sqlite3_value* value = nullptr;
    const bool is_read = read(connection, i, &value) == SQLITE_OK && value != nullptr;
    values.push_back(is_read ? literal(value) : "NULL");
  }
  return values;
}

}  // namespace

Recorder::Recorder(sqlite3* connection, const TableShapes& shapes)
    : connection_(connection), shapes_(shapes) {
  sqlite3_set_authorizer(connection_, &on_access, this);
  sqlite3_preupdate_hook(connection_, &on_change, this);
}

void Recorder::begin() {
  is_listening_ = true;
  changes_.clear();
  named_.clear();
  tables_read_.clear();
  worded_.clear();
  forbidden_.clear();
}

int Recorder::on_access(void* recorder, int action, const char* first, const char* second,
                        const char* /*database*/, const char* trigger) {
  auto& self = *static_cast<Recorder*>(recorder);
  if (!self.is_listening_) return SQLITE_OK;
  const std::string table = to_lower(text_or_nothing(first));
  switch (action) {
    case SQLITE_UPDATE:
      self.named_[{table, trigger != nullptr}].insert(to_lower(text_or_nothing(second)));
      [[fallthrough]];
    case SQLITE_READ:
    case SQLITE_DELETE:
      if (!table.starts_with("sqlite_")) self.tables_read_.insert(table);
      return SQLITE_OK;
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_CREATE_TEMP_TRIGGER:
    case SQLITE_CREATE_TEMP_INDEX:
      self.forbidden_ = kOneDatabase;
      return SQLITE_DENY;
    case SQLITE_CREATE_VTABLE:
      self.forbidden_ = kNoVirtualTables;
      return SQLITE_DENY;
    default:
      return SQLITE_OK;
  }
}

void Recorder::on_change(void* recorder, sqlite3* connection, int operation,
                         const char* /*database*/, const char* table, long long number_before,
                         long long number_after) {
  auto& self = *static_cast<Recorder*>(recorder);
  if (!self.is_listening_) return;
  Change change;
  change.table = to_lower(table);
  const auto shape = self.shapes_.find(change.table);
  if (shape == self.shapes_.end()) return;
  change.shape = &shape->second;
  change.kind = operation == SQLITE_INSERT   ? Kind::insert
                : operation == SQLITE_UPDATE ? Kind::update
                                             : Kind::delete_;
  change.number_before = number_before;
  change.number_after = number_after;
  change.by_trigger = sqlite3_preupdate_depth(connection) > 0;
  if (change.kind != Kind::insert) change.before = literals(connection, &sqlite3_preupdate_old);
  if (change.kind != Kind::delete_) {
    change.after = literals(connection, &sqlite3_preupdate_new);
    self.read_words(shape->second, change.after);
  }
  self.changes_.push_back(std::move(change));
}

void Recorder::read_words(const TableShape& shape, std::vector<std::string>& values) {
  constexpr std::string_view kTrue[] = {"'t'", "'true'", "'y'", "'yes'", "'on'"};
  constexpr std::string_view kFalse[] = {"'f'", "'false'", "'n'", "'no'", "'off'"};
  for (std::size_t i = 0; i < values.size() && i < shape.booleans.size(); ++i) {
    if (!shape.booleans[i]) continue;
    const std::string word = to_lower(values[i]);
    const bool is_true = std::ranges::find(kTrue, word) != std::end(kTrue);
    const bool is_false = std::ranges::find(kFalse, word) != std::end(kFalse);
    if (!is_true && !is_false) continue;
    values[i] = is_true ? "1" : "0";
    worded_.emplace(shape.name, shape.declared[i]);
  }
}

// What changed without being named (a foreign key's action did) is written, too.
bool Recorder::writes_column(const Change& change, std::size_t column) const {
  if (change.before[column] != change.after[column]) return true;
  const auto named = named_.find({change.table, change.by_trigger});
  return named != named_.end() && named->second.contains(change.shape->columns[column]);
}

// A sequence does not give a number that a row was given without it.
void Recorder::pass_numbers(const Change& change, Environment& environment) {
  for (std::size_t i = 0; i < change.after.size() && i < change.shape->sequences.size(); ++i) {
    const std::string& sequence = change.shape->sequences[i];
    if (sequence.empty()) continue;
    std::int64_t& last = environment.sequences[sequence];
    last = std::max<std::int64_t>(last, std::strtoll(change.after[i].c_str(), nullptr, 10));
  }
}

RowName Recorder::row_of(const Change& change, const std::vector<std::string>& values,
                         std::int64_t number) {
  RowName name{change.table, {}};
  for (const std::size_t column : change.shape->key) name.key.push_back(values[column]);
  if (name.key.empty()) name.key.push_back(fmt::format("{}", number));
  return name;
}

std::vector<CellWrite> Recorder::writes(Environment& environment,
                                        std::vector<Renumbering>& renumberings) const {
  std::map<std::pair<RowName, std::string>, std::string> cells;
  std::map<std::pair<std::string, std::int64_t>, std::int64_t> numbers;
  const auto number_of = [&](const Change& change, std::int64_t number) {
    const auto found = numbers.find({change.table, number});
    return found == numbers.end() ? number : found->second;
  };
  for (const Change& change : changes_) {
    const TableShape& shape = *change.shape;
    if (change.kind == Kind::insert) pass_numbers(change, environment);
    if (change.kind == Kind::insert && shape.hides_number) {
      std::uint64_t& last = environment.row_numbers;
      last = std::max(last + 1,
                      static_cast<std::uint64_t>(std::max<std::int64_t>(change.number_after, 1)));
      const auto number = static_cast<std::int64_t>(last);
      numbers[{change.table, change.number_after}] = number;
      renumberings.push_back({shape.name, change.number_after, number});
    }
    std::optional<RowName> before;
    std::optional<RowName> after;
    if (change.kind != Kind::insert) {
      before = row_of(change, change.before, number_of(change, change.number_before));
    }
    if (change.kind != Kind::delete_) {
      after = row_of(change, change.after, number_of(change, change.number_after));
    }
    const bool is_same = before && after && *before == *after;
    if (before && !is_same) cells[{*before, kLiveness}] = "0";
    if (!after) continue;
    for (std::size_t i = 0; i < change.after.size() && i < shape.columns.size(); ++i) {
      if (is_same && !writes_column(change, i)) continue;
      cells[{*after, shape.columns[i]}] = change.after[i];
    }
    if (is_same) continue;
    cells[{*after, kLiveness}] = "1";
    if (shape.hides_number && shape.has_key()) {
      cells[{*after, kRowNumber}] = fmt::format("{}", number_of(change, change.number_after));
    }
  }
  std::vector<CellWrite> writes;
  for (auto& [cell, value] : cells) writes.push_back({cell.first, cell.second, value});
  return writes;
}

}  // namespace heddle::replicated
