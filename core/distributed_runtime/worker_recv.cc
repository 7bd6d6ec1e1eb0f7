// SPDX-License-Identifier: Apache-2.0
// Answers other workers' requests to a Worker: tensors of steps, one or several
// at a time.
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/distributed_runtime/protocol.h"
#include "core/distributed_runtime/wire.h"
#include "core/distributed_runtime/worker.h"
#include "core/lib/core/errors.h"
#include "core/protobuf/worker.pb.h"

namespace tensorwright {
namespace {

// An answer with several tensors takes no more once it has this many bytes.
constexpr size_t kEnoughBytes = 4 << 20;

// One RecvTensors.  Its answer has the tensors that exist when all keys have
// been asked for, or else the first one that comes.  Later tensors go back to
// the rendezvous: the caller asks again.
class RecvBatch : public std::enable_shared_from_this<RecvBatch> {
 public:
  explicit RecvBatch(std::shared_ptr<ServerCall> call)
      : call_(std::move(call)) {}

  void Begin(StepRendezvous* rendezvous,
             const std::vector<Rendezvous::ParsedKey>& keys) {
    call_->OnCancel([waiting = weak_from_this()] {
      if (const auto batch = waiting.lock()) {
        batch->End(errors::Cancelled("The call was cancelled"));
      }
    });
    for (const Rendezvous::ParsedKey& key : keys) {
      {
        absl::MutexLock lock(&mu_);
        if (over_) return;
      }
      // The rendezvous lives while it calls.
      rendezvous->RecvLocalAsync(
          key, [self = shared_from_this(), rendezvous, key](
                   const Status& status, const Rendezvous::Args&,
                   const Rendezvous::Args&, const Tensor& value, bool is_dead) {
            self->Came(status, key, value, is_dead, rendezvous);
          });
    }
    {
      absl::MutexLock lock(&mu_);
      all_asked_ = true;
      if (count_ == 0) return;
    }
    End(OkStatus());
  }

 private:
  void Came(const Status& status, const Rendezvous::ParsedKey& key,
            const Tensor& value, bool is_dead, StepRendezvous* rendezvous) {
    bool late = false, enough = !status.ok();
    {
      absl::MutexLock lock(&mu_);
      late = over_;
      if (!late && status.ok()) {
        ++count_;
        if (is_dead) {
          response_.add_dead_key(std::string(key.FullKey()));
        } else {
          AppendNamedTensor(RecvTensorsResponse::kTensorFieldNumber,
                            key.FullKey(), value, &tensors_);
        }
        enough = all_asked_ || tensors_.size() >= kEnoughBytes;
      }
    }
    if (enough && !late) return End(status);
    if (!late || !status.ok()) return;
    rendezvous->Send(key, Rendezvous::Args(), value, is_dead).IgnoreError();
  }

  void End(const Status& status) {
    absl::Cord body;
    {
      absl::MutexLock lock(&mu_);
      if (over_) return;
      over_ = true;
      body = Encode(response_);
      body.Append(std::move(tensors_));
    }
    call_->Reply(status, std::move(body));
  }

  const std::shared_ptr<ServerCall> call_;
  absl::Mutex mu_;
  bool all_asked_ ABSL_GUARDED_BY(mu_) = false;
  bool over_ ABSL_GUARDED_BY(mu_) = false;
  int count_ ABSL_GUARDED_BY(mu_) = 0;
  RecvTensorsResponse response_ ABSL_GUARDED_BY(mu_);
  absl::Cord tensors_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

Status Worker::CheckSource(const Rendezvous::ParsedKey& key) const {
  // The clusters of sessions may have another name for this task.
  Device* device = nullptr;
  const size_t task = WorkerEnv::TaskOf(key.src_device).size();
  TF_RETURN_IF_ERROR(env_->devices->LookupDevice(
      absl::StrCat(env_->task, key.src_device.substr(task)), &device));
  if (device->attributes().incarnation() == key.src_incarnation) {
    return OkStatus();
  }
  return errors::Aborted(
      "A tensor of another life of ", key.src_device,
      " was asked for: its task has restarted since the step began");
}

void Worker::RecvTensor(std::shared_ptr<ServerCall> call) {
  RecvTensorRequest request;
  Rendezvous::ParsedKey key;
  Status status = Decode(call->request(), &request);
  if (status.ok()) {
    status = Rendezvous::ParseKey(request.rendezvous_key(), &key);
  }
  if (status.ok()) status = CheckSource(key);
  if (!status.ok()) return call->Reply(status);
  // If a client gives up, the call is answered, since no tensor may ever come.
  call->OnCancel([waiting = std::weak_ptr<ServerCall>(call)] {
    if (const auto call = waiting.lock()) {
      call->Reply(errors::Cancelled("The call was cancelled"));
    }
  });
  auto rendezvous = steps_.Get(request.step_id());
  if (!rendezvous.ok()) return call->Reply(rendezvous.status());
  (*rendezvous)
      ->RecvLocalAsync(key, [call](const Status& status,
                                   const Rendezvous::Args&,
                                   const Rendezvous::Args&, const Tensor& value,
                                   bool is_dead) {
        if (!status.ok()) return call->Reply(status);
        RecvTensorResponse response;
        response.set_is_dead(is_dead);
        response.set_send_start_micros(absl::ToUnixMicros(absl::Now()));
        absl::Cord body = Encode(response);
        if (!is_dead)
          AppendTensor(RecvTensorResponse::kTensorFieldNumber, value, &body);
        call->Reply(OkStatus(), std::move(body));
      });
}

void Worker::RecvTensors(std::shared_ptr<ServerCall> call) {
  RecvTensorsRequest request;
  Status status = Decode(call->request(), &request);
  std::vector<Rendezvous::ParsedKey> keys(request.rendezvous_key_size());
  for (size_t i = 0; i < keys.size() && status.ok(); ++i) {
    status = Rendezvous::ParseKey(request.rendezvous_key(static_cast<int>(i)),
                                  &keys[i]);
    if (status.ok()) status = CheckSource(keys[i]);
  }
  if (status.ok() && keys.empty()) {
    status = errors::InvalidArgument(kRecvTensors, ": there is no key");
  }
  if (!status.ok()) return call->Reply(status);
  auto rendezvous = steps_.Get(request.step_id());
  if (!rendezvous.ok()) return call->Reply(rendezvous.status());
  std::make_shared<RecvBatch>(std::move(call))->Begin(rendezvous->get(), keys);
}

}  // namespace tensorwright
