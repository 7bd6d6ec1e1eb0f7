// SPDX-License-Identifier: Apache-2.0
// Rendezvous: hands tensors from a Send to its Recv, by key.
//
// A key names (sending device, its incarnation, receiving device, edge, frame
// and iteration).  Either side may come first.  A value sent under a key is
// received once; several values under one key are received in order.
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

// Thread-safe, ref-counted: a Recv that waits keeps it alive.
class Rendezvous : public core::RefCounted {
 public:
  struct Args {
    DeviceContext* device_context = nullptr;
    AllocatorAttributes alloc_attrs;
    CancellationManager* cancellation_manager = nullptr;  // Not owned.
  };

  // A key taken apart; the pieces are views of buf_.
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
  // InvalidArgument unless the key is one that CreateKey makes.  `key` is
  // copied.
  static Status ParseKey(absl::string_view key, ParsedKey* out);

  // Offers a value; never waits.
  virtual Status Send(const ParsedKey& key, const Args& args,
                      const Tensor& value, bool is_dead) = 0;

  // Called exactly once: with the value, or with why there is none (the run was
  // aborted or cancelled).
  using DoneCallback = std::function<void(
      const Status& status, const Args& send_args, const Args& recv_args,
      const Tensor& value, bool is_dead)>;
  virtual void RecvAsync(const ParsedKey& key, const Args& args,
                         DoneCallback done) = 0;

  // Waits in this thread.  `timeout_ms` 0 is for ever; DeadlineExceeded after
  // it.
  Status Recv(const ParsedKey& key, const Args& args, Tensor* value,
              bool* is_dead, int64_t timeout_ms);
  Status Recv(const ParsedKey& key, const Args& args, Tensor* value,
              bool* is_dead);

  // Fails every Recv that waits, and every later Send and Recv, with `status`,
  // which must be an error.
  virtual void StartAbort(const Status& status) = 0;

 protected:
  ~Rendezvous() override = default;
};

// A Rendezvous for devices of one process.  The caller owns one reference.
Rendezvous* NewLocalRendezvous();

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_RENDEZVOUS_H_
