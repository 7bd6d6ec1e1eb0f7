// SPDX-License-Identifier: Apache-2.0
// Coordinator: decides which collectives run next, in one order for all ranks.
//
// Executors run the ops of a step in any order, another one in each process,
// while MPI wants every rank of a communicator to make the same calls in the
// same order.  So each rank announces to rank 0 what it is ready to do; what
// all ranks of a group have announced rank 0 orders, and each rank does what it
// is told, as it is told.  Small all-reduces that are ready together become
// one.
//
// Knows nothing of MPI.  Not thread-safe.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MPI_COORDINATOR_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MPI_COORDINATOR_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tensorwright {
namespace mpi {

enum class Kind : int32_t { kReduce, kGather, kSend, kReceive };
enum class Merge : int32_t { kAdd, kMul, kMin, kMax };

// What names a collective: group_key and instance_key of its op.
using Key = int64_t;
Key MakeKey(int32_t group_key, int32_t instance_key);
int32_t GroupOf(Key key);

// One rank is ready to take part.  Sent as it lies in memory: all ranks run the
// same library.
struct Announcement {
  Key key = 0;
  int64_t bytes = 0;  // Of the rank's part.
  int32_t rank = 0;
  int32_t group_size = 0;
  Kind kind = Kind::kReduce;
  Merge merge = Merge::kAdd;
  int32_t dtype = 0;
  // The shape as text, cut where it is too long; ends with a 0.
  char shape[60] = {};
};

// What the ranks of a group do next.
struct Order {
  enum class What : int64_t { kRun, kFail, kQuit };
  What what = What::kRun;
  std::vector<int32_t> members;  // Ranks of the group, ascending.
  std::vector<Key> keys;         // Several only where all are all-reduces.
  int32_t root = 0;              // The rank that broadcasts.
  std::string error;             // Of kFail and kQuit.

  std::string Encode() const;
  // `encoded` is what Encode made.
  static Order Decode(const std::string& encoded);
};

class Coordinator {
 public:
  // All-reduces are fused up to `most_bytes` together.
  explicit Coordinator(int64_t most_bytes) : most_bytes_(most_bytes) {}

  void Add(const Announcement& announcement);

  // The orders that follow from what was added, in the order in which all ranks
  // carry them out.
  std::vector<Order> Take();

  // Is there something to take?
  bool HasOrders() const { return !ready_.empty(); }

  // What waits for ranks, a line each: for people whose program hangs.
  std::string Waiting() const;

 private:
  struct Group {
    int32_t size = 0;
    std::vector<int32_t> members;  // Ascending; complete if as many as `size`.
  };

  std::string Mismatch(const std::vector<Announcement>& announced) const;
  bool IsReady(const std::vector<Announcement>& announced) const;

  const int64_t most_bytes_;
  std::map<int32_t, Group> groups_;
  // Of keys that not all ranks have announced.
  std::map<Key, std::vector<Announcement>> announced_;
  std::vector<std::vector<Announcement>> ready_;
};

}  // namespace mpi
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MPI_COORDINATOR_H_
