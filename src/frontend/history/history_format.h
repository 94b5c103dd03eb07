// The formats in which other tools and heddle itself write histories down, and their names; what is
// done with each is a row of formats/format_profiles.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace heddle {

enum class HistoryFormat : std::uint8_t {
  jepsen_edn,   // one operation per map: {:process 0, :type :invoke, :f :txn, :value [[:r 1 nil]]}
  jepsen_json,  // the same as JSON, an array or one object per line
  jepsen_log,   // "INFO  jepsen.util - 0 :invoke :read nil", as porcupine reads etcd's
  plume,        // r(key,value,session,transaction), also of PolySI and IsoVista
  awdit,        // "r key value", "-----" between transactions, "=====" between sessions
  dbcop_bincode,  // dbcop's binary histories
  dbcop_json,
  cobra,         // Cobra's binary logs, one file per session
  heddle_lines,  // JSON Lines with {"heddle": "history/1"} in front
  textbook,      // r1[x=0] w1[x=1] c1
};

struct HistoryFormatName {
  HistoryFormat format;
  std::string_view name;  // on the command line: "jepsen-edn"
};

// All formats in the order of the enumeration.
std::span<const HistoryFormatName> history_formats();
std::string_view to_string(HistoryFormat format);
std::optional<HistoryFormat> find_history_format(std::string_view name);

}  // namespace heddle
