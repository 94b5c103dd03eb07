// How a process is asked where its threads are.
#pragma once

namespace heddle::sched::runtime {

// From now on kSurveySignal stops the process, and puts the answer into its flight.
void handle_survey_signal();

}  // namespace heddle::sched::runtime
