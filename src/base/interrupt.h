// Ctrl-C and its relatives: the first signal asks the program to end well, the second ends it.
#pragma once

namespace heddle {

// Catches SIGINT, SIGTERM and SIGHUP (each unless it was ignored, as under nohup). The first one
// only sets the flag below; the second ends the process at once with exit code 128 + signal, and
// what must not stay behind is left to the guard (src/store/guard.h). May be called repeatedly.
void install_interrupt_handler();

// Whether a signal has come. Any thread.
bool interrupted();

// The signal that came first, or 0. The exit code of an interrupted program is 128 + this.
int interrupt_signal();

// Becomes and stays readable once a signal has come, so that poll() wakes. Never read from it.
int interrupt_fd();

// For tests: as if SIGINT had come, and as if nothing had.
void raise_interrupt();
void clear_interrupt();

}  // namespace heddle
