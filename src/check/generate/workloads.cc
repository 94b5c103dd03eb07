#include "check/generate/workloads.h"

#include "base/assert.h"

namespace heddle {

namespace workloads {

// Only for the rows below: calls.cc names what calls do in the same words.
using enum RowAction;

// Tables: 0 warehouse, 1 district, 2 customer, 3 item, 4 stock, 5 order, 6 order line, 7 history.
constexpr WorkloadTable kTpccTables[] = {{10, false},    {100, false},   {30'000, true},
                                         {20'000, true}, {40'000, true}, {0, false},
                                         {0, false},     {0, false}};
constexpr WorkloadStep kNewOrder[] = {{0, read},         {1, update},        {2, read},
                                      {3, read, 5, 10},  {4, update, 5, 10}, {5, insert},
                                      {6, insert, 5, 10}};
constexpr WorkloadStep kPayment[] = {{0, update}, {1, update}, {2, update}, {7, insert}};
constexpr WorkloadStep kOrderStatus[] = {{2, read}, {5, read_recent}, {6, read_recent, 5, 10}};
constexpr WorkloadStep kDelivery[] = {{5, read_recent, 1, 4}, {6, read_recent, 5, 10}, {2, update}};
constexpr WorkloadStep kStockLevel[] = {{1, read}, {6, read_recent, 5, 10}, {4, read, 5, 10}};
constexpr WorkloadTransaction kTpccTransactions[] = {
    {45, kNewOrder}, {43, kPayment}, {4, kOrderStatus}, {4, kDelivery}, {4, kStockLevel}};

// Tables: 0 user, 1 item, 2 bid, 3 comment.
constexpr WorkloadTable kRubisTables[] = {{20'000, true}, {80'000, true}, {0, false}, {0, false}};
constexpr WorkloadStep kViewItem[] = {{1, read}, {0, read}, {2, read_recent, 0, 3}};
constexpr WorkloadStep kBrowse[] = {{1, read, 5, 10}};
constexpr WorkloadStep kBid[] = {{0, read}, {1, update}, {2, insert}};
constexpr WorkloadStep kBuyNow[] = {{0, read}, {1, update}, {0, update}};
constexpr WorkloadStep kComment[] = {{0, update}, {3, insert}};
constexpr WorkloadStep kAboutMe[] = {{0, read}, {2, read_recent, 1, 4}, {3, read_recent, 1, 4}};
constexpr WorkloadTransaction kRubisTransactions[] = {
    {35, kViewItem}, {25, kBrowse}, {20, kBid}, {5, kBuyNow}, {5, kComment}, {10, kAboutMe}};

// Tables: 0 user, 1 the list of whom a user follows, 2 the last tweet of a user, 3 tweet.
constexpr WorkloadTable kTwitterTables[] = {
    {1'000, true}, {1'000, true}, {1'000, true}, {0, false}};
constexpr WorkloadStep kTweet[] = {{0, read}, {2, update}, {3, insert}};
constexpr WorkloadStep kFollow[] = {{0, read, 2, 2}, {1, update, 2, 2}};
constexpr WorkloadStep kTimeline[] = {{1, read}, {2, read, 5, 10}, {3, read_recent, 2, 5}};
constexpr WorkloadStep kProfile[] = {{0, read}, {2, read}, {3, read_recent, 0, 2}};
constexpr WorkloadTransaction kTwitterTransactions[] = {
    {30, kTweet}, {10, kFollow}, {50, kTimeline}, {10, kProfile}};

constexpr WorkloadDefinition kTpcc{kTpccTables, kTpccTransactions};
constexpr WorkloadDefinition kRubis{kRubisTables, kRubisTransactions};
constexpr WorkloadDefinition kTwitter{kTwitterTables, kTwitterTransactions};

}  // namespace workloads

const WorkloadDefinition& workload_definition(Workload workload) {
  switch (workload) {
    case Workload::tpcc:
      return workloads::kTpcc;
    case Workload::rubis:
      return workloads::kRubis;
    case Workload::twitter:
      return workloads::kTwitter;
    case Workload::random:
      break;
  }
  HEDDLE_ASSERT(false);
}

}  // namespace heddle
