#include "report/check/timeline.h"

#include <algorithm>

#include "base/text.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

constexpr std::size_t kWidestMoment = 4;  // columns from one moment to the next
constexpr std::size_t kNarrowestChart = 20;

std::vector<Moment> moments_of(const std::vector<TimelineBar>& bars) {
  std::vector<Moment> moments;
  for (const TimelineBar& bar : bars) {
    moments.push_back(bar.began);
    moments.push_back(bar.ended);
  }
  std::ranges::sort(moments);
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  return moments;
}

}  // namespace

std::string render_timeline(const std::vector<TimelineBar>& bars, const TextOptions& options) {
  const std::vector<Moment> moments = moments_of(bars);
  std::size_t label = 0;
  for (const TimelineBar& bar : bars) label = std::max(label, display_width(bar.label));
  label = std::min(label, options.width - std::min(options.width, kNarrowestChart + 2));
  const std::size_t room =
      std::max(options.width - std::min(options.width, label + 3), kNarrowestChart);
  const std::size_t last = std::max<std::size_t>(moments.size(), 2) - 1;
  const std::size_t chart = std::min(room - 1, last * kWidestMoment);
  const auto column = [&](Moment moment) {
    const auto rank = std::ranges::lower_bound(moments, moment) - moments.begin();
    return static_cast<std::size_t>(rank) * chart / last;
  };
  std::string text;
  for (const TimelineBar& bar : bars) {
    const std::string shown = shorten(bar.label, label);
    const std::size_t begin = column(bar.began);
    const std::size_t end = std::max(column(bar.ended), begin + 1);
    std::string line = "|" + std::string(end - begin - 1, '-') + (bar.ended == kNever ? ">" : "|");
    text += shown + std::string(label - display_width(shown) + 2 + begin, ' ') +
            paint(line, bar.marked ? TextStyle::wrong : TextStyle::plain, options) + "\n";
  }
  return text;
}

}  // namespace heddle
