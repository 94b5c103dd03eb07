// What the clients' libraries of stores would take from the environment, which heddle takes away
// from them: PGHOSTADDR sends the connections of a throwaway server to the user's own, PGOPTIONS
// changes what its sessions answer, PGSERVICE does both. Some of it cannot be overruled by what a
// connection is given, only by not being there. Each store's client knows its own variables.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Removes the variables from the environment of this process and remembers what they said.
/// Best called before there are threads, since others may read the environment. Thread-safe.
void take_variables(std::span<const std::string_view> names);

/// What a variable said that was taken; nothing: it was not set.
std::optional<std::string> taken_variable(std::string_view name);

/// All that were taken, as "NAME=value": for the environment of what is not ours.
std::vector<std::string> taken_variables();

/// Tells, once, which of the variables were set and taken, and are of no use to a given server.
void tell_of_ignored(std::vector<std::string> variables);

/// Who is told, in one line, that variables are ignored. Nobody is, unless somebody asks.
void tell_of_ignored_variables(std::function<void(const std::string& line)> listener);

}  // namespace heddle
