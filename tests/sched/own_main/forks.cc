// Dining philosophers, who take the left fork first; with "right" the one of the lower number.
#include <array>
#include <iostream>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kSeats = 3;
std::array<std::mutex, kSeats> forks;

}  // namespace

int main(int argc, char** argv) {
  const bool right = argc > 1 && std::string_view(argv[1]) == "right";
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < kSeats; ++i) {
    threads.emplace_back([right, i] {
      std::size_t first = i;
      std::size_t second = (i + 1) % kSeats;
      if (right && first > second) std::swap(first, second);
      const std::lock_guard one(forks[first]);
      const std::lock_guard other(forks[second]);
      std::cout << "philosopher " << i << " eats\n";
    });
  }
}
