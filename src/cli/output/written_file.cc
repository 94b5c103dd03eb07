#include "cli/output/written_file.h"

#include "base/file.h"
#include "base/private_file.h"
#include "store/given_server.h"

namespace heddle {

Result<void> write_report_file(const std::string& path, std::string_view content) {
  return has_reached_given_server() ? write_private_file_atomically(path, content)
                                    : write_file_atomically(path, content);
}

}  // namespace heddle
