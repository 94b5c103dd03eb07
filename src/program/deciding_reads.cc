#include "program/deciding_reads.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "frontend/sql/words/lexer.h"
#include "program/information_flow.h"

namespace heddle::program {

namespace {

using IsQuery = std::function<bool(const ProgramStatement&)>;

// Whether the text divides or converts, so that some rows make it an error.
bool computes_what_may_fail(std::string_view text) {
  const sql::Tokens tokens(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens.is_symbol(i, '/') || tokens.is_symbol(i, '%')) return true;
    if (tokens.is_symbol(i, ':') && tokens.is_symbol(i + 1, ':')) return true;
    const std::string word = tokens.word(i);
    if (word == "cast" || word == "convert" || word == "div" || word == "mod") return true;
  }
  return false;
}

class DecidingReadFinder : public InformationFlow {
 public:
  DecidingReadFinder(const Functionality& functionality, const IsQuery& is_query)
      : is_query_(is_query) {
    for (const ListedStatement& listed : list_statements(functionality)) {
      if (is_query(*listed.statement))
        queries_.insert(listed.statement);
      else
        sends_more_ = true;
    }
  }

  Origins find(const Functionality& functionality) {
    if (sends_more_) follow(functionality);
    return std::move(deciding_);
  }

 private:
  bool is_origin(const ProgramStatement& statement) const override { return is_query_(statement); }
  Origins of_unknown() const override { return queries_; }
  bool may_fail(const ProgramStatement& statement) const override {
    return computes_what_may_fail(statement.statement.text);
  }
  void see_statement(const ProgramStatement& statement, const Origins& origins) override {
    if (!is_query_(statement)) add_origins(deciding_, origins);
  }
  void see_raise(const Raise& /*raise*/, const Origins& origins) override {
    add_origins(deciding_, origins);
  }
  void see_failure(const Origins& origins) override { add_origins(deciding_, origins); }

  const IsQuery& is_query_;
  Origins queries_;
  bool sends_more_ = false;
  Origins deciding_;
};

}  // namespace

std::set<const ProgramStatement*> deciding_reads(const Functionality& functionality,
                                                 const IsQuery& is_query) {
  return DecidingReadFinder(functionality, is_query).find(functionality);
}

}  // namespace heddle::program
