// Where the sources lie that a test reads: documents, programs, golden files.
#pragma once

#include <filesystem>

namespace heddle {

// The folder of this checkout. Not from __FILE__: a compilation's result may be shared by checkouts
// in several folders (CCACHE_BASEDIR) and then names the first.
std::filesystem::path source_tree();

}  // namespace heddle
