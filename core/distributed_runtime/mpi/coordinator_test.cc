// SPDX-License-Identifier: Apache-2.0
#include "core/distributed_runtime/mpi/coordinator.h"

#include <cstring>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace mpi {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Announcement Make(int rank, int instance, int64_t bytes = 8,
                  const char* shape = "[2]") {
  Announcement made;
  made.key = MakeKey(1, instance);
  made.rank = rank;
  made.group_size = 2;
  made.bytes = bytes;
  std::strcpy(made.shape, shape);
  return made;
}

TEST(CoordinatorTest, OrdersWhatAllRanksHaveAnnouncedInOneOrder) {
  Coordinator coordinator(0);
  coordinator.Add(Make(0, 1));
  coordinator.Add(Make(0, 2));
  coordinator.Add(Make(1, 2));
  EXPECT_TRUE(coordinator.HasOrders());
  const auto first = coordinator.Take();
  ASSERT_EQ(first.size(), 1);
  EXPECT_THAT(first[0].keys, ElementsAre(MakeKey(1, 2)));
  EXPECT_THAT(first[0].members, ElementsAre(0, 1));
  EXPECT_EQ(coordinator.Waiting(),
            "collective 1 of group 1 has the ranks 0 of 2\n");
  coordinator.Add(Make(1, 1));
  EXPECT_THAT(coordinator.Take()[0].keys, ElementsAre(MakeKey(1, 1)));
  EXPECT_THAT(coordinator.Take(), IsEmpty());
}

TEST(CoordinatorTest, FusesWhatIsReadyTogetherUpToALimit) {
  Coordinator coordinator(20);
  for (const int instance : {3, 1, 2}) {
    for (const int rank : {1, 0}) coordinator.Add(Make(rank, instance));
  }
  const auto orders = coordinator.Take();
  ASSERT_EQ(orders.size(), 2);
  EXPECT_THAT(orders[0].keys, ElementsAre(MakeKey(1, 3), MakeKey(1, 1)));
  EXPECT_THAT(orders[1].keys, ElementsAre(MakeKey(1, 2)));
}

TEST(CoordinatorTest, DoesNotFuseWhatDiffers) {
  Coordinator coordinator(1000);
  for (const int instance : {1, 2, 3}) {
    for (const int rank : {0, 1}) {
      Announcement made = Make(rank, instance);
      if (instance == 2) made.dtype = 5;
      if (instance == 3) made.kind = Kind::kGather;
      coordinator.Add(made);
    }
  }
  EXPECT_EQ(coordinator.Take().size(), 3);
}

TEST(CoordinatorTest, RanksThatDoNotAgreeFail) {
  Coordinator coordinator(1000);
  coordinator.Add(Make(0, 1));
  coordinator.Add(Make(1, 1, 12, "[3]"));
  const auto orders = coordinator.Take();
  ASSERT_EQ(orders.size(), 1);
  EXPECT_EQ(orders[0].what, Order::What::kFail);
  EXPECT_THAT(orders[0].error, HasSubstr("shape: [2] and [3]"));
}

TEST(CoordinatorTest, ABroadcastHasOneSender) {
  Coordinator coordinator(1000);
  for (const bool two : {false, true}) {
    for (const int rank : {0, 1}) {
      Announcement made = Make(rank, 1);
      made.kind = rank == 1 || two ? Kind::kSend : Kind::kReceive;
      coordinator.Add(made);
    }
  }
  const auto orders = coordinator.Take();
  ASSERT_EQ(orders.size(), 2);
  EXPECT_EQ(orders[0].what, Order::What::kRun);
  EXPECT_EQ(orders[0].root, 1);
  EXPECT_THAT(orders[1].error, HasSubstr("one sender, this one 2"));
}

TEST(CoordinatorTest, AnOrderSurvivesItsEncoding) {
  Order order;
  order.what = Order::What::kFail;
  order.members = {0, 2};
  order.keys = {MakeKey(-1, 7), MakeKey(3, -2)};
  order.root = 2;
  order.error = "why";
  const Order read = Order::Decode(order.Encode());
  EXPECT_EQ(read.what, order.what);
  EXPECT_EQ(read.members, order.members);
  EXPECT_EQ(read.keys, order.keys);
  EXPECT_EQ(read.root, 2);
  EXPECT_EQ(read.error, "why");
  EXPECT_EQ(GroupOf(read.keys[0]), -1);
}

}  // namespace
}  // namespace mpi
}  // namespace tensorwright
