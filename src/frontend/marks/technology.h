// The table of marks: by which imports, types, annotations, calls and elements a text shows that it
// uses a mapper, a driver or a store that heddle does not read.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "frontend/marks/language.h"

namespace heddle::marks {

// What kind of thing it is, which decides what to do instead.
enum class Use : std::uint8_t { mapper, driver, store, calls, queue };

constexpr std::uint32_t bit(Family family) { return 1U << static_cast<unsigned>(family); }

// A technology in some languages. Lists have blanks between their words.
struct Technology {
  std::string_view name;
  Use use = Use::mapper;
  std::uint32_t families = 0;
  // Beginnings of what is imported. The longest one that fits decides, over all technologies.
  std::string_view imports = {};
  // Of these those that are no use of it: types of parameters, exceptions.
  std::string_view harmless = {};
  // On the JVM, in files that import it: calls on variables of these types are places.
  std::string_view types = {};
  std::string_view annotations = {};  // in files that import it
  std::string_view calls = {};        // pieces of code that are places in files that import it
  std::string_view words = {};        // pieces of code that are places in any file
  // Of documents: an element that shows it, and the elements that are its places.
  std::string_view root = {};
  std::string_view elements = {};
};

// All rows; those of Java and its neighbours first.
std::span<const Technology> technologies();
std::span<const Technology> java_technologies();
std::span<const Technology> other_technologies();

std::string_view what_to_do(Use use);

}  // namespace heddle::marks
