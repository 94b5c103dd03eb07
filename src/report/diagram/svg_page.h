// A page of SVG: drawings with their texts, one under the other.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/diagram/schedule_drawing.h"

namespace heddle {

constexpr int kNarrowestSvg = 640;

// Text and drawings one under the other.
class SvgStack {
 public:
  explicit SvgStack(int width) : width_(width) {}

  void add_title(const std::string& text);
  void add_text(const std::string& text, std::string_view css_class);
  void add_space();
  void add(const Drawing& drawing);

  Drawing take() { return {width_, y_, std::move(markup_)}; }

 private:
  int width_;
  int y_ = 0;
  std::string markup_;
};

// The whole document. `style`: rules beside those for all drawings.
std::string svg_document(const std::string& title, const std::vector<Drawing>& sections,
                         const std::string& style = "");

}  // namespace heddle
