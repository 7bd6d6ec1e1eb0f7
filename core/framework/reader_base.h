// SPDX-License-Identifier: Apache-2.0
// ReaderBase: all of a reader except the reading.  A subclass knows how to open
// a unit of work, to read a record of it, and to close it.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_READER_BASE_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_READER_BASE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/framework/reader_interface.h"
#include "core/lib/core/stringpiece.h"
#include "core/platform/mutex.h"
#include "core/platform/thread_annotations.h"

namespace tensorwright {

class ReaderBaseState;

class ReaderBase : public ReaderInterface {
 public:
  // For messages, such as "TextLineReader 'name'".
  explicit ReaderBase(const std::string& name) : name_(name) {}

  // The subclass's part; no two of these calls run at the same time.

  // Reads a record and sets *produced, or sets *at_end and not *produced when
  // there is none left. TensorFlow 1.x's readers override the second form.
  virtual Status ReadLocked(tstring* key, tstring* value, bool* produced,
                            bool* at_end);
  virtual Status ReadLocked(std::string* key, std::string* value,
                            bool* produced, bool* at_end);
  // Up to num_records at once, of the current work.
  virtual Status ReadUpToLocked(int64_t num_records, std::vector<tstring>* keys,
                                std::vector<tstring>* values, int64_t* num_read,
                                bool* at_end);
  virtual Status OnWorkStartedLocked() { return Status(); }
  virtual Status OnWorkFinishedLocked() { return Status(); }
  virtual Status ResetLocked();
  virtual Status SerializeStateLocked(tstring* state);
  virtual Status SerializeStateLocked(std::string* state);
  virtual Status RestoreStateLocked(const tstring& state);
  virtual Status RestoreStateLocked(const std::string& state);

  // For the subclass.

  // The beginning of keys, such as the name of the work and the record's
  // number.
  static tstring KeyName(const StringPiece& key, int64_t row);
  const std::string& current_work() const { return work_; }
  bool work_in_progress() const { return work_finished_ < work_started_; }
  const std::string& name() const { return name_; }
  // The base's part of the state of a reader.  Restoring is InvalidArgument for
  // counts that contradict one another, and for a state saved while work was in
  // progress, since the work is not opened again.
  void SaveBaseState(ReaderBaseState* state) const;
  Status RestoreBaseState(const ReaderBaseState& state);

 private:
  void Read(QueueInterface* queue, tstring* key, tstring* value,
            OpKernelContext* context) override;
  bool ReadWithoutWaiting(tstring* key, tstring* value,
                          OpKernelContext* context) override;
  int64_t ReadUpTo(const int64_t num_records, QueueInterface* queue,
                   std::vector<tstring>* keys, std::vector<tstring>* value,
                   OpKernelContext* context) override;
  // Reads a record of the work in progress, or finds its end; an error is set.
  // Both leave *produced false.
  Status ReadOneLocked(tstring* key, tstring* value, bool* produced);
  Status Reset() override;
  int64_t NumRecordsProduced() override;
  int64_t NumWorkUnitsCompleted() override;
  Status SerializeState(tstring* state) override;
  Status RestoreState(const tstring& state) override;

  // Takes the next name from the queue; waits for it.
  std::string NextWorkLocked(QueueInterface* queue, OpKernelContext* context);
  // Opens work if there is none; false, with the error set, if that fails.
  bool EnsureWorkLocked(QueueInterface* queue, OpKernelContext* context);

  mutex mu_;
  const std::string name_;
  int64_t work_started_ = 0;
  int64_t work_finished_ = 0;
  int64_t num_records_produced_ = 0;
  std::string work_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_READER_BASE_H_
