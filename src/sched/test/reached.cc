#include "sched/test/reached.h"

#include <set>

namespace heddle::sched::runtime {

namespace {

std::set<std::string, std::less<>>& reached_labels() {
  static std::set<std::string, std::less<>> labels;
  return labels;
}

}  // namespace

void note_reached(const char* label) {
  if (!reached_labels().contains(label)) reached_labels().insert(label);
}

void forget_reached() { reached_labels().clear(); }

std::vector<std::string> not_reached(const std::vector<std::string>& wanted) {
  std::vector<std::string> missing;
  for (const std::string& label : wanted) {
    if (!reached_labels().contains(label)) missing.push_back(label);
  }
  return missing;
}

}  // namespace heddle::sched::runtime
