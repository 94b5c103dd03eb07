#include "vocabulary/mad_names.h"

#include <array>

namespace heddle {

namespace {

// A name is here only where a program for MAD that is called by it has a core of the kind
// (mad_programs_test.cc); a likeness of words is not enough.
constexpr std::array kMadNames = {
    MadName{AnomalyKind::dirty_write, "dirty write"},
    MadName{AnomalyKind::intermediate_read, "dirty read"},
    MadName{AnomalyKind::circular_flow, ""},
    MadName{AnomalyKind::lost_update, "lost update"},
    MadName{AnomalyKind::non_repeatable_read, ""},
    MadName{AnomalyKind::read_skew, "read skew"},
    MadName{AnomalyKind::phantom, ""},
    MadName{AnomalyKind::write_skew, "write skew"},
    MadName{AnomalyKind::serialization_cycle, ""},
};

}  // namespace

std::span<const MadName> mad_names() { return kMadNames; }

}  // namespace heddle
