#include "race/requests/created_names.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "record/redact/placeholder.h"

namespace heddle {
namespace {

bool is_for_idempotency(const MessageValue& value) {
  if (value.part != MessagePart::header) return false;
  const std::string name = to_lower(value.field);
  return name.find("idempoten") != name.npos || name.ends_with("request-id") ||
         name.ends_with("correlation-id");
}

// Amounts are numbers, too, and no names.
bool may_be_name(const std::string& value, bool is_key) {
  const bool is_number = std::ranges::all_of(value, is_digit);
  if (is_number || !is_key) return is_distinctive(value) && (is_key || !is_number);
  return !is_one_of(value, {"true", "false", "null"});
}

class NameSearch {
 public:
  NameSearch(const std::map<std::uint64_t, ReadRequest>& requests,
             const std::map<std::uint64_t, std::vector<RowUse>>& uses,
             const std::map<std::pair<std::string, std::string>, TableKeys>& keys)
      : requests_(requests), uses_(uses), keys_(keys) {
    for (const auto& [unit, each] : requests) {
      note(each.values, each.request->arrived, said_);
      if (each.request->answered) note(each.answer, *each.request->answered, answered_);
    }
    for (const auto& [unit, rows] : uses) {
      for (const RowUse& use : rows) note_rows(use);
    }
  }

  std::vector<CreatedName> find() {
    for (const auto& [unit, each] : requests_) {
      for (const MessageValue& value : each.values) {
        if (is_for_idempotency(value) && is_clients(value.text())) add(unit, value.text());
      }
      const auto rows = uses_.find(unit);
      if (rows == uses_.end()) continue;
      for (const RowUse& use : rows->second) add_rows(unit, use);
    }
    std::ranges::sort(found_, {},
                      [](const CreatedName& each) { return std::tie(each.unit, each.value); });
    const auto same = std::ranges::unique(found_);
    found_.erase(same.begin(), same.end());
    return std::move(found_);
  }

 private:
  using Times = std::map<std::string, TraceTime>;

  static void note(const std::vector<MessageValue>& values, TraceTime time, Times& times) {
    for (const MessageValue& value : values) {
      const auto [known, is_new] = times.emplace(value.text(), time);
      if (!is_new) known->second = std::min(known->second, time);
    }
  }

  void note_rows(const RowUse& use) {
    if (use.may_insert) return;
    for (const auto& [column, values] : use.seen) {
      for (const std::string& value : values) {
        const auto [known, is_new] = seen_.emplace(value, use.arrived);
        if (!is_new) known->second = std::min(known->second, use.arrived);
      }
    }
  }

  // Whether the client said it before anybody else, and no placeholder stands for it.
  bool is_clients(const std::string& value) const {
    const auto said = said_.find(value);
    if (said == said_.end() || value.empty() || placeholder_length(value) == value.size()) {
      return false;
    }
    const auto answered = answered_.find(value);
    return answered == answered_.end() || said->second < answered->second;
  }

  void add(std::uint64_t unit, const std::string& value) { found_.push_back({unit, value}); }

  void add_rows(std::uint64_t unit, const RowUse& use) {
    if (!use.may_insert) return;
    const auto keys = keys_.find({use.store, use.table});
    for (const auto& [column, values] : use.written) {
      const bool is_key =
          keys != keys_.end() &&
          std::ranges::any_of(keys->second, [&name = column](const std::vector<std::string>& key) {
            return is_one_of(name, key);
          });
      for (const std::string& value : values) {
        if (!may_be_name(value, is_key) || !is_clients(value)) continue;
        // Rows had it before this one was made.
        const auto seen = seen_.find(value);
        const bool was_there = seen != seen_.end() && seen->second < said_.at(value);
        if (!was_there) add(unit, value);
      }
    }
  }

  const std::map<std::uint64_t, ReadRequest>& requests_;
  const std::map<std::uint64_t, std::vector<RowUse>>& uses_;
  const std::map<std::pair<std::string, std::string>, TableKeys>& keys_;
  Times said_ = {};      // by clients
  Times answered_ = {};  // by the system
  Times seen_ = {};      // in rows
  std::vector<CreatedName> found_ = {};
};

}  // namespace

std::vector<CreatedName> find_created_names(
    const std::map<std::uint64_t, ReadRequest>& requests,
    const std::map<std::uint64_t, std::vector<RowUse>>& uses,
    const std::map<std::pair<std::string, std::string>, TableKeys>& keys) {
  return NameSearch(requests, uses, keys).find();
}

}  // namespace heddle
