#include "race/requests/answer_values.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/text.h"

namespace heddle {
namespace {

// A path through an element of a list: "/body/items/" "3" "/id".
struct ElementPath {
  std::string list = {};
  std::string index = {};
  std::string member = {};
};

// At the innermost list; without an index: the path leads through none.
ElementPath element_of(const std::string& path) {
  for (std::size_t end = path.size(); end > 0;) {
    const std::size_t slash = path.rfind('/', end - 1);
    if (slash == path.npos) break;
    const std::string part = path.substr(slash + 1, end - slash - 1);
    const bool is_index = !part.empty() && std::ranges::all_of(part, is_digit);
    if (is_index) return {path.substr(0, slash + 1), part, path.substr(end)};
    end = slash;
  }
  return {};
}

// Calls `use` with the index and the rest of each path below the list.
template <class Use>
void each_below(const AnswerValues& values, const std::string& list, const Use& use) {
  for (auto at = values.lower_bound(list); at != values.end(); ++at) {
    if (!at->first.starts_with(list)) break;
    const std::size_t slash = std::min(at->first.find('/', list.size()), at->first.size());
    use(at->first.substr(list.size(), slash - list.size()), at->first.substr(slash), at->second);
  }
}

}  // namespace

AnswerValues answer_values(std::vector<MessageValue> values) {
  AnswerValues found;
  for (MessageValue& each : values) {
    std::string path = each.path;
    found.emplace(std::move(path), std::move(each));
  }
  return found;
}

std::string place_now(const AnswerValues& recorded, const AnswerValues& now,
                      const std::string& path,
                      const std::function<std::string(const std::string&)>& renamed) {
  const ElementPath place = element_of(path);
  if (place.index.empty()) return path;
  std::map<std::string, std::string> members;  // of the recorded element, what it is now
  each_below(recorded, place.list, [&](const auto& index, const auto& member, const auto& value) {
    if (index == place.index && member != place.member) members[member] = renamed(value.text());
  });
  std::map<std::string, std::size_t> in_common;  // by index
  each_below(now, place.list, [&](const auto& index, const auto& member, const auto& value) {
    std::size_t& count = in_common[index];
    const auto known = members.find(member);
    if (known != members.end() && known->second == value.text()) ++count;
  });
  std::string best = place.index;
  for (const auto& [index, count] : in_common) {
    const bool has_it = now.contains(place.list + index + place.member);
    if (has_it && count > (in_common.contains(best) ? in_common[best] : 0)) best = index;
  }
  return place.list + best + place.member;
}

}  // namespace heddle
