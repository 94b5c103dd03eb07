// Two threads write lines to a file of this process, which is gone afterwards; a static object of a
// function and a flag say that it was begun.
#include <cstdio>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>

namespace {

std::mutex mutex;
std::once_flag begun;
int begins = 0;

const std::string& path() {
  static const std::string path = "lines." + std::to_string(getpid());
  return path;
}

void write_lines(int writer) {
  std::call_once(begun, [] {
    ++begins;
    std::ofstream(path()) << "begin\n";
  });
  for (int i = 0; i < 2; ++i) {
    const std::lock_guard lock(mutex);
    std::ofstream(path(), std::ios::app) << writer << " " << i << "\n";
  }
}

}  // namespace

int main() {
  std::thread one(write_lines, 1);
  std::thread other(write_lines, 2);
  one.join();
  other.join();
  int lines = 0;
  std::string line;
  std::ifstream file(path());
  while (std::getline(file, line)) ++lines;
  std::remove(path().c_str());
  return lines == 5 && begins == 1 ? 0 : 1;
}
