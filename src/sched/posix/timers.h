// Timers that are read from descriptors (timerfd): they go off by the execution's time.
#pragma once

namespace heddle::sched::runtime {

// Timers whose time has come are ready from now on. True: there are others, whose time will come.
bool fire_timers();

}  // namespace heddle::sched::runtime
