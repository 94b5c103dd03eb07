// Where the bytes of a block stand in its file.
#pragma once

#include <cstddef>

#include "heddle/scenario.h"

namespace heddle {

// Turns offsets in a block into positions in the file. Asked in ascending order, as the splitter
// does, it reads the text once.
class BlockPositions {
 public:
  explicit BlockPositions(const SqlBlock& block) : block_(block), position_(block.position) {}

  SourcePosition at(std::size_t offset) {
    if (offset < offset_) {
      offset_ = 0;
      position_ = block_.position;
    }
    for (; offset_ < offset; ++offset_) {
      if (block_.text[offset_] == '\n') {
        ++position_.line;
        position_.column = 1;
      } else {
        ++position_.column;
      }
    }
    return position_;
  }

 private:
  const SqlBlock& block_;
  std::size_t offset_ = 0;
  SourcePosition position_;
};

}  // namespace heddle
