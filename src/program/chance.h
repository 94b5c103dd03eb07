// Numbers of chance and the clock as parameters of what uses them.
#pragma once

#include <map>
#include <string>

#include "heddle/program.h"

namespace heddle::program {

// heddle_chance('r.nextInt(n)', 0, n): a value that is at least the second and less than the third
// operand, where there are any; with null as the second operand any value, or none. Only the whole
// value of an Assign.
constexpr std::string_view kChanceFunction = "heddle_chance";

// Gives the functionality a parameter for each value of chance: for the largest number or text that
// is computed of nothing but chance, constants and parameters, (int) (r.nextDouble() * 10) + 1, in
// place of what it is computed from. What is known of its range is asked first: a call with another
// value is refused (40001). Of a value that is made in a loop the parameter is an array of four,
// which the rounds take in turn. `names`: what variables of the program stand for which draw.
void choose_chance(Functionality& functionality, const std::map<std::string, std::string>& names);

}  // namespace heddle::program
