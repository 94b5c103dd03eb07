// Random programs for tests of cuts.
#pragma once

#include <cstddef>
#include <random>
#include <string>

#include <fmt/format.h>

namespace heddle::chopping {

// A program of some tables and functionalities that read and write them here and there.
inline std::string random_program(std::mt19937& random, std::size_t tables,
                                  std::size_t functionalities) {
  std::string sql;
  for (std::size_t i = 0; i < tables; ++i) {
    sql += fmt::format("CREATE TABLE t{} (id int PRIMARY KEY, n int NOT NULL);\n", i);
  }
  for (std::size_t i = 0; i < functionalities; ++i) {
    std::string body;
    const std::size_t statements = 2 + random() % 3;
    for (std::size_t j = 0; j < statements; ++j) {
      const std::size_t table = random() % tables;
      switch (random() % 6) {
        case 0:
        case 1:
          body += fmt::format("SELECT n INTO v FROM t{} WHERE id = a;\n", table);
          break;
        case 2:
          body += fmt::format("UPDATE t{} SET n = v WHERE id = a;\n", table);
          break;
        case 3:
          body += fmt::format("UPDATE t{} SET n = n + 1 WHERE id = a;\n", table);
          break;
        case 4:
          body +=
              fmt::format("IF v > 0 THEN\nUPDATE t{} SET n = 0 WHERE id = a;\nEND IF;\n", table);
          break;
        default:
          body +=
              fmt::format("SELECT x.n INTO v FROM t{} x JOIN t{} y ON y.id = x.n WHERE x.id = a;\n",
                          table, random() % tables);
          break;
      }
    }
    if (random() % 4 == 0) body = "FOR i IN 1..2 LOOP\n" + body + "END LOOP;\n";
    sql += fmt::format(
        "CREATE PROCEDURE f{}(a int) LANGUAGE plpgsql AS $$\nDECLARE v int := 0;\nBEGIN\n{}END\n"
        "$$;\n",
        i, body);
  }
  return sql;
}

}  // namespace heddle::chopping
