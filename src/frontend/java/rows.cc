// What java.sql.ResultSet does.
#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "frontend/java/functionality_reader.h"

namespace heddle::java {

namespace {

struct GetterType {
  std::string_view getter;
  std::string_view type;  // Java's; empty: whatever the column has
  std::string_view null;  // what it gives for null; empty: null
};

constexpr std::array kGetters = {
    GetterType{"getInt", "int", "0"},
    GetterType{"getLong", "long", "0"},
    GetterType{"getShort", "short", "0"},
    GetterType{"getByte", "byte", "0"},
    GetterType{"getDouble", "double", "0"},
    GetterType{"getFloat", "float", "0"},
    GetterType{"getBoolean", "boolean", "false"},
    GetterType{"getBigDecimal", "BigDecimal", ""},
    GetterType{"getString", "String", ""},
    GetterType{"getNString", "String", ""},
    GetterType{"getTimestamp", "Timestamp", ""},
    GetterType{"getDate", "LocalDate", ""},
    GetterType{"getTime", "Time", ""},
    GetterType{"getBytes", "byte[]", ""},
    GetterType{"getObject", "", ""},
    GetterType{"getArray", "", ""},
};

bool is_whole(std::string_view type) {
  return type == "integer" || type == "bigint" || type == "smallint";
}

bool is_number(std::string_view type) { return is_whole(type) || type == "numeric"; }

// How the driver turns a value of one type into another. MySQL's truth values are numbers, so that
// with another store either is there.
Expression turned(Expression value, const std::string& from, const std::string& to) {
  if (to == "boolean" && from != to) return cast(std::move(value), to);
  if ((from == "boolean" || from == kTruthOfMysql) && is_number(to)) {
    Expression number = cast(std::move(value), "integer");
    return is_whole(to) ? number : cast(std::move(number), to);
  }
  if (from.empty() || to.empty() || from == to || (is_whole(from) && is_whole(to))) return value;
  if (is_whole(to)) return cast(call("trunc", {std::move(value)}), to);
  if (to == "timestamp" && from.starts_with("timestamp")) return value;
  if (to == "numeric" && is_whole(from)) return cast(std::move(value), to);
  return cast(std::move(value), to);
}

}  // namespace

std::optional<Value> FunctionalityReader::call_on_rows(const Value& rows, const std::string& name,
                                                       const Arguments& arguments, const Node& node,
                                                       Block& out) {
  if (name == "next") return next_row(rows.object, node, out);
  if (name == "wasNull") return scalar(state_.heap.at(rows.object).last_null, "boolean");
  // getObject(1, Integer.class) is what the column has: the driver refuses another class.
  const bool names_class = name == "getObject" && arguments.size() == 2;
  if (name.starts_with("get") && (arguments.size() == 1 || names_class) &&
      std::ranges::find(kGetters, name, &GetterType::getter) != kGetters.end()) {
    refuse_missing_row(rows.object, node, out);
    if (state_.is_dead) return Value();
    return column(rows.object, name, arguments[0], node);
  }
  if (name == "close") {
    const std::string& cursor = state_.heap.at(rows.object).cursor;
    if (!cursor.empty()) add(out, node, CloseRows{.cursor = cursor});
    return Value();
  }
  static constexpr std::array<std::string_view, 6> kHarmless = {
      "isClosed", "setFetchSize", "getMetaData", "clearWarnings", "findColumn", "getStatement"};
  if (std::ranges::find(kHarmless, name) != kHarmless.end()) return Value();
  static constexpr std::array<std::string_view, 9> kMoves = {
      "previous", "first",   "last",        "absolute",     "relative",
      "isLast",   "isFirst", "beforeFirst", "isBeforeFirst"};
  if (std::ranges::find(kMoves, name) != kMoves.end()) {
    note(node, name + "() of a result set is not followed", "it is taken for the next row");
    if (name.starts_with("is") || name == "beforeFirst") return std::nullopt;
    return next_row(rows.object, node, out);
  }
  return std::nullopt;
}

Value FunctionalityReader::next_row(std::size_t rows, const Node& node, Block& out) {
  const Object object = state_.heap.at(rows);
  if (object.cursor.empty()) {
    // Generated keys: one row, which is there already.
    if (object.row.kind != ExpressionKind::variable || object.last_rows > 0) {
      return scalar(literal("false"), "boolean");
    }
    state_.heap.change(rows).last_rows = 1;
    return scalar(object.has_row, "boolean");
  }
  Expression row{
      .kind = ExpressionKind::variable, .text = new_variable("row", "record"), .operands = {}};
  for (const std::string& name : object.columns) {
    const auto facts = columns_.find(object.cursor + "." + name);
    if (facts != columns_.end()) columns_[row.text + "." + name] = facts->second;
  }
  add(out, node, FetchRow{.cursor = object.cursor, .into = {row}});
  Expression found = kept({.kind = ExpressionKind::variable, .text = "found", .operands = {}},
                          "has_row", "boolean", node, out);
  state_.rows.insert(row.text);
  Object& changed = state_.heap.change(rows);
  changed.row = std::move(row);
  changed.has_row = found;
  return scalar(std::move(found), "boolean");
}

// A column is read only where there is a row.
void FunctionalityReader::refuse_missing_row(std::size_t rows, const Node& node, Block& out) {
  const Object& object = state_.heap.at(rows);
  if (object.row.kind != ExpressionKind::variable) return;
  if (object.has_row.kind == ExpressionKind::literal && !is_false(object.has_row)) return;
  branch(
      place_of_call(node), object.has_row, out, [](Block&) {},
      [&](Block& block) {
        Object error;
        error.kind = ObjectKind::exception;
        error.type = "SQLException";
        error.text = words("ResultSet not positioned properly, perhaps you need to call next.");
        raise(node, object_value(state_.heap.add(std::move(error)), "SQLException"), block);
      });
}

Value FunctionalityReader::column(std::size_t rows, const std::string& getter, const Value& which,
                                  const Node& node) {
  const Object& object = state_.heap.at(rows);
  const auto* const known = std::ranges::find(kGetters, getter, &GetterType::getter);
  std::string name;
  const auto text = known_words(which.text);
  if (which.kind == ValueKind::text && text) {
    name = to_lower(*text);
    if (const std::size_t dot = name.rfind('.'); dot != std::string::npos) name.erase(0, dot + 1);
  } else if (const auto index = is_single(which) ? to_number(to_expression(which)) : std::nullopt;
             index && *index > 0 && static_cast<std::size_t>(*index) <= object.columns.size()) {
    name = object.columns[static_cast<std::size_t>(*index) - 1];
  }
  const std::string type(known->type);
  Expression value;
  ColumnFacts facts;
  if (object.row.kind != ExpressionKind::variable) {
    note(node, "this reads a column where no row is known to be at hand", "its value is not known");
    value = unknown(std::string(node.text()));
  } else if (name.empty()) {
    note(node, "which column this reads is not known", "its value is not known");
    value = unknown(std::string(node.text()), {});
  } else {
    value = {.kind = ExpressionKind::field, .text = name, .operands = {object.row}};
    const auto learnt = columns_.find(object.row.text + "." + name);
    if (learnt != columns_.end()) facts = learnt->second;
  }
  Expression is_null = facts.may_be_null ? call("is null", {value}) : literal("false");
  value = turned(std::move(value), facts.type, column_type(type));
  if (facts.may_be_null && !known->null.empty() && value.kind != ExpressionKind::unknown) {
    value = call("coalesce", {std::move(value), literal(std::string(known->null))});
  }
  state_.heap.change(rows).last_null = std::move(is_null);
  if (column_type(type) != "text") return scalar(std::move(value), type);
  return string_value(
      {Piece{.words = "", .value = std::move(value), .is_string = true, .choice = nullptr}});
}

}  // namespace heddle::java
