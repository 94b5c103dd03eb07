// Tables as the kernel writes them.
#include "record/check/direct_connections.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace heddle {
namespace {

using Sockets = std::set<std::uint64_t>;

constexpr const char* kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n"
    "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  0  0 11 1 0\n"
    "   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  0  0 12 1 0\n"
    "   2: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  0  0 13 1 0\n"
    "   3: 0100007F:C351 0100007F:1F90 06 00000000:00000000 00:00000000 00000000  0  0 0 1 0\n"
    "   4: 0A00000A:C352 0B00000A:1F90 01 00000000:00000000 00:00000000 00000000  0  0 14 1 0\n";

TEST(DirectConnections, EstablishedOnesToThePortOfThisMachine) {
  EXPECT_EQ(connections_to(kTable, 8080), Sockets({12}));
  EXPECT_EQ(connections_to(kTable, 50000), Sockets({13}));
  EXPECT_EQ(connections_to(kTable, 8081), Sockets());
  EXPECT_EQ(connections_to("", 8080), Sockets());
}

TEST(DirectConnections, BothKindsOfAddresses) {
  const std::string rest = " 01 00000000:00000000 00:00000000 00000000  0  0 21 1 0\n";
  const std::string from = "0: 00000000000000000000000000000000:C350 ";
  EXPECT_EQ(connections_to(from + "00000000000000000000000001000000:1F90" + rest, 8080),
            Sockets({21}));
  EXPECT_EQ(connections_to(from + "0000000000000000FFFF00000100007F:1F90" + rest, 8080),
            Sockets({21}));
  EXPECT_EQ(connections_to(from + "B80D0120000000000000000001000000:1F90" + rest, 8080), Sockets());
}

}  // namespace
}  // namespace heddle
