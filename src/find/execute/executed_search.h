// heddle::find_and_execute() with a seam for tests.
#pragma once

#include <functional>

#include "heddle/find_and_execute.h"

namespace heddle::find {

// `pause` is called before each set is searched and each cause is executed, on any thread; may be
// empty. The report does not depend on it.
Result<ExecutedSearch> find_and_execute(const Program& program, const FindOptions& options,
                                        const ExecuteOptions& execution,
                                        const std::function<void()>& pause);

}  // namespace heddle::find
