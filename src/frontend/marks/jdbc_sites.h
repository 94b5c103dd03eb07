// Where a Java text makes a database do something through JDBC, by the words that it takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/marks/java_outline.h"
#include "frontend/marks/marks.h"
#include "frontend/marks/scan.h"

namespace heddle::marks {

struct JdbcSite {
  std::size_t offset = 0;
  std::uint32_t first_line = 0;  // of the statement of Java that it is in
  std::uint32_t last_line = 0;
  bool hands_over = false;  // gives the database to code without source
  bool defines = false;     // only CREATE, SET and their like
};

std::vector<JdbcSite> jdbc_sites(const ScannedText& scanned, const Language& language,
                                 const Declared& declared);

}  // namespace heddle::marks
