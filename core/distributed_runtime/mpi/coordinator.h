// SPDX-License-Identifier: Apache-2.0
// Coordinator: decides which collectives run next, in one order for all ranks.
//
// Executors run the ops of a step in any order, another one in each process,
// while MPI wants every rank of a communicator to make the same calls in the
// same order.  So each rank announces to rank 0 the collectives that it is
// ready for; rank 0 orders those that all ranks of a group have announced, and
// each rank carries out its orders as they come.  Small all-reduces that are
// ready together become one.
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

// The name of a collective: group_key and instance_key of its op.
using Key = int64_t;
Key MakeKey(int32_t group_key, int32_t instance_key);
int32_t GroupOf(Key key);

// One rank is ready to take part.  It is sent as it lies in memory: all ranks
// run the same library.
struct Announcement {
  Key key = 0;
  int64_t bytes = 0;  // The bytes of the rank's part.
  int32_t rank = 0;
  int32_t group_size = 0;
  Kind kind = Kind::kReduce;
  Merge merge = Merge::kAdd;
  int32_t dtype = 0;
  // The shape as text, cut if it is too long; ends with a 0.
  char shape[60] = {};
};

// The next collective of the ranks of a group.
struct Order {
  enum class What : int64_t { kRun, kFail, kQuit };
  What what = What::kRun;
  std::vector<int32_t> members;  // Ranks of the group, ascending.
  std::vector<Key> keys;         // Several only if all are all-reduces.
  int32_t root = 0;              // The rank that broadcasts.
  std::string error;             // For kFail and kQuit.

  std::string Encode() const;
  // `encoded` is a result of Encode.
  static Order Decode(const std::string& encoded);
};

class Coordinator {
 public:
  // All-reduces are fused to at most `most_bytes` together.
  explicit Coordinator(int64_t most_bytes) : most_bytes_(most_bytes) {}

  void Add(const Announcement& announcement);

  // The orders that follow from the announcements, in the order in which all
  // ranks carry them out.
  std::vector<Order> Take();

  // Are there orders to take?
  bool HasOrders() const { return !ready_.empty(); }

  // The collectives that wait for ranks, one line each, for people whose
  // program hangs.
  std::string Waiting() const;

 private:
  struct Group {
    int32_t size = 0;
    // Ascending; complete if there are `size` of them.
    std::vector<int32_t> members;
  };

  std::string Mismatch(const std::vector<Announcement>& announced) const;
  bool IsReady(const std::vector<Announcement>& announced) const;

  const int64_t most_bytes_;
  std::map<int32_t, Group> groups_;
  // The announcements of keys that not all ranks have announced.
  std::map<Key, std::vector<Announcement>> announced_;
  std::vector<std::vector<Announcement>> ready_;
};

}  // namespace mpi
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_MPI_COORDINATOR_H_
