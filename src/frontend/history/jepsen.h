// Histories as Jepsen records them: EDN, JSON, or log lines (of etcd, as porcupine reads them).
//
// Transactions are operations whose value is a vector of micro-operations [:r k v], [:w k v],
// [:append k v]; everything else is single calls on objects. A key that is appended to, or that
// nothing is written to in a history that appends, is a list; other keys are registers.
//   :ok    the transaction committed, the call returned
//   :fail  it certainly did not happen
//   :info, or no completion: it may have happened, then or later
// Moments are the numbers of events in the file. Sessions are processes, in the order in which they
// first appear; a crashed process goes on under another name and so is another session.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "frontend/history/history_reading.h"
#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

// What is known of a history from the parts of it that were read before, and updated by reading.
struct JepsenMemory {
  struct KeyUse {
    bool is_appended = false;
    bool is_written = false;
  };
  std::unordered_map<std::string, KeyUse> keys;  // by spelling
  bool has_appends = false;
  bool has_writes = false;
  bool has_list_reads = false;
  std::optional<bool> is_keyed = {};  // calls: [key value] for every value
};

// Diagnostics carry `name`, the line and mostly the column. Linear in the size of the text; memory
// beside the history itself is that of one operation and of the unfinished ones (of calls: of
// their values).
// REQUIRES: format is one of the three of Jepsen's.
Result<RecordedHistory> read_jepsen(std::string_view bytes, const std::string& name,
                                    HistoryFormat format, const ReadHistoryOptions& options = {});

}  // namespace heddle
