// SPDX-License-Identifier: Apache-2.0
// FrameAndIter: names one iteration of one loop frame of one run.  A value; any
// thread.
//
// Executors give it to kernels (OpKernelContext::frame_iter), and rendezvous
// keys hold it, so that a tensor sent in one iteration is received in the same
// one.  Frame ids are equal in all partitions of a step.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_CONTROL_FLOW_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_CONTROL_FLOW_H_

#include <cstddef>
#include <cstdint>

namespace tensorwright {

// A default FrameAndIter holds these: no frame, no iteration.
inline constexpr uint64_t kIllegalFrameId = ~uint64_t{0};
inline constexpr int64_t kIllegalIterId = -1;

// The root frame is frame 0, iteration 0.
struct FrameAndIter {
  uint64_t frame_id = kIllegalFrameId;
  int64_t iter_id = kIllegalIterId;

  FrameAndIter() = default;
  FrameAndIter(uint64_t frame, int64_t iter) : frame_id(frame), iter_id(iter) {}

  bool operator==(const FrameAndIter& other) const {
    return frame_id == other.frame_id && iter_id == other.iter_id;
  }
};

struct FrameAndIterHash {
  size_t operator()(const FrameAndIter& key) const {
    // The ids are small numbers; the odd constant spreads frames apart.
    return static_cast<size_t>(key.frame_id * 0x9e3779b97f4a7c15u +
                               static_cast<uint64_t>(key.iter_id));
  }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_CONTROL_FLOW_H_
