// SPDX-License-Identifier: Apache-2.0
// Batches of rows: how they are made up, computed and taken apart.
#include "core/kernels/functional/batch_function_op_batcher.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "core/framework/cancellation.h"
#include "core/kernels/functional/batch_function_op_rows.h"
#include "core/lib/core/errors.h"
#include "core/platform/env.h"
#include "core/platform/mutex.h"

namespace tensorwright {

// One call of the function under way.
struct Batcher::Call {
  CancellationManager cancellation;
  int64_t live = 0;  // Tasks that are not cancelled; guarded by State::mu.
};

// A run's part.  The batching queue and calls share it.
struct Batcher::Task {
  OpKernelContext* ctx = nullptr;
  const CalledFunction* function = nullptr;
  std::vector<Tensor> rows;
  std::vector<Tensor> captured;
  AsyncOpKernel::DoneCallback done;
  CancellationToken token = CancellationManager::kInvalidToken;

  // Guarded by State::mu.
  std::vector<std::shared_ptr<Call>> calls;  // That compute pieces of it.
  bool is_queued = false;
  bool is_cancelled = false;
  size_t pieces_left = 0;
  Status status;
  std::map<int64_t, std::vector<Tensor>> results;  // Outputs by first row.
};

// Rows [begin, end) of a task.
struct Batcher::Piece {
  std::shared_ptr<Task> task;
  int64_t begin = 0, end = 0;

  int64_t rows() const { return end - begin; }
};

struct Batcher::Batch {
  std::vector<Piece> pieces;
  int64_t rows = 0;
  absl::Time deadline;

  void Add(Piece piece) {
    rows += piece.rows();
    pieces.push_back(std::move(piece));
  }
};

// The queue, and the work of the threads, which share it with the Batcher.
class Batcher::State final : public std::enable_shared_from_this<State> {
 public:
  explicit State(const BatchOptions& options) : options_(options) {}

  void Stop() {
    mutex_lock lock(mu_);
    is_stopped_ = true;
    changed_.notify_all();
  }

  void Schedule(std::shared_ptr<Task> task, int64_t rows);

 private:
  // Gives each piece its place; the lock is held.
  Status Enqueue(const std::shared_ptr<Task>& task, int64_t rows);
  void Close(Batch batch) { closed_.push_back(std::move(batch)); }
  void Work();
  // Waits for a batch whose time has come; false if there will be none.
  bool Take(Batch* batch, std::shared_ptr<Call>* call);
  void ShrinkToAllowed(Batch* batch);
  void Run(const Batch& batch, Call* call);
  Status CallFunction(const Batch& batch, Call* call,
                      std::vector<Tensor>* results) const;
  void Finish(Task* task);
  void Cancel(Task* task);

