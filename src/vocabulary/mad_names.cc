#include "vocabulary/mad_names.h"

#include <array>

namespace heddle {

namespace {

// A name is here only where it is known to mean the same; a likeness of words is not enough.
constexpr std::array kMadNames = {
    MadName{AnomalyKind::dirty_write, ""},
    MadName{AnomalyKind::intermediate_read, "dirty read"},
    MadName{AnomalyKind::circular_flow, ""},
    MadName{AnomalyKind::lost_update, ""},
    MadName{AnomalyKind::non_repeatable_read, ""},
    MadName{AnomalyKind::read_skew, ""},
    MadName{AnomalyKind::phantom, ""},
    MadName{AnomalyKind::write_skew, ""},
    MadName{AnomalyKind::serialization_cycle, ""},
};

}  // namespace

std::span<const MadName> mad_names() { return kMadNames; }

}  // namespace heddle
