// The words of a trace's catalogue, for who writes them and who reads them.
#pragma once

#include <array>
#include <string_view>

#include "heddle/trace.h"

namespace heddle {

// In the order of ReferentialAction.
inline constexpr std::array<std::string_view, 5> kReferentialActions = {
    "no action", "restrict", "cascade", "set null", "set default"};

struct TriggerEvent {
  std::string_view name;
  bool TraceTrigger::* is_on;
};
inline constexpr std::array<TriggerEvent, 4> kTriggerEvents = {{
    {"insert", &TraceTrigger::on_insert},
    {"update", &TraceTrigger::on_update},
    {"delete", &TraceTrigger::on_delete},
    {"truncate", &TraceTrigger::on_truncate},
}};

}  // namespace heddle
