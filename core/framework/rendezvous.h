// SPDX-License-Identifier: Apache-2.0
// Rendezvous: hands tensors from a Send to its Recv, by key.
//
// A key names (sending device, its incarnation, receiving device, edge, frame
// and iteration).  Either side may come first.  A value sent under a key is
// received once; several values under one key are received in order, and
// several Recvs that wait are served in order.  A run has one, and a failed run
// aborts it: nothing can be sent or received afterwards.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_RENDEZVOUS_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_RENDEZVOUS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "core/framework/allocator.h"
#include "core/framework/control_flow.h"
#include "core/framework/tensor.h"
#include "core/lib/core/refcount.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class CancellationManager;
class DeviceContext;

// Thread-safe, ref-counted.  A Recv that waits with a cancellation manager
// keeps it alive; otherwise the waiting code holds a reference.
class Rendezvous : public core::RefCounted {
 public:
  // Describes one side's own end: the memory of its tensor, and its stream.
  struct Args {
    DeviceContext* device_context = nullptr;
    AllocatorAttributes alloc_attrs;
    CancellationManager* cancellation_manager = nullptr;  // Not owned.
  };

  // A key taken apart, by ParseKey.  A value; the pieces are views of its own
  // buffer, good as long as this object.
  class ParsedKey {
   public:
    ParsedKey() = default;
    ParsedKey(const ParsedKey& other) { *this = other; }
    ParsedKey& operator=(const ParsedKey& other);

    absl::string_view src_device;
    uint64_t src_incarnation = 0;
    absl::string_view dst_device;
    absl::string_view edge_name;
    FrameAndIter frame_and_iter;

    absl::string_view FullKey() const { return buf_; }

   private:
    friend class Rendezvous;
    std::string buf_;
  };

  // "src;incarnation in hex;dst;edge;frame:iter".
  static std::string CreateKey(absl::string_view src_device,
                               uint64_t src_incarnation,
                               absl::string_view dst_device,
                               absl::string_view edge_name,
                               const FrameAndIter& frame_iter);
  // InvalidArgument unless the key is one that CreateKey makes, with devices
  // and edge that are not empty; *out is then of no use.  `key` is copied.
  static Status ParseKey(absl::string_view key, ParsedKey* out);

  // Offers a value; never waits.  Shares the tensor's buffer.  The tensor of a
  // dead value does not count.  Fails only with the status that StartAbort was
  // given.  If a Recv waits for the value, its callback runs in this thread.
  virtual Status Send(const ParsedKey& key, const Args& args,
                      const Tensor& value, bool is_dead) = 0;

  // Called exactly once: with the value, or with the reason why there is none
  // (the run was aborted or cancelled).  From any thread, and before RecvAsync
  // returns if the value is there; the rendezvous holds no lock then, so the
  // callback may send and receive.
  using DoneCallback = std::function<void(
      const Status& status, const Args& send_args, const Args& recv_args,
      const Tensor& value, bool is_dead)>;
  virtual void RecvAsync(const ParsedKey& key, const Args& args,
                         DoneCallback done) = 0;

  // Waits in this thread.  With `timeout_ms` 0 it waits for ever;
  // DeadlineExceeded after the timeout, with *value and *is_dead untouched.
  // The request stays in the queue even then: it takes the next value for the
  // key, which is lost.
  Status Recv(const ParsedKey& key, const Args& args, Tensor* value,
              bool* is_dead, int64_t timeout_ms);
  Status Recv(const ParsedKey& key, const Args& args, Tensor* value,
              bool* is_dead);

  // Fails every Recv that waits, and every later Send and Recv, with `status`,
  // which must be an error; the first call counts.  Callbacks run in this
  // thread.  Values that nobody has received are dropped.
  virtual void StartAbort(const Status& status) = 0;

 protected:
  ~Rendezvous() override = default;
};

// A Rendezvous for devices of one process that share memory: it copies no
// elements.  The caller owns one reference.
Rendezvous* NewLocalRendezvous();

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_RENDEZVOUS_H_
