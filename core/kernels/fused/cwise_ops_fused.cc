// SPDX-License-Identifier: Apache-2.0
// The kernel of _FusedElementwise: a cluster of elementwise ops in one pass
// over memory.
//
// The loop of the op's own kernel does each step, so results are the same as
// without fusion, except that a product and the sum it goes into may be rounded
// once.

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/synchronization/mutex.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/fused/cwise_ops_fused_loops.h"
#include "core/kernels/fused/cwise_ops_fused_schedule.h"
#include "core/kernels/fused/cwise_ops_fused_tiles.h"
#include "core/lib/core/errors.h"
#include "core/util/fused_program.h"
#include "core/util/scalar_kernel.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The most combinations of shapes whose schedules a kernel keeps.
constexpr size_t kMaxSchedules = 8;

}  // namespace

class FusedElementwiseOp final : public OpKernel, public ScalarKernel {
 public:
  explicit FusedElementwiseOp(OpKernelConstruction* ctx)
      : OpKernel(ctx, /*is_expensive=*/false) {
    OP_REQUIRES_OK(
        ctx, FusedProgram::Parse(AttrSlice(def()), num_inputs(), &program_));
    OP_REQUIRES(ctx,
                static_cast<int>(program_.results().size()) == num_outputs(),
                errors::InvalidArgument(
                    "_FusedElementwise: needs one result for each output"));
    FusedLoopFinder finder(ctx);
    std::vector<DataType> types(input_types().begin(), input_types().end());
    for (const DataType type : types) {
      input_sizes_.push_back(DataTypeSize(type));
    }
    std::vector<DataType> operand_types;
    for (const FusedProgram::Step& step : program_.steps()) {
      operand_types.clear();
      for (int operand : step.operands) operand_types.push_back(types[operand]);
      DataType type = DT_INVALID;
      OP_REQUIRES_OK(
          ctx, finder.Find(step, operand_types, &loops_.emplace_back(), &type));
      types.push_back(type);
    }
    value_types_ = std::move(types);
    for (int i = 0; i < num_outputs(); ++i) {
      const int64_t value = program_.results()[i];
      OP_REQUIRES(
          ctx, value >= num_inputs() && value_types_[value] == output_type(i),
          errors::InvalidArgument("_FusedElementwise: output ", i,
                                  " is not of a step's type"));
    }
  }

  bool ScalarCalls(std::vector<ScalarCall>* calls,
                   std::vector<int>* outputs) const override {
    for (size_t i = 0; i < loops_.size(); ++i) {
      const FusedLoop& loop = loops_[i];
      const std::vector<int>& operands = program_.steps()[i].operands;
      if (loop.reduce != nullptr || operands.size() > 3) return false;
      ScalarCall& call = calls->emplace_back();
      call.unary = loop.unary;
      call.binary = loop.binary;
      call.select = loop.select != nullptr;
      std::copy(operands.begin(), operands.end(), call.operands);
      // A sum of three would be two calls.
      if (operands.size() == 3 && !call.select) return false;
    }
    for (const int64_t value : program_.results()) {
      outputs->push_back(static_cast<int>(value));
    }
    return true;
  }

  void Compute(OpKernelContext* ctx) override {
    std::shared_ptr<const FusedSchedule> schedule;
    OP_REQUIRES_OK(ctx, GetSchedule(ctx, &schedule));
    absl::InlinedVector<char*, 32> memory(value_types_.size(), nullptr);
    for (int i = 0; i < num_inputs(); ++i) {
      memory[i] = static_cast<char*>(const_cast<void*>(ctx->input(i).data()));
    }
    absl::InlinedVector<Tensor, 2> temporaries;
    for (const FusedSchedule::Phase& phase : schedule->phases()) {
      for (const FusedSchedule::Sink& sink : phase.sinks) {
        Tensor* tensor = nullptr;
        if (sink.output < 0) {
          tensor = &temporaries.emplace_back();
          OP_REQUIRES_OK(ctx, ctx->allocate_temp(value_types_[sink.value],
                                                 phase.shape, tensor));
        } else {
          OP_REQUIRES_OK(ctx,
                         ctx->forward_input_or_allocate_output(
                             sink.in_place, sink.output, phase.shape, &tensor));
        }
        memory[sink.value] = static_cast<char*>(tensor->data());
      }
      for (const FusedSchedule::Reduction& r : phase.reductions) {
        Tensor* result = nullptr;
        OP_REQUIRES_OK(ctx, ctx->allocate_output(
                                r.output, schedule->shape(r.value), &result));
        memory[r.value] = static_cast<char*>(result->data());
      }
      OP_REQUIRES_OK(ctx, RunPhase(ctx, phase, memory));
    }
  }

