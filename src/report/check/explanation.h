// Why a history is not legal, as sentences: data between the counterexample and its layout.
#pragma once

#include <string>
#include <vector>

#include "heddle/check.h"
#include "report/check/names.h"

namespace heddle {

struct CheckExplanation {
  struct Let {
    std::string name;   // "T1"
    std::string place;  // "s2, line 7"
    std::string text;   // "r1[x=0] w1[x=1] c1"
  };
  std::string title;              // "Lost update (Adya: G-single, Berenson: P4) on x"
  std::vector<Let> let;           // who takes part
  std::vector<std::string> then;  // one sentence per step of the argument
  std::string however;            // the contradiction
};

CheckExplanation explain(const Counterexample& counterexample, const CheckNames& names);

// "lost update on x".
std::string counterexample_title(const Counterexample& counterexample,
                                 const TransactionHistory& history);

}  // namespace heddle
