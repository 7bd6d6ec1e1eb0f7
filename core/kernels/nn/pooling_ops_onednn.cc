// SPDX-License-Identifier: Apache-2.0
// Pools floats by oneDNN; images stay in their format.

#include <atomic>
#include <limits>
#include <memory>

#include "core/kernels/lib/onednn_util.h"
#include "core/kernels/lib/reduction_ops.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/kernels/nn/pooling_ops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

using dnnl::memory;

struct PoolPrimitive {
  dnnl::primitive forward;   // Empty if only the gradient is needed.
  dnnl::primitive backward;  // Empty if only the forward pass is needed.
  memory::desc input, output, workspace, forward_scratchpad,
      backward_scratchpad;
};

enum class Direction { kForward, kBackward };

// Returns one number of each spatial dimension.
memory::dims Spatial(const PoolDimensions& d, int64_t WindowDim::*number) {
  memory::dims values{d.rows.*number, d.cols.*number};
  if (d.has_planes) values.insert(values.begin(), d.planes.*number);
  return values;
}

memory::desc ImageDesc(const PoolDimensions& d, int64_t WindowDim::*size) {
  using Tag = memory::format_tag;
  const bool last = d.format == FORMAT_NHWC;
  const Tag tag = d.has_planes ? (last ? Tag::ndhwc : Tag::ncdhw)
                               : (last ? Tag::nhwc : Tag::nchw);
  memory::dims sizes = Spatial(d, size);
  sizes.insert(sizes.begin(), {d.batch, d.depth.input});
  return memory::desc(sizes, memory::data_type::f32, tag);
}

std::shared_ptr<PoolPrimitive> Create(PoolKind kind, Direction direction,
                                      const PoolDimensions& d) {
  if (d.depth.filter != 1) {
    throw dnnl::error(dnnl_unimplemented, "no pools along depth");
  }
  const bool backward = direction == Direction::kBackward;
  const auto algorithm = kind == PoolKind::kMax
                             ? dnnl::algorithm::pooling_max
                             : dnnl::algorithm::pooling_avg_exclude_padding;
  auto p = std::make_shared<PoolPrimitive>();
  p->input = ImageDesc(d, &WindowDim::input);
  p->output = ImageDesc(d, &WindowDim::output);
  const memory::dims strides = Spatial(d, &WindowDim::stride);
  const memory::dims kernel = Spatial(d, &WindowDim::filter);
  const memory::dims dilation(kernel.size(), 0);
  const memory::dims before = Spatial(d, &WindowDim::pad_before);
  const memory::dims after = Spatial(d, &WindowDim::pad_after);
  const auto attr = onednn::UserScratchpad();
  const dnnl::pooling_forward::primitive_desc forward(
      onednn::CpuEngine(),
      backward ? dnnl::prop_kind::forward_training
               : dnnl::prop_kind::forward_inference,
      algorithm, p->input, p->output, strides, kernel, dilation, before, after,
      attr);
  if (!backward || kind == PoolKind::kMax) {
    p->forward = dnnl::pooling_forward(forward);
    p->forward_scratchpad = forward.scratchpad_desc();
  }
  if (backward) {
    const dnnl::pooling_backward::primitive_desc pd(
        onednn::CpuEngine(), algorithm, p->input, p->output, strides, kernel,
        dilation, before, after, forward, attr);
    p->backward = dnnl::pooling_backward(pd);
    p->backward_scratchpad = pd.scratchpad_desc();
    if (kind == PoolKind::kMax) p->workspace = forward.workspace_desc();
  }
  return p;
}

std::shared_ptr<PoolPrimitive> Cached(PoolKind kind, Direction direction,
                                      const PoolDimensions& d, int threads) {
  static auto* cache = new onednn::PrimitiveCache<PoolPrimitive>(256);
  onednn::Key key{static_cast<int64_t>(kind),
                  static_cast<int64_t>(direction),
                  threads,
                  d.format,
                  d.batch,
                  d.depth.input,
                  d.depth.filter};
  key.Append(d.has_planes ? 1 : 0);
  for (const WindowDim* w : {&d.planes, &d.rows, &d.cols}) {
    key.Append({w->input, w->filter, w->stride, w->pad_before, w->pad_after,
                w->output});
  }
  return cache->GetOrCreate(key, [&] { return Create(kind, direction, d); });
}

// Returns the comparisons or additions of one pass.
double Flops(const PoolDimensions& d) {
  return 4.0 * static_cast<double>(d.batch) * d.OutputSize() * d.planes.filter *
         d.rows.filter * d.cols.filter;
}

// Runs `work(primitive)` on the session's threads.
template <typename Work>
Status WithPrimitive(OpKernelContext* ctx, PoolKind kind, Direction direction,
                     const PoolDimensions& d, const Work& work) {
  return onednn::Run(ctx, Flops(d), [&](int threads) {
    const Status status = work(*Cached(kind, direction, d, threads));
    onednn::CpuStream().wait();
    return status;
  });
}

constexpr float kLowest = std::numeric_limits<float>::lowest();

