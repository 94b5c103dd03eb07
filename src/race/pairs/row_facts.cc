#include "race/pairs/row_facts.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "wire/postgres/statement_essence.h"

namespace heddle::race {
namespace {

using TableName = std::pair<std::string, std::string>;  // store and table

class RowFacts {
 public:
  RowFacts(const Trace& trace, const RaceSettings& settings, FlowAccesses& all)
      : trace_(trace), settings_(settings), all_(all) {}

  void apply() {
    find_changed();
    for (FlowAccess& each : all_.accesses) {
      for (KnownRow& row : each.access.seen) forget_changed(each, row);
    }
    for (const FlowAccess& each : all_.accesses) gather(each);
    for (FlowAccess& each : all_.accesses) {
      for (KnownRow& row : each.access.there) complete(each, row);
      for (KnownRow& row : each.access.seen) complete(each, row);
    }
  }

 private:
  static TableName name_of(const FlowAccess& each) { return {each.store, each.access.table}; }

  void note_changed(const std::string& store, const Access& access) {
    if (!access.updates) return;
    std::set<std::string>& columns = changed_[{store, access.table}];
    columns.insert(access.columns_written.begin(), access.columns_written.end());
  }

  // What services do on their own counts, too: one statement for each text without its values.
  void find_changed() {
    for (const FlowAccess& each : all_.accesses) note_changed(each.store, each.access);
    std::set<std::pair<std::size_t, std::string>> seen;
    for (const TraceStatement& each : trace_.statements) {
      const bool is_in_flow = each.flow.number != 0;
      if (is_in_flow || !seen.emplace(each.edge, statement_template(each.text)).second) continue;
      const std::string store = store_name(trace_.head.edges[each.edge].callee, settings_);
      static const StoreTables kNone;
      const auto tables = all_.tables.find(store);
      for (const Access& access : read_accesses(
               each, parse_text(each.text), tables == all_.tables.end() ? kNone : tables->second)) {
        note_changed(store, access);
      }
    }
  }

  bool is_changed(const FlowAccess& each, const std::string& column) const {
    for (const TableName& name : {name_of(each), TableName{each.store, std::string(kAnyTable)}}) {
      const auto found = changed_.find(name);
      if (found == changed_.end()) continue;
      if (found->second.contains(column) || found->second.contains("*")) return true;
    }
    return false;
  }

  void forget_changed(const FlowAccess& each, KnownRow& row) const {
    std::erase_if(row, [&](const auto& value) { return is_changed(each, value.first); });
  }

  // The keys by which the row is known.
  std::vector<KnownRow> keys_of(const FlowAccess& each, const KnownRow& row) const {
    static const std::vector<std::vector<std::string>> kUsual = {{"id"}};
    const TraceTable* const table = each.access.definition;
    std::vector<KnownRow> keys;
    for (const std::vector<std::string>& columns : table != nullptr ? table->keys : kUsual) {
      KnownRow key;
      for (const std::string& column : columns) {
        const auto value = row.find(column);
        if (value == row.end() || !value->second.has_text()) continue;
        key[column] = text_value(comparable_text(value->second.text));
      }
      if (key.size() == columns.size() && !key.empty()) keys.push_back(std::move(key));
    }
    return keys;
  }

  void gather(const FlowAccess& each) {
    for (KnownRow row : each.access.new_rows) {
      forget_changed(each, row);
      if (!each.access.takes_conflicts) learn(each, row);
    }
    for (KnownRow row : each.access.seen) {
      // With one row that was looked for, all that was said of it is true of what came back.
      if (each.access.there.size() == 1) {
        for (const auto& [column, value] : each.access.there.front()) {
          if (!is_changed(each, column)) row.try_emplace(column, value);
        }
      }
      learn(each, row);
    }
  }

  void learn(const FlowAccess& each, const KnownRow& row) {
    for (const KnownRow& key : keys_of(each, row)) {
      KnownRow& known = facts_[{name_of(each), row_text(key)}];
      for (const auto& [column, value] : row) {
        if (!value.is_known()) continue;
        const auto [place, is_new] = known.try_emplace(column, value);
        // The row was removed and made again, or is known in several ways: nothing is sure.
        if (!is_new && place->second != value) place->second = KnownValue{};
      }
    }
  }

  void complete(const FlowAccess& each, KnownRow& row) const {
    for (const KnownRow& key : keys_of(each, row)) {
      const auto known = facts_.find({name_of(each), row_text(key)});
      if (known == facts_.end()) continue;
      for (const auto& [column, value] : known->second) {
        if (value.is_known()) row.try_emplace(column, value);
      }
    }
  }

  const Trace& trace_;
  const RaceSettings& settings_;
  FlowAccesses& all_;
  std::map<TableName, std::set<std::string>> changed_;
  std::map<std::pair<TableName, std::string>, KnownRow> facts_;
};

}  // namespace

void apply_row_facts(const Trace& trace, const RaceSettings& settings, FlowAccesses& all) {
  RowFacts(trace, settings, all).apply();
}

}  // namespace heddle::race
