// The diagram of a race as a drawing, alone and as a piece of a page.
#pragma once

#include <string>

#include "heddle/race_finding.h"
#include "report/diagram/diagram.h"
#include "report/diagram/schedule_drawing.h"

namespace heddle {

// The diagram with its title and what there is to say of it.
Drawing race_section(const RaceFinding& finding);

// The diagram as an <svg> element without a style sheet, for a page that has `svg_style`.
std::string race_picture(const RaceFinding& finding, const Diagram& diagram);

}  // namespace heddle
