// SPDX-License-Identifier: Apache-2.0
// ReaderInterface: the operations of a reader in the ResourceMgr, for the ops
// that use it.  It takes names of work, such as files, from a queue, and gives
// records.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_READER_INTERFACE_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_READER_INTERFACE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/queue_interface.h"
#include "core/framework/resource_mgr.h"
#include "core/lib/core/status.h"
#include "core/platform/tstring.h"

namespace tensorwright {

// Thread-safe.
class ReaderInterface : public ResourceBase {
 public:
  // The next record; waits for work.  Errors are set in `context`: OutOfRange
  // when the queue is closed and all is read.
  virtual void Read(QueueInterface* queue, tstring* key, tstring* value,
                    OpKernelContext* context) = 0;
  // Up to num_records, at least one; fewer at the end of a unit of work.
  virtual int64_t ReadUpTo(const int64_t num_records, QueueInterface* queue,
                           std::vector<tstring>* keys,
                           std::vector<tstring>* value,
                           OpKernelContext* context) = 0;
  // Reads as Read does; returns false, with nothing changed, if it would have
  // to wait: for work, or for another thread that reads.
  virtual bool ReadWithoutWaiting(tstring* /*key*/, tstring* /*value*/,
                                  OpKernelContext* /*context*/) {
    return false;
  }
  virtual Status Reset() = 0;
  virtual int64_t NumRecordsProduced() = 0;
  virtual int64_t NumWorkUnitsCompleted() = 0;
  virtual Status SerializeState(tstring* state) = 0;
  virtual Status RestoreState(const tstring& state) = 0;

  std::string DebugString() override { return "a reader"; }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_READER_INTERFACE_H_
