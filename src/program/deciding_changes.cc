#include "program/deciding_changes.h"

#include <utility>

#include "program/information_flow.h"

namespace heddle::program {

namespace {

class DecidingFinder : public InformationFlow {
 public:
  DecidingChanges found() { return std::move(deciding_); }

 private:
  bool is_origin(const ProgramStatement& statement) const override {
    return changes_rows_there(statement);
  }
  void see_raise(const Raise& raise, const Origins& origins) override {
    add_origins(deciding_[&raise], origins);
  }

  DecidingChanges deciding_;
};

}  // namespace

DecidingChanges deciding_changes(const Functionality& functionality) {
  DecidingFinder finder;
  finder.follow(functionality);
  return finder.found();
}

bool changes_rows_there(const ProgramStatement& statement) {
  const StatementKind kind = statement.statement.kind;
  return kind == StatementKind::update || kind == StatementKind::delete_;
}

}  // namespace heddle::program
