#include "store/given_server.h"

#include <atomic>

namespace heddle {

namespace {

std::atomic<bool> reached = false;

}  // namespace

void note_given_server() { reached = true; }

bool has_reached_given_server() { return reached; }

}  // namespace heddle
