#include "split/search/clusters.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <set>

namespace heddle::chopping {

std::vector<std::vector<double>> table_distances(const Forms& forms, const Program& program) {
  const std::size_t tables = program.schema.tables.size();
  std::vector<std::set<std::size_t>> users(tables);
  for (std::size_t i = 0; i < program.functionalities.size(); ++i) {
    for (const std::size_t table : forms.tables_of(i)) users[table].insert(i);
  }
  std::vector<std::vector<double>> distances(tables, std::vector<double>(tables, 1.0));
  for (std::size_t a = 0; a < tables; ++a) {
    for (std::size_t b = 0; b < tables; ++b) {
      std::set<std::size_t> all = users[a];
      all.insert(users[b].begin(), users[b].end());
      if (all.empty()) continue;
      const auto both = std::ranges::count_if(
          users[a], [&](std::size_t user) { return users[b].contains(user); });
      distances[a][b] = 1.0 - static_cast<double>(both) / static_cast<double>(all.size());
    }
  }
  return distances;
}

namespace {

double distance_between(const std::vector<std::size_t>& left, const std::vector<std::size_t>& right,
                        const std::vector<std::vector<double>>& distances) {
  double sum = 0;
  for (const std::size_t a : left) {
    for (const std::size_t b : right) sum += distances[a][b];
  }
  return sum / static_cast<double>(left.size() * right.size());
}

}  // namespace

std::vector<Partition> clusters_of(const Units& units, const Forms& forms, const Program& program) {
  const std::vector<std::vector<double>> distances = table_distances(forms, program);
  Partition services(units.tables.size());
  std::iota(services.begin(), services.end(), std::size_t{0});
  std::vector<Partition> all = {services};
  for (std::size_t count = services.size(); count > 1; --count) {
    std::vector<std::vector<std::size_t>> clusters(count);
    for (std::size_t i = 0; i < services.size(); ++i) {
      std::vector<std::size_t>& cluster = clusters[services[i]];
      cluster.insert(cluster.end(), units.tables[i].begin(), units.tables[i].end());
    }
    std::size_t from = 1;
    std::size_t to = 0;
    double least = 2;
    for (std::size_t a = 1; a < count; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const double distance = distance_between(clusters[a], clusters[b], distances);
        if (distance >= least) continue;
        least = distance;
        from = a;
        to = b;
      }
    }
    std::ranges::replace(services, from, to);
    services = in_order(services);
    all.push_back(services);
  }
  return all;
}

}  // namespace heddle::chopping