 private:
  bool Fits(const FusedSchedule& schedule, OpKernelContext* ctx) const {
    const absl::Span<const TensorShape> shapes = schedule.input_shapes();
    for (int i = 0; i < num_inputs(); ++i) {
      if (!ctx->input(i).shape().IsSameSize(shapes[i])) return false;
    }
    return true;
  }

  Status GetSchedule(OpKernelContext* ctx,
                     std::shared_ptr<const FusedSchedule>* schedule) {
    {
      absl::MutexLock lock(&mu_);
      for (size_t i = 0; i < schedules_.size(); ++i) {
        if (!Fits(*schedules_[i], ctx)) continue;
        if (i > 0) std::swap(schedules_[i], schedules_[0]);
        *schedule = schedules_[0];
        return OkStatus();
      }
    }
    std::vector<TensorShape> inputs, values;
    for (int i = 0; i < num_inputs(); ++i) {
      inputs.push_back(ctx->input(i).shape());
    }
    TF_RETURN_IF_ERROR(program_.InferShapes(
        inputs, [ctx](int input) { return &ctx->input(input); }, &values));
    *schedule = std::make_shared<const FusedSchedule>(
        program_, loops_, input_sizes_, std::move(values));
    absl::MutexLock lock(&mu_);
    if (schedules_.size() == kMaxSchedules) schedules_.pop_back();
    schedules_.insert(schedules_.begin(), *schedule);
    return OkStatus();
  }

  Status RunPhase(OpKernelContext* ctx, const FusedSchedule::Phase& phase,
                  absl::Span<char* const> memory) const {
    PhaseReducer reducer(phase, memory);
    if (phase.elements == 0) {
      reducer.Finish();
      return OkStatus();
    }
    std::atomic<int> failed{-1};
    const auto run = [&](int64_t begin, int64_t end) {
      TileRunner runner(phase, memory);
      for (int64_t t = begin; t < end; ++t) {
        const auto [first, last] = phase.Tile(t);
        const int step = runner.Run(first, last - first);
        if (step >= 0) {
          failed.store(step, std::memory_order_relaxed);
          return;
        }
        reducer.AddTile(runner, t);
      }
    };
    const int64_t tiles = phase.num_tiles();
    if (tiles == 1) {
      run(0, 1);
    } else {
      ParallelFor(ctx, tiles, phase.cost * phase.tile, run);
    }
    const int step = failed.load(std::memory_order_relaxed);
    if (step < 0) {
      reducer.Finish();
      return OkStatus();
    }
    return errors::AttachNode(errors::InvalidArgument(loops_[step].failure),
                              program_.steps()[step].name);
  }

  FusedProgram program_;  // Refers to def(), which lives as long as the kernel.
  std::vector<FusedLoop> loops_;
  std::vector<int> input_sizes_;
  std::vector<DataType> value_types_;
  absl::Mutex mu_;
  // The schedule used last comes first.
  std::vector<std::shared_ptr<const FusedSchedule>> schedules_
      ABSL_GUARDED_BY(mu_);
};

REGISTER_KERNEL_BUILDER(Name("_FusedElementwise").Device(DEVICE_CPU),
                        FusedElementwiseOp);

}  // namespace tensorwright
