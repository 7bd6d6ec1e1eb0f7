// SPDX-License-Identifier: Apache-2.0
// ReaderBase: a reader but for the reading.  A subclass knows how to open a
// unit of work, to read a record of it, and to close it.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_READER_BASE_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_READER_BASE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/compat/framework/reader_interface.h"
#include "core/lib/core/stringpiece.h"
#include "core/platform/mutex.h"
#include "core/platform/thread_annotations.h"

namespace tensorwright {

class ReaderBase : public ReaderInterface {
 public:
  // For messages, such as "TextLineReader 'name'".
  explicit ReaderBase(const std::string& name) : name_(name) {}

  // The subclass's part; no two of these calls are at the same time.

  // Reads a record and sets *produced, or sets *at_end and not *produced when
  // there is none left.
  // TensorFlow 1.x's readers override the second form.
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

  // What keys begin with: the name of the work and the record's number, say.
  static tstring KeyName(const StringPiece& key, int64_t row);
  const std::string& current_work() const { return work_; }
  bool work_in_progress() const { return work_finished_ < work_started_; }

 private:
  void Read(QueueInterface* queue, tstring* key, tstring* value,
            OpKernelContext* context) override;
  int64_t ReadUpTo(const int64_t num_records, QueueInterface* queue,
                   std::vector<tstring>* keys, std::vector<tstring>* value,
                   OpKernelContext* context) override;
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
  tstring work_name_;
  std::string work_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_READER_BASE_H_
