// What bench/state measures: what it costs to look at the rows of a database, and to put them back
// under open connections, on a private server.
//
//   state_times TABLES ROWS REPEAT
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/must_testing.h"
#include "store/postgres/ask_testing.h"
#include "store/postgres/state.h"
#include "store/postgres/throwaway.h"

namespace {

using heddle::must;

// Milliseconds of the middle one of the times that the work takes; what comes before is not timed.
template <class Before, class Work>
double median_ms(std::size_t repeat, const Before& before, const Work& work) {
  std::vector<double> times;
  for (std::size_t i = 0; i < repeat; ++i) {
    before();
    const auto begun = std::chrono::steady_clock::now();
    work();
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun)
            .count());
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const std::size_t tables = std::stoul(arguments[1]);
  const std::size_t rows = std::stoul(arguments[2]);
  const std::size_t repeat = std::stoul(arguments[3]);
  const auto server = must(heddle::ThrowawayPostgres::start({}));
  const auto sql = [&](const std::string& text) { heddle::ask(server->conninfo(), text); };
  for (std::size_t i = 0; i < tables; ++i) {
    sql(
        fmt::format("CREATE TABLE t{0} (id serial PRIMARY KEY, name text, amount int);"
                    "INSERT INTO t{0} (name, amount) SELECT 'name ' || i, i "
                    "FROM generate_series(1, {1}) i; ANALYZE t{0}",
                    i, rows));
  }
  auto state = must(heddle::PostgresState::open(server->conninfo()));
  must(state.remember());
  const auto nothing = [] {};
  const auto change = [&] {
    sql("UPDATE t0 SET amount = amount + 1 WHERE id < 3; INSERT INTO t0 (name) VALUES ('new')");
  };
  const auto put_back = [&] {
    if (!must(state.put_back())) std::puts("the state is another one");
  };
  fmt::print("{} tables of {} rows\n", tables, rows);
  fmt::print("  read, nothing changed       {:8.2f} ms\n",
             median_ms(repeat, nothing, [&] { (void)must(state.read()); }));
  fmt::print("  put back, nothing changed   {:8.2f} ms\n", median_ms(repeat, nothing, put_back));
  fmt::print("  put back, 3 rows changed    {:8.2f} ms\n", median_ms(repeat, change, put_back));
  return 0;
}
