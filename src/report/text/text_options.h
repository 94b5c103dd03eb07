// How texts for a terminal are written.
#pragma once

#include <cstddef>

namespace heddle {

struct TextOptions {
  bool color = false;
  std::size_t width = 100;  // columns of the terminal
};

}  // namespace heddle
