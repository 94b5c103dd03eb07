#include "split/search/clusters.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace heddle::chopping {

namespace {

// Distances that differ by less are equal: sums in another order.
constexpr double kAsNear = 1e-12;

using Users = std::vector<std::set<std::size_t>>;

// The functionalities that use each table.
Users users_of_tables(const Forms& forms, const Program& program) {
  Users users(program.schema.tables.size());
  for (std::size_t i = 0; i < program.functionalities.size(); ++i) {
    for (const std::size_t table : forms.tables_of(i)) users[table].insert(i);
  }
  return users;
}

// `among`: of which the share is taken, of the users of two tables.
template <class Among>
Distances distances_among(const Users& users, Among among) {
  Distances distances(users.size(), std::vector<double>(users.size(), 1.0));
  for (std::size_t a = 0; a < users.size(); ++a) {
    for (std::size_t b = 0; b < users.size(); ++b) {
      const std::size_t all = among(users[a], users[b]);
      if (all == 0) continue;
      const auto both = std::ranges::count_if(
          users[a], [&](std::size_t user) { return users[b].contains(user); });
      distances[a][b] = 1.0 - static_cast<double>(both) / static_cast<double>(all);
    }
  }
  return distances;
}

double distance_between(const std::vector<std::size_t>& left, const std::vector<std::size_t>& right,
                        const Distances& distances) {
  double sum = 0;
  for (const std::size_t a : left) {
    for (const std::size_t b : right) sum += (distances[a][b] + distances[b][a]) / 2;
  }
  return sum / static_cast<double>(left.size() * right.size());
}

// Of units.
using Clusters = std::vector<std::vector<std::size_t>>;

bool must_be_apart(const Clusters& clusters, std::size_t a, std::size_t b, const Units& units) {
  return std::ranges::any_of(clusters[a], [&](std::size_t left) {
    return std::ranges::any_of(clusters[b],
                               [&](std::size_t right) { return units.apart[left][right]; });
  });
}

// Into one cluster each.
Clusters tables_of_clusters(const Clusters& clusters, const Units& units) {
  Clusters all;
  for (const std::vector<std::size_t>& cluster : clusters) {
    std::vector<std::size_t>& tables = all.emplace_back();
    for (const std::size_t unit : cluster) {
      tables.insert(tables.end(), units.tables[unit].begin(), units.tables[unit].end());
    }
  }
  return all;
}

}  // namespace

Distances table_distances(const Forms& forms, const Program& program) {
  return distances_among(users_of_tables(forms, program), [](const auto& one, const auto& other) {
    std::set<std::size_t> all = one;
    all.insert(other.begin(), other.end());
    return all.size();
  });
}

Distances access_distances(const Forms& forms, const Program& program) {
  return distances_among(users_of_tables(forms, program),
                         [](const auto& first, const auto& /*second*/) { return first.size(); });
}

std::vector<Partition> clusters_of(const Units& units, const Distances& distances) {
  Partition services(units.tables.size());
  std::iota(services.begin(), services.end(), std::size_t{0});
  std::vector<Partition> all = {services};
  for (std::size_t count = services.size(); count > 1; --count) {
    Clusters clusters(count);
    for (std::size_t i = 0; i < services.size(); ++i) clusters[services[i]].push_back(i);
    const Clusters tables = tables_of_clusters(clusters, units);
    std::optional<std::pair<std::size_t, std::size_t>> merge;
    double least = 2;
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = a + 1; b < count; ++b) {
        const double distance = distance_between(tables[a], tables[b], distances);
        if (distance > least - kAsNear || must_be_apart(clusters, a, b, units)) continue;
        least = distance;
        merge = {a, b};
      }
    }
    if (!merge) break;
    std::ranges::replace(services, merge->second, merge->first);
    services = in_order(services);
    all.push_back(services);
  }
  return all;
}

double silhouette_of(const Partition& partition, const Distances& distances) {
  const std::size_t services = services_of(partition);
  if (services < 2) return 0;
  double sum = 0;
  for (std::size_t table = 0; table < partition.size(); ++table) {
    std::vector<double> total(services);
    std::vector<std::size_t> count(services);
    for (std::size_t other = 0; other < partition.size(); ++other) {
      if (other == table) continue;
      total[partition[other]] += distances[table][other];
      ++count[partition[other]];
    }
    const std::size_t own = partition[table];
    if (count[own] == 0) continue;
    double nearest = 1;
    for (std::size_t i = 0; i < services; ++i) {
      if (i != own && count[i] > 0) {
        nearest = std::min(nearest, total[i] / static_cast<double>(count[i]));
      }
    }
    const double within = total[own] / static_cast<double>(count[own]);
    const double larger = std::max(within, nearest);
    if (larger > 0) sum += (nearest - within) / larger;
  }
  return sum / static_cast<double>(partition.size());
}

}  // namespace heddle::chopping