struct HasLowestLoop {
  TW_WIDE_LOOP static bool Run(const float* y, int64_t n) {
    int32_t found = 0;
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) found |= y[i] == kLowest;
    return found != 0;
  }
};

// oneDNN's maxima start at the lowest finite number, and stay there if a window
// has only -inf and NaN.
void MendLowestMaxima(OpKernelContext* ctx, const PoolDimensions& d,
                      const float* input, float* output) {
  std::atomic<bool> found = false;
  const auto search = [&](int64_t begin, int64_t end) {
    if (RunWide<HasLowestLoop>(output + begin, end - begin)) found = true;
  };
  ParallelFor(ctx, d.batch * d.OutputSize(), 1, search);
  if (!found) return;
  const PoolStrides in(d, &WindowDim::input);
  const auto mend = [&](int64_t begin, int64_t end) {
    ForEachWindow(d, begin, end, [&](int64_t to, const PoolWindow& w) {
      if (output[to] != kLowest || w.size() == 0) return;
      using Max = MaxReducer<float>;
      float best = Max::Initial();
      bool has_finite = false;
      ForEachInWindow(in, w, [&](int64_t at) {
        best = Max::Combine(best, input[at]);
        has_finite = has_finite || input[at] == kLowest;
      });
      if (has_finite) return;
      output[to] = best;
    });
  };
  ParallelFor(ctx, d.batch, d.Cost(), mend);
}

}  // namespace

Status OneDnnPool(OpKernelContext* ctx, PoolKind kind, const PoolDimensions& d,
                  const float* input, float* output) {
  TF_RETURN_IF_ERROR(WithPrimitive(
      ctx, kind, Direction::kForward, d, [&](const PoolPrimitive& p) -> Status {
        Tensor buffer;
        memory scratchpad;
        TF_RETURN_IF_ERROR(onednn::MakeScratchpad(ctx, p.forward_scratchpad,
                                                  &buffer, &scratchpad));
        p.forward.execute(onednn::CpuStream(),
                          {{DNNL_ARG_SRC, onednn::At(p.input, input)},
                           {DNNL_ARG_DST, onednn::At(p.output, output)},
                           {DNNL_ARG_SCRATCHPAD, scratchpad}});
        return OkStatus();
      }));
  if (kind == PoolKind::kMax) MendLowestMaxima(ctx, d, input, output);
  return OkStatus();
}

Status OneDnnAveragePoolGrad(OpKernelContext* ctx, const PoolDimensions& d,
                             const float* output_grad, float* input_grad) {
  return WithPrimitive(
      ctx, PoolKind::kAverage, Direction::kBackward, d,
      [&](const PoolPrimitive& p) -> Status {
        Tensor buffer;
        memory scratchpad;
        TF_RETURN_IF_ERROR(onednn::MakeScratchpad(ctx, p.backward_scratchpad,
                                                  &buffer, &scratchpad));
        p.backward.execute(
            onednn::CpuStream(),
            {{DNNL_ARG_DIFF_DST, onednn::At(p.output, output_grad)},
             {DNNL_ARG_DIFF_SRC, onednn::At(p.input, input_grad)},
             {DNNL_ARG_SCRATCHPAD, scratchpad}});
        return OkStatus();
      });
}

Status OneDnnMaxPoolGrad(OpKernelContext* ctx, const PoolDimensions& d,
                         const float* input, const float* output_grad,
                         float* input_grad) {
  return WithPrimitive(
      ctx, PoolKind::kMax, Direction::kBackward, d,
      [&](const PoolPrimitive& p) -> Status {
        Tensor output_buffer, workspace_buffer, forward_buffer, backward_buffer;
        memory output, workspace, forward_scratchpad, backward_scratchpad;
        TF_RETURN_IF_ERROR(
            onednn::MakeScratchpad(ctx, p.output, &output_buffer, &output));
        TF_RETURN_IF_ERROR(onednn::MakeScratchpad(
            ctx, p.workspace, &workspace_buffer, &workspace));
        TF_RETURN_IF_ERROR(onednn::MakeScratchpad(
            ctx, p.forward_scratchpad, &forward_buffer, &forward_scratchpad));
        TF_RETURN_IF_ERROR(onednn::MakeScratchpad(ctx, p.backward_scratchpad,
                                                  &backward_buffer,
                                                  &backward_scratchpad));
        dnnl::stream& stream = onednn::CpuStream();
        p.forward.execute(stream, {{DNNL_ARG_SRC, onednn::At(p.input, input)},
                                   {DNNL_ARG_DST, output},
                                   {DNNL_ARG_WORKSPACE, workspace},
                                   {DNNL_ARG_SCRATCHPAD, forward_scratchpad}});
        p.backward.execute(
            stream, {{DNNL_ARG_DIFF_DST, onednn::At(p.output, output_grad)},
                     {DNNL_ARG_WORKSPACE, workspace},
                     {DNNL_ARG_DIFF_SRC, onednn::At(p.input, input_grad)},
                     {DNNL_ARG_SCRATCHPAD, backward_scratchpad}});
        return OkStatus();
      });
}

}  // namespace tensorwright
