// SPDX-License-Identifier: Apache-2.0
#include "core/distributed_runtime/mpi/coordinator.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tensorwright {
namespace mpi {
namespace {

// The announcements that make a collective ready are its group's, one for each
// rank.
std::vector<int32_t> Ranks(const std::vector<Announcement>& announced) {
  std::vector<int32_t> ranks;
  for (const Announcement& a : announced) ranks.push_back(a.rank);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

bool CanFuse(const Announcement& a, const Announcement& b) {
  return a.kind == Kind::kReduce && b.kind == Kind::kReduce &&
         a.dtype == b.dtype && a.merge == b.merge &&
         GroupOf(a.key) == GroupOf(b.key);
}

}  // namespace

Key MakeKey(int32_t group_key, int32_t instance_key) {
  return static_cast<Key>((static_cast<uint64_t>(group_key) << 32) |
                          static_cast<uint32_t>(instance_key));
}

int32_t GroupOf(Key key) { return static_cast<int32_t>(key >> 32); }

std::string Order::Encode() const {
  std::vector<int64_t> numbers = {static_cast<int64_t>(what), root,
                                  static_cast<int64_t>(members.size()),
                                  static_cast<int64_t>(keys.size())};
  numbers.insert(numbers.end(), members.begin(), members.end());
  numbers.insert(numbers.end(), keys.begin(), keys.end());
  std::string encoded(reinterpret_cast<const char*>(numbers.data()),
                      numbers.size() * sizeof(int64_t));
  return encoded + error;
}

Order Order::Decode(const std::string& encoded) {
  const char* at = encoded.data();
  const auto next = [&at] {
    int64_t number;
    std::memcpy(&number, at, sizeof(number));
    at += sizeof(number);
    return number;
  };
  Order order;
  order.what = static_cast<What>(next());
  order.root = static_cast<int32_t>(next());
  order.members.resize(next());
  order.keys.resize(next());
  for (int32_t& member : order.members) member = static_cast<int32_t>(next());
  for (Key& key : order.keys) key = next();
  order.error = std::string(at, encoded.data() + encoded.size());
  return order;
}

void Coordinator::Add(const Announcement& announcement) {
  Group& group = groups_[GroupOf(announcement.key)];
  if (group.size == 0) group.size = announcement.group_size;
  auto& members = group.members;
  const auto place =
      std::lower_bound(members.begin(), members.end(), announcement.rank);
  const bool is_member = place != members.end() && *place == announcement.rank;
  if (!is_member && static_cast<int32_t>(members.size()) < group.size) {
    members.insert(place, announcement.rank);
  }
  auto& announced = announced_[announcement.key];
  announced.push_back(announcement);
  if (IsReady(announced)) {
    ready_.push_back(std::move(announced));
    announced_.erase(announcement.key);
  }
}

bool Coordinator::IsReady(const std::vector<Announcement>& announced) const {
  return static_cast<int32_t>(announced.size()) >= announced[0].group_size;
}

std::string Coordinator::Mismatch(
    const std::vector<Announcement>& announced) const {
  const Announcement& first = announced[0];
  const auto differ = [&](const Announcement& other, const auto& what,
                          const auto& mine, const auto& theirs) {
    return absl::StrCat("ranks ", first.rank, " and ", other.rank,
                        " do not agree on the ", what, ": ", mine, " and ",
                        theirs);
  };
  int senders = 0;
  for (const Announcement& a : announced) {
    senders += a.kind == Kind::kSend;
    if (a.group_size != first.group_size) {
      return differ(a, "size of the group", first.group_size, a.group_size);
    }
    const auto is_broadcast = [](Kind kind) {
      return kind == Kind::kSend || kind == Kind::kReceive;
    };
    if (a.kind != first.kind &&
        !(is_broadcast(a.kind) && is_broadcast(first.kind))) {
      return differ(a, "kind of collective", static_cast<int>(first.kind),
                    static_cast<int>(a.kind));
    }
    if (a.dtype != first.dtype) {
      return differ(a, "dtype", first.dtype, a.dtype);
    }
    if (a.merge != first.merge) {
      return differ(a, "merge_op", static_cast<int>(first.merge),
                    static_cast<int>(a.merge));
    }
    if (a.bytes != first.bytes || std::strcmp(a.shape, first.shape) != 0) {
      return differ(a, "shape", first.shape, a.shape);
    }
  }
  const std::vector<int32_t> members = groups_.at(GroupOf(first.key)).members;
  if (Ranks(announced) != members) {
    return absl::StrCat(
        "the group has the ranks ", absl::StrJoin(members, ", "),
        ", but these take part: ", absl::StrJoin(Ranks(announced), ", "));
  }
  if (first.kind != Kind::kReduce && first.kind != Kind::kGather &&
      senders != 1) {
    return absl::StrCat("a broadcast has one sender, this one ", senders);
  }
  return "";
}

std::vector<Order> Coordinator::Take() {
  std::vector<Order> orders;
  // The part of the last order that tells whether more may join it.
  const Announcement* last = nullptr;
  int64_t bytes = 0;
  for (const std::vector<Announcement>& announced : ready_) {
    const Announcement& first = announced[0];
    Order order;
    order.error = Mismatch(announced);
    order.members = Ranks(announced);
    order.keys = {first.key};
    if (!order.error.empty()) {
      order.what = Order::What::kFail;
      last = nullptr;
    } else if (last != nullptr && CanFuse(*last, first) &&
               bytes + first.bytes <= most_bytes_) {
      orders.back().keys.push_back(first.key);
      bytes += first.bytes;
      continue;
    } else {
      for (const Announcement& a : announced) {
        if (a.kind == Kind::kSend) order.root = a.rank;
      }
      last = &first;
      bytes = first.bytes;
    }
    orders.push_back(std::move(order));
  }
  ready_.clear();
  return orders;
}

std::string Coordinator::Waiting() const {
  std::string lines;
  for (const auto& [key, announced] : announced_) {
    absl::StrAppend(&lines, "collective ", static_cast<int32_t>(key),
                    " of group ", GroupOf(key), " has the ranks ",
                    absl::StrJoin(Ranks(announced), ", "), " of ",
                    announced[0].group_size, "\n");
  }
  return lines;
}

}  // namespace mpi
}  // namespace tensorwright
