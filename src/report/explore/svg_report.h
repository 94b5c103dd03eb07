// Pieces of SVG that a page puts together, too.
#pragma once

#include <string>
#include <vector>

#include "heddle/finding.h"
#include "report/diagram/schedule_drawing.h"

namespace heddle {

// The finding's diagram as an <svg> element without a style sheet, to be put into a page that has
// `svg_style`; and one sentence for each arrow in it.
struct FindingPicture {
  std::string svg;
  std::vector<std::string> legend;
};
FindingPicture picture_of(const Finding& finding);

}  // namespace heddle
