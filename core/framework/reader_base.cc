// SPDX-License-Identifier: Apache-2.0
#include "core/framework/reader_base.h"

#include <utility>

#include "core/framework/reader_base.pb.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/notification.h"
#include "core/lib/strings/strcat.h"

namespace tensorwright {

tstring ReaderBase::KeyName(const StringPiece& key, int64_t row) {
  return strings::StrCat(key, ":", row);
}

Status ReaderBase::ReadLocked(tstring* key, tstring* value, bool* produced,
                              bool* at_end) {
  return ReadLocked(static_cast<std::string*>(key),
                    static_cast<std::string*>(value), produced, at_end);
}
Status ReaderBase::ReadLocked(std::string*, std::string*, bool*, bool*) {
  return errors::Internal(name_, ": its class has no ReadLocked");
}

Status ReaderBase::ReadUpToLocked(int64_t num_records,
                                  std::vector<tstring>* keys,
                                  std::vector<tstring>* values,
                                  int64_t* num_read, bool* at_end) {
  bool produced = false;
  tstring key, value;
  TF_RETURN_IF_ERROR(ReadLocked(&key, &value, &produced, at_end));
  (void)num_records;
  *num_read = produced ? 1 : 0;
  if (produced) {
    keys->push_back(std::move(key));
    values->push_back(std::move(value));
  }
  return Status();
}

Status ReaderBase::ResetLocked() {
  work_started_ = work_finished_ = num_records_produced_ = 0;
  work_.clear();
  return Status();
}

Status ReaderBase::SerializeStateLocked(tstring* state) {
  return SerializeStateLocked(static_cast<std::string*>(state));
}
Status ReaderBase::SerializeStateLocked(std::string*) {
  return errors::Unimplemented(name_, ": has no state to save");
}
Status ReaderBase::RestoreStateLocked(const tstring& state) {
  return RestoreStateLocked(static_cast<const std::string&>(state));
}
Status ReaderBase::RestoreStateLocked(const std::string&) {
  return errors::Unimplemented(name_, ": has no state to restore");
}

Status ReaderBase::Reset() {
  mutex_lock lock(mu_);
  return ResetLocked();
}
int64_t ReaderBase::NumRecordsProduced() {
  mutex_lock lock(mu_);
  return num_records_produced_;
}
int64_t ReaderBase::NumWorkUnitsCompleted() {
  mutex_lock lock(mu_);
  return work_finished_;
}
Status ReaderBase::SerializeState(tstring* state) {
  mutex_lock lock(mu_);
  return SerializeStateLocked(state);
}
Status ReaderBase::RestoreState(const tstring& state) {
  mutex_lock lock(mu_);
  const Status restored = RestoreStateLocked(state);
  // Half a state is worse than none.
  if (!restored.ok()) ResetLocked().IgnoreError();
  return restored;
}

std::string ReaderBase::NextWorkLocked(QueueInterface* queue,
                                       OpKernelContext* context) {
  std::string work;
  Notification done;
  queue->TryDequeue(context, [&](const QueueInterface::Tuple& tuple) {
    if (context->status().ok()) {
      if (tuple.size() != 1 || tuple[0].dtype() != DT_STRING ||
          tuple[0].NumElements() != 1) {
        context->SetStatus(errors::InvalidArgument(
            name_, ": the queue must hold names, one string an element"));
      } else {
        work = *tuple[0].base<const tstring>();
      }
    }
    done.Notify();
  });
  done.WaitForNotification();
  return work;
}

bool ReaderBase::EnsureWorkLocked(QueueInterface* queue,
                                  OpKernelContext* context) {
  if (work_in_progress()) return true;
  work_ = NextWorkLocked(queue, context);
  if (!context->status().ok()) return false;
  ++work_started_;
  const Status started = OnWorkStartedLocked();
  if (started.ok()) return true;
  context->SetStatus(started);
  --work_started_;
  return false;
}

Status ReaderBase::ReadOneLocked(tstring* key, tstring* value, bool* produced) {
  bool at_end = false;
  TF_RETURN_IF_ERROR(ReadLocked(key, value, produced, &at_end));
  if (!*produced && !at_end) {
    return errors::Internal(
        name_, ": ReadLocked gave neither a record nor the end of ", work_);
  }
  if (*produced) ++num_records_produced_;
  if (at_end) {
    const Status finished = OnWorkFinishedLocked();
    ++work_finished_;
    return finished;
  }
  return Status();
}

void ReaderBase::Read(QueueInterface* queue, tstring* key, tstring* value,
                      OpKernelContext* context) {
  mutex_lock lock(mu_);
  for (bool produced = false; !produced;) {
    if (!EnsureWorkLocked(queue, context)) return;
    const Status read = ReadOneLocked(key, value, &produced);
    if (!read.ok()) {
      context->SetStatus(read);
      return;
    }
  }
}

bool ReaderBase::ReadWithoutWaiting(tstring* key, tstring* value,
                                    OpKernelContext* context) {
  // A reader that waits for work holds the mutex.
  if (!mu_.try_lock()) return false;
  bool produced = false;
  Status read;
  if (work_in_progress()) read = ReadOneLocked(key, value, &produced);
  mu_.unlock();
  if (!read.ok()) context->SetStatus(read);
  return produced || !read.ok();
}

void ReaderBase::SaveBaseState(ReaderBaseState* state) const {
  state->Clear();
  state->set_work_started(work_started_);
  state->set_work_finished(work_finished_);
  state->set_num_records_produced(num_records_produced_);
  state->set_current_work(work_);
}

Status ReaderBase::RestoreBaseState(const ReaderBaseState& state) {
  const int64_t started = state.work_started(),
                finished = state.work_finished(),
                produced = state.num_records_produced();
  if (started < 0 || finished < 0 || produced < 0) {
    return errors::InvalidArgument(
        name_,
        ": Unexpected negative value in a state: ", state.ShortDebugString());
  }
  if (started != finished) {
    return errors::InvalidArgument(
        name_, ": Inconsistent work started vs. finished in a state: ",
        state.ShortDebugString());
  }
  work_started_ = started;
  work_finished_ = finished;
  num_records_produced_ = produced;
  work_ = state.current_work();
  return Status();
}

int64_t ReaderBase::ReadUpTo(const int64_t num_records, QueueInterface* queue,
                             std::vector<tstring>* keys,
                             std::vector<tstring>* values,
                             OpKernelContext* context) {
  mutex_lock lock(mu_);
  int64_t total = 0;
  while (total < num_records) {
    // Records that have been read are returned without waiting for more work,
    // which may not come.
    if (total > 0 && !work_in_progress()) return total;
    if (!EnsureWorkLocked(queue, context)) return total;
    bool at_end = false;
    int64_t read_now = 0;
    Status read =
        ReadUpToLocked(num_records - total, keys, values, &read_now, &at_end);
    if (read.ok() && read_now == 0 && !at_end) {
      read = errors::Internal(
          name_, ": ReadUpToLocked gave neither a record nor the end of ",
          work_);
    }
    if (read.ok() && at_end) {
      read = OnWorkFinishedLocked();
      ++work_finished_;
    }
    total += read_now;
    num_records_produced_ += read_now;
    if (!read.ok()) {
      context->SetStatus(read);
      return total;
    }
  }
  return total;
}

}  // namespace tensorwright