  const BatchOptions options_;
  mutex mu_;
  condition_variable changed_;
  Batch open_;
  std::deque<Batch> closed_;
  int64_t threads_ = 0, idle_ = 0;
  bool is_stopped_ = false;
};

void Batcher::State::Schedule(std::shared_ptr<Task> task, int64_t rows) {
  CancellationManager* const manager = task->ctx->cancellation_manager();
  bool is_cancelled = false;
  if (manager != nullptr) {
    task->token = manager->get_cancellation_token();
    is_cancelled = !manager->RegisterCallback(
        task->token,
        [state = shared_from_this(), task] { state->Cancel(task.get()); });
    if (is_cancelled) task->token = CancellationManager::kInvalidToken;
  }
  bool starts = false;
  {
    mutex_lock lock(mu_);
    task->status = is_cancelled || task->is_cancelled
                       ? errors::Cancelled("BatchFunction: was cancelled")
                       : Enqueue(task, rows);
    if (task->status.ok()) {
      // A thread of its own waits for the deadline of the open batch, too.
      const int64_t waiting =
          static_cast<int64_t>(closed_.size()) + (open_.pieces.empty() ? 0 : 1);
      starts = waiting > idle_ && threads_ < options_.num_batch_threads;
      threads_ += starts;
      changed_.notify_all();
    }
  }
  if (!task->is_queued) return Finish(task.get());
  if (starts) {
    Env::Default()->SchedClosure(
        [state = shared_from_this()] { state->Work(); });
  }
}

Status Batcher::State::Enqueue(const std::shared_ptr<Task>& task,
                               int64_t rows) {
  const int64_t most = options_.MostRows();
  if (rows > options_.max_batch_size) {
    return errors::InvalidArgument(
        "BatchFunction: in_tensors must have at most max_batch_size rows, ",
        options_.max_batch_size, ", got ", rows);
  }
  const int64_t room = open_.pieces.empty() ? 0 : most - open_.rows;
  const int64_t begun = options_.splits || rows <= room ? room : 0;
  const int64_t batches = rows <= begun ? 0 : (rows - begun + most - 1) / most;
  const int64_t waiting =
      static_cast<int64_t>(closed_.size()) + (open_.pieces.empty() ? 0 : 1);
  if (waiting + batches > options_.max_enqueued_batches) {
    return errors::Unavailable(
        "BatchFunction: the batching queue is full: ", waiting,
        " batches are waiting, of max_enqueued_batches ",
        options_.max_enqueued_batches);
  }
  task->is_queued = true;
  int64_t begin = 0;
  do {
    if (!open_.pieces.empty() &&
        (open_.rows == most || (!options_.splits && rows > room))) {
      Close(std::exchange(open_, Batch()));
    }
    if (open_.pieces.empty()) {
      open_.deadline =
          absl::Now() + absl::Microseconds(options_.batch_timeout_micros);
    }
    const int64_t end = std::min(rows, begin + most - open_.rows);
    open_.Add({task, begin, end});
    ++task->pieces_left;
    begin = end;
  } while (begin < rows);
  if (open_.rows == most) Close(std::exchange(open_, Batch()));
  return OkStatus();
}

void Batcher::State::Work() {
  Batch batch;
  std::shared_ptr<Call> call;
  while (Take(&batch, &call)) {
    Run(batch, call.get());
    // Nothing of a run is kept while this waits.
    batch = Batch();
    call = nullptr;
  }
}

bool Batcher::State::Take(Batch* batch, std::shared_ptr<Call>* call) {
  mutex_lock lock(mu_);
  while (!is_stopped_) {
    if (!closed_.empty()) {
      *batch = std::move(closed_.front());
      closed_.pop_front();
      break;
    }
    const absl::Duration left = open_.pieces.empty()
                                    ? absl::InfiniteDuration()
                                    : open_.deadline - absl::Now();
    if (left <= absl::ZeroDuration()) {
      *batch = std::exchange(open_, Batch());
      ShrinkToAllowed(batch);
      break;
    }
    ++idle_;
    if (left == absl::InfiniteDuration()) {
      changed_.wait(lock);
    } else {
      changed_.wait_for(lock, absl::ToChronoMicroseconds(left) +
                                  std::chrono::microseconds(1));
    }
    --idle_;
  }
  if (is_stopped_) return false;
  *call = std::make_shared<Call>();
  for (const Piece& piece : batch->pieces) {
    piece.task->calls.push_back(*call);
    (*call)->live += !piece.task->is_cancelled;
  }
  return true;
}

// Leaves to the next batch what would have to be padded.
void Batcher::State::ShrinkToAllowed(Batch* batch) {
  if (!options_.batches_down) return;
  const int64_t rows = options_.SizeBelow(batch->rows);
  if (rows == 0 || rows == batch->rows) return;
  Batch kept;
  Batch rest;
  rest.deadline =
      absl::Now() + absl::Microseconds(options_.batch_timeout_micros);
  for (const Piece& piece : batch->pieces) {
    if (kept.rows + piece.rows() <= rows && rest.pieces.empty()) {
      kept.Add(piece);
    } else if (kept.rows < rows && rest.pieces.empty() && options_.splits) {
      Piece first = piece, second = piece;
      first.end = second.begin = piece.begin + rows - kept.rows;
      ++piece.task->pieces_left;
      kept.Add(std::move(first));
      rest.Add(std::move(second));
    } else {
      rest.Add(piece);
    }
  }
  // A run that is not split may be in the way.
  if (kept.rows != rows) return;
  *batch = std::move(kept);
  open_ = std::move(rest);
}

Status Batcher::State::CallFunction(const Batch& batch, Call* call,
                                    std::vector<Tensor>* results) const {
  const Task& first = *batch.pieces[0].task;
  const int64_t padding = options_.Padding(batch.rows);
  std::vector<Tensor> args(first.rows.size());
  for (size_t i = 0; i < args.size(); ++i) {
    std::vector<Tensor> parts;
    for (const Piece& piece : batch.pieces) {
      const Tensor& rows = piece.task->rows[i];
      parts.push_back(piece.rows() == rows.dim_size(0)
                          ? rows
                          : rows.Slice(piece.begin, piece.end));
    }
    TF_RETURN_IF_ERROR(JoinRows(std::move(parts), padding, &args[i]));
  }
  args.insert(args.end(), first.captured.begin(), first.captured.end());
  absl::Notification ended;
  Status status;
  first.function->Run(&call->cancellation, args, results,
                      [&](const Status& called) {
                        status = called;
                        ended.Notify();
                      });
  ended.WaitForNotification();
  return status;
}

void Batcher::State::Run(const Batch& batch, Call* call) {
  std::vector<Tensor> outputs;
  std::vector<int64_t> sizes;
  for (const Piece& piece : batch.pieces) sizes.push_back(piece.rows());
  sizes.push_back(options_.Padding(batch.rows));
  // Output -> the rows of each piece.
  std::vector<std::vector<Tensor>> parts;
  Status status = CallFunction(batch, call, &outputs);
  for (size_t i = 0; status.ok() && i < outputs.size(); ++i) {
    parts.emplace_back();
    status = SplitRows(static_cast<int>(i), outputs[i], sizes, &parts.back());
  }
  outputs.clear();
  std::vector<Task*> finished;
  {
    mutex_lock lock(mu_);
    for (size_t p = 0; p < batch.pieces.size(); ++p) {
      Task* const task = batch.pieces[p].task.get();
      if (!status.ok() && task->status.ok()) task->status = status;
      for (size_t i = 0; status.ok() && i < parts.size(); ++i) {
        task->results[batch.pieces[p].begin].push_back(std::move(parts[i][p]));
      }
      if (--task->pieces_left == 0) finished.push_back(task);
    }
  }
  parts.clear();
  for (Task* const task : finished) Finish(task);
}

// The task is in no queue and no call any more.
void Batcher::State::Finish(Task* task) {
  OpKernelContext* const ctx = task->ctx;
  if (task->token != CancellationManager::kInvalidToken) {
    ctx->cancellation_manager()->DeregisterCallback(task->token);
  }
  Status status = task->status;
  const int outputs = ctx->num_outputs();
  for (int i = 0; status.ok() && i < outputs; ++i) {
    std::vector<Tensor> parts;
    for (auto& [begin, piece] : task->results) {
      parts.push_back(std::move(piece[i]));
    }
    Tensor whole;
    status = JoinRows(std::move(parts), 0, &whole);
    if (status.ok()) ctx->set_output(i, std::move(whole));
  }
  ctx->SetStatus(status);
  task->rows.clear();
  task->captured.clear();
  task->results.clear();
  std::exchange(task->done, nullptr)();
}

// A run that waits is taken out; a call ends if nobody wants it any more.
void Batcher::State::Cancel(Task* task) {
  std::vector<std::shared_ptr<Call>> unwanted;
  std::shared_ptr<Task> removed;
  {
    mutex_lock lock(mu_);
    task->is_cancelled = true;
    if (!task->is_queued) return;  // Schedule sees it.
    for (const std::shared_ptr<Call>& call : task->calls) {
      if (--call->live == 0) unwanted.push_back(call);
    }
    const auto remove = [&](Batch* batch) {
      const auto is_of_task = [&](const Piece& piece) {
        if (piece.task.get() != task) return false;
        removed = piece.task;
        batch->rows -= piece.rows();
        --task->pieces_left;
        return true;
      };
      batch->pieces.erase(std::remove_if(batch->pieces.begin(),
                                         batch->pieces.end(), is_of_task),
                          batch->pieces.end());
    };
    remove(&open_);
    for (Batch& batch : closed_) remove(&batch);
    closed_.erase(
        std::remove_if(closed_.begin(), closed_.end(),
                       [](const Batch& batch) { return batch.pieces.empty(); }),
        closed_.end());
    if (removed != nullptr) {
      task->status = errors::Cancelled("BatchFunction: was cancelled");
    }
    // A call that has one of its pieces ends it.
    if (task->pieces_left > 0) removed = nullptr;
  }
  for (const std::shared_ptr<Call>& call : unwanted) {
    call->cancellation.StartCancel();
  }
  if (removed == nullptr) return;
  // This is the callback that Finish would wait for.
  removed->token = CancellationManager::kInvalidToken;
  Finish(removed.get());
}

Batcher::Batcher(const BatchOptions& options)
    : state_(std::make_shared<State>(options)) {}

Batcher::~Batcher() { state_->Stop(); }

void Batcher::Compute(OpKernelContext* ctx, const CalledFunction* function,
                      int64_t rows, int captured,
                      AsyncOpKernel::DoneCallback done) {
  auto task = std::make_shared<Task>();
  task->ctx = ctx;
  task->function = function;
  task->rows = InputsFrom(ctx, 0);
  const auto first = task->rows.end() - captured;
  task->captured.assign(first, task->rows.end());
  task->rows.erase(first, task->rows.end());
  // A run keeps what computes it.
  task->done = [batcher = core::GetNewRef(this), done = std::move(done)] {
    done();
  };
  state_->Schedule(std::move(task), rows);
}

}  // namespace tensorwright
