// The JSON documents of checks, with the sentences of the text report.

#include <vector>

#include "format/check_json.h"
#include "report/check/explanation.h"
#include "report/check/paragraphs.h"
#include "report/check/text.h"

namespace heddle {

namespace {

std::vector<std::string> sentences(const Counterexample& counterexample,
                                   const TransactionHistory& history) {
  const CheckNames names(history, counterexample);
  const CheckExplanation explanation = explain(counterexample, names);
  std::vector<std::string> all;
  for (const CheckExplanation::Let& let : explanation.let) {
    all.push_back(let.name.empty()
                      ? let.text
                      : "Let " + let.name + " = " + let.text + " (" + let.place + ").");
  }
  for (const std::string& then : explanation.then) all.push_back("Then " + then);
  all.push_back("However, " + explanation.however);
  return all;
}

}  // namespace

std::string render_json(const CheckReport& report, const TransactionHistory& history,
                        const CheckSubject& subject) {
  const auto explained = [&](const Counterexample& counterexample) {
    return sentences(counterexample, history);
  };
  return to_json(report, history, {subject.file, subject.witness, explained});
}

std::string render_json(const LinearizabilityAnswer& answer, const ObjectHistory& history,
                        const CheckSubject& subject) {
  return to_json(answer, history, order_word(subject.order), {subject.file, subject.witness, {}});
}

}  // namespace heddle
