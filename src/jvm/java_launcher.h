#pragma once

namespace heddle {

// The text of HeddleLauncher.java.
const char* java_launcher_source();

}  // namespace heddle
