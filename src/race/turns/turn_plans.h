// Which overlaps of two parties are tried: the party that is held between what it read and what it
// does next, while the other runs.
#pragma once

#include <vector>

#include "heddle/race.h"
#include "race/turns/turn.h"
#include "race/turns/turn_controller.h"

namespace heddle {

// The units of a party at which it is worth to be held, in their order: each that conflicts or
// comes right after one that does, as long as the party has asked a store before. A party that has
// none of these is held at its first unit that conflicts, else at the first that its service sends:
// what the service has in its memory it has looked at then. `record`: of a serial run of both.
// `conflicts`: the shapes that conflict.
std::vector<SwitchPoint> switch_points(const RunRecord& record, Party party,
                                       const std::vector<SwitchPoint>& conflicts);

// First all with two switches (one party until a point, the other to its end, the first again), the
// points that conflict before those behind them, then those with three.
std::vector<Turns> overlapping_turns(const PerParty<std::vector<SwitchPoint>>& points);

// The statements of a recorded pair that conflict, as points of the party.
std::vector<SwitchPoint> conflict_points(const Trace& trace, const RacePair& pair, Party party);

// "A until UPDATE orders SET status = ?; B; A".
std::string turns_text(const Turns& turns);

}  // namespace heddle
