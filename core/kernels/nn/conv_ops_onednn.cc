// SPDX-License-Identifier: Apache-2.0
// Convolutions as primitives of oneDNN, which are kept by sizes, and filters
// that are kept in the primitives' order.

#include "core/kernels/nn/conv_ops_onednn.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>

#include "absl/synchronization/mutex.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/variable_writes.h"
#include "core/kernels/lib/onednn_util.h"
#include "core/kernels/lib/repeatable.h"
#include "core/platform/mutex.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

using dnnl::memory;

constexpr memory::data_type kF32 = memory::data_type::f32;

// Enough for every layer of a large network, forward and backward.
constexpr size_t kCacheCapacity = 512;

// Pieces of images in a session that must repeat, and the floats that those of
// a filter's gradient may have together.
constexpr int64_t kMostPieces = 16;
constexpr int64_t kMostFloats = 16 << 20;

enum class Direction {
  kForward,
  kForwardWithBias,
  kBackwardInput,
  kBackwardFilter
};

// One primitive with its layouts.  `user_filter` is the tensor's HWIO order,
// `filter` the primitive's order.
struct ConvPrimitive {
  dnnl::primitive conv;
  // Reorders the filter; empty if it need not be reordered.
  dnnl::primitive reorder;
  memory::desc input, user_filter, filter, output;
  memory::desc scratchpad;
};

// Returns one number of each spatial dimension, plus `plus`.
memory::dims Spatial(const Conv2DDimensions& d, int64_t WindowDim::*number,
                     int64_t plus = 0) {
  memory::dims values{d.rows.*number + plus, d.cols.*number + plus};
  if (d.has_planes) values.insert(values.begin(), d.planes.*number + plus);
  return values;
}

memory::dims Joined(memory::dims first, const memory::dims& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

memory::desc ImageDesc(const Conv2DDimensions& d, int64_t depth,
                       int64_t WindowDim::*size) {
  using Tag = memory::format_tag;
  const bool last = d.format == FORMAT_NHWC;
  const Tag tag = d.has_planes ? (last ? Tag::ndhwc : Tag::ncdhw)
                               : (last ? Tag::nhwc : Tag::nchw);
  return memory::desc(Joined({d.batch, depth}, Spatial(d, size)), kF32, tag);
}

memory::desc InputDesc(const Conv2DDimensions& d) {
  return ImageDesc(d, d.in_depth, &WindowDim::input);
}
memory::desc OutputDesc(const Conv2DDimensions& d) {
  return ImageDesc(d, d.out_depth, &WindowDim::output);
}

// oneDNN names dimensions [groups,] out, in, [planes,] rows, cols; the tensor
// is [planes,] rows, cols, in, groups * out.
memory::desc FilterDesc(const Conv2DDimensions& d, bool any_layout) {
  const int64_t in = d.filter_depth(), out = d.group_out_depth();
  const int64_t col = in * d.out_depth, row = d.cols.filter * col;
  memory::dims sizes = Joined({out, in}, Spatial(d, &WindowDim::filter));
  memory::dims strides{1, d.out_depth, row, col};
  if (d.has_planes) strides.insert(strides.begin() + 2, d.rows.filter * row);
  if (d.groups > 1) {
    sizes.insert(sizes.begin(), d.groups);
    strides.insert(strides.begin(), out);
  }
  return any_layout ? memory::desc(sizes, kF32, memory::format_tag::any)
                    : memory::desc(sizes, kF32, strides);
}

memory::desc BiasDesc(const Conv2DDimensions& d) {
  return memory::desc({d.out_depth}, kF32, memory::format_tag::a);
}

dnnl::convolution_forward::primitive_desc ForwardWithBiasDesc(
    const Conv2DDimensions& d, dnnl::prop_kind kind) {
  return dnnl::convolution_forward::primitive_desc(
      onednn::CpuEngine(), kind, dnnl::algorithm::convolution_direct,
      InputDesc(d), FilterDesc(d, /*any_layout=*/true), BiasDesc(d),
      OutputDesc(d), Spatial(d, &WindowDim::stride),
      Spatial(d, &WindowDim::dilation, -1), Spatial(d, &WindowDim::pad_before),
      Spatial(d, &WindowDim::pad_after), onednn::UserScratchpad());
}

dnnl::convolution_forward::primitive_desc ForwardDesc(const Conv2DDimensions& d,
                                                      dnnl::prop_kind kind) {
  return dnnl::convolution_forward::primitive_desc(
      onednn::CpuEngine(), kind, dnnl::algorithm::convolution_direct,
      InputDesc(d), FilterDesc(d, /*any_layout=*/true), OutputDesc(d),
      Spatial(d, &WindowDim::stride), Spatial(d, &WindowDim::dilation, -1),
      Spatial(d, &WindowDim::pad_before), Spatial(d, &WindowDim::pad_after),
      onednn::UserScratchpad());
}

std::shared_ptr<ConvPrimitive> CreateForward(const Conv2DDimensions& d,
                                             bool with_bias) {
  auto p = std::make_shared<ConvPrimitive>();
  const auto kind = dnnl::prop_kind::forward_inference;
  const auto pd =
      with_bias ? ForwardWithBiasDesc(d, kind) : ForwardDesc(d, kind);
  p->conv = dnnl::convolution_forward(pd);
  p->input = pd.src_desc();
  p->filter = pd.weights_desc();
  p->output = pd.dst_desc();
  p->scratchpad = pd.scratchpad_desc();
  return p;
}

std::shared_ptr<ConvPrimitive> CreateBackwardInput(const Conv2DDimensions& d) {
  auto p = std::make_shared<ConvPrimitive>();
  const dnnl::convolution_backward_data::primitive_desc pd(
      onednn::CpuEngine(), dnnl::algorithm::convolution_direct, InputDesc(d),
      FilterDesc(d, /*any_layout=*/true), OutputDesc(d),
      Spatial(d, &WindowDim::stride), Spatial(d, &WindowDim::dilation, -1),
      Spatial(d, &WindowDim::pad_before), Spatial(d, &WindowDim::pad_after),
      ForwardDesc(d, dnnl::prop_kind::forward_training),
      onednn::UserScratchpad());
  p->conv = dnnl::convolution_backward_data(pd);
  p->input = pd.diff_src_desc();
  p->filter = pd.weights_desc();
  p->output = pd.diff_dst_desc();
  p->scratchpad = pd.scratchpad_desc();
  return p;
}

// oneDNN 3.2's kernel of 1x1 filters for AVX and AVX2 copies the pixels that a
// stride keeps, and if the input's depth is not a multiple of its vectors, it
// writes past the end of the copy.
bool WritesPastItsCopy(const Conv2DDimensions& d, absl::string_view kernel) {
  constexpr int64_t kLanes = 8;
  const bool strided = d.rows.stride > 1 || d.cols.stride > 1;
  return strided && d.filter_depth() % kLanes != 0 &&
         (kernel == "jit_1x1:avx2" || kernel == "jit_1x1:avx");
}

std::shared_ptr<ConvPrimitive> CreateBackwardFilter(const Conv2DDimensions& d) {
  auto p = std::make_shared<ConvPrimitive>();
  // This must outlive the loop, because next_impl reads it again.
  const auto forward = ForwardDesc(d, dnnl::prop_kind::forward_training);
  dnnl::convolution_backward_weights::primitive_desc pd(
      onednn::CpuEngine(), dnnl::algorithm::convolution_direct, InputDesc(d),
      FilterDesc(d, /*any_layout=*/true), OutputDesc(d),
      Spatial(d, &WindowDim::stride), Spatial(d, &WindowDim::dilation, -1),
      Spatial(d, &WindowDim::pad_before), Spatial(d, &WindowDim::pad_after),
      forward, onednn::UserScratchpad());
  while (WritesPastItsCopy(d, pd.impl_info_str()) && pd.next_impl()) {
  }
  p->conv = dnnl::convolution_backward_weights(pd);
  p->input = pd.src_desc();
  p->filter = pd.diff_weights_desc();
  p->output = pd.diff_dst_desc();
  p->scratchpad = pd.scratchpad_desc();
  return p;
}

std::shared_ptr<ConvPrimitive> Create(Direction direction,
                                      const Conv2DDimensions& d) {
  auto p = direction == Direction::kForward           ? CreateForward(d, false)
           : direction == Direction::kForwardWithBias ? CreateForward(d, true)
           : direction == Direction::kBackwardInput   ? CreateBackwardInput(d)
                                                      : CreateBackwardFilter(d);
  p->user_filter = FilterDesc(d, /*any_layout=*/false);
  if (p->filter != p->user_filter) {
    const bool to_user = direction == Direction::kBackwardFilter;
    p->reorder = dnnl::reorder(dnnl::reorder::primitive_desc(
        onednn::CpuEngine(), to_user ? p->filter : p->user_filter,
        onednn::CpuEngine(), to_user ? p->user_filter : p->filter));
  }
  return p;
}

std::shared_ptr<ConvPrimitive> Cached(Direction direction,
                                      const Conv2DDimensions& d, int threads) {
  static auto* cache =
      new onednn::PrimitiveCache<ConvPrimitive>(kCacheCapacity);
  onednn::Key key{static_cast<int64_t>(direction),
                  threads,
                  d.format,
                  d.batch,
                  d.in_depth,
                  d.out_depth,
                  d.groups};
  key.Append(d.has_planes ? 1 : 0);
  for (const WindowDim* w : {&d.planes, &d.rows, &d.cols}) {
    key.Append({w->input, w->filter, w->stride, w->dilation, w->pad_before,
                w->pad_after, w->output});
  }
  return cache->GetOrCreate(key, [&] { return Create(direction, d); });
}

// Keeps the filter in the last order that was requested; convolutions with one
// filter rarely request two.  It keeps a variable's filter from the second run
// in a row in which no variable was written, and so nothing for a variable that
// changes from run to run.
class OneDnnKeptFilter final : public KeptFilter {
 public:
  explicit OneDnnKeptFilter(bool is_variable) : is_variable_(is_variable) {}

  // Gets the filter in that layout; false if it is not there.  Then the caller
  // passes *epoch to Keep, once it has read `filter`.
  bool Find(const memory::desc& layout, const float* filter, Tensor* buffer,
            uint64_t* epoch) {
    *epoch = Epoch();
    absl::MutexLock lock(&mu_);
    if (buffer_.NumElements() == 0 || epoch_ != *epoch || filter_ != filter ||
        layout_ != layout) {
      return false;
    }
    *buffer = buffer_;
    return true;
  }
  void Keep(const memory::desc& layout, const float* filter,
            const Tensor& buffer, uint64_t epoch) {
    absl::MutexLock lock(&mu_);
    const bool lasts = !is_variable_ || (epoch_ == epoch && filter_ == filter);
    const bool is_whole = epoch != 0 && Epoch() == epoch;
    epoch_ = epoch;
    filter_ = filter;
    layout_ = layout;
    buffer_ = lasts && is_whole ? buffer : Tensor();
  }

 private:
  // Returns VariableWriteEpoch, or 1 for a constant, which is never written.
  uint64_t Epoch() const { return is_variable_ ? VariableWriteEpoch() : 1; }

  const bool is_variable_;
  absl::Mutex mu_;
  uint64_t epoch_ ABSL_GUARDED_BY(mu_) = 0;
  const float* filter_ ABSL_GUARDED_BY(mu_) = nullptr;
  memory::desc layout_ ABSL_GUARDED_BY(mu_);
  Tensor buffer_ ABSL_GUARDED_BY(mu_);
};

// Makes memory for the filter in the primitive's layout; it is the tensor's own
// if that has the layout.
Status FilterMemory(OpKernelContext* ctx, const ConvPrimitive& p,
                    const memory& user, Tensor* buffer, memory* filter) {
  if (!p.reorder) {
    *filter = user;
    return OkStatus();
  }
  const int64_t bytes = static_cast<int64_t>(p.filter.get_size());
  TF_RETURN_IF_ERROR(
      ctx->allocate_temp(DT_UINT8, TensorShape({bytes}), buffer));
  *filter = onednn::At(p.filter, buffer->data());
  return OkStatus();
}

// The memories that a run reads and writes.
struct ConvMemories {
  memory input, user_filter, filter, output, scratchpad;
  bool reorders = false;  // The two filters have different orders.
};

// Runs the primitive.  It reorders the filter before that or, if the filter is
// the output, after that.  `bias` serves kForwardWithBias only.
void Execute(Direction direction, const ConvPrimitive& p,
             const Conv2DDimensions& d, const float* bias,
             const ConvMemories& m) {
  dnnl::stream& stream = onednn::CpuStream();
  const auto reorder = [&](const memory& from, const memory& to) {
    if (!m.reorders) return;
    p.reorder.execute(stream, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  };
  switch (direction) {
    case Direction::kForward:
      reorder(m.user_filter, m.filter);
      p.conv.execute(stream, {{DNNL_ARG_SRC, m.input},
                              {DNNL_ARG_WEIGHTS, m.filter},
                              {DNNL_ARG_DST, m.output},
                              {DNNL_ARG_SCRATCHPAD, m.scratchpad}});
      break;
    case Direction::kForwardWithBias:
      reorder(m.user_filter, m.filter);
      p.conv.execute(stream, {{DNNL_ARG_SRC, m.input},
                              {DNNL_ARG_WEIGHTS, m.filter},
                              {DNNL_ARG_BIAS, onednn::At(BiasDesc(d), bias)},
                              {DNNL_ARG_DST, m.output},
                              {DNNL_ARG_SCRATCHPAD, m.scratchpad}});
      break;
    case Direction::kBackwardInput:
      reorder(m.user_filter, m.filter);
      p.conv.execute(stream, {{DNNL_ARG_DIFF_SRC, m.input},
                              {DNNL_ARG_WEIGHTS, m.filter},
                              {DNNL_ARG_DIFF_DST, m.output},
                              {DNNL_ARG_SCRATCHPAD, m.scratchpad}});
      break;
    case Direction::kBackwardFilter:
      p.conv.execute(stream, {{DNNL_ARG_SRC, m.input},
                              {DNNL_ARG_DIFF_WEIGHTS, m.filter},
                              {DNNL_ARG_DIFF_DST, m.output},
                              {DNNL_ARG_SCRATCHPAD, m.scratchpad}});
      reorder(m.filter, m.user_filter);
      break;
  }
  stream.wait();
}

// Runs a convolution; the direction says which of input, filter and output it
// writes.
Status RunWhole(OpKernelContext* ctx, Direction direction,
                const Conv2DDimensions& d, const float* input,
                const float* filter, const float* output,
                const Conv2DExtras& extras = {}) {
  // In a session that must repeat, nothing has a team.
  return onednn::Run(ctx, d.Flops(), [&](int threads) -> Status {
    const auto p = Cached(direction, d, threads);
    ConvMemories m;
    m.input = onednn::At(p->input, input);
    m.output = onednn::At(p->output, output);
    m.user_filter = onednn::At(p->user_filter, filter);
    Tensor filter_buffer, scratchpad_buffer;
    auto* kept = static_cast<OneDnnKeptFilter*>(extras.kept);
    uint64_t epoch = 0;
    const bool is_known = kept != nullptr && p->reorder &&
                          kept->Find(p->filter, filter, &filter_buffer, &epoch);
    if (is_known) {
      m.filter = onednn::At(p->filter, filter_buffer.data());
    } else {
      TF_RETURN_IF_ERROR(
          FilterMemory(ctx, *p, m.user_filter, &filter_buffer, &m.filter));
    }
    TF_RETURN_IF_ERROR(onednn::MakeScratchpad(
        ctx, p->scratchpad, &scratchpad_buffer, &m.scratchpad));
    m.reorders = p->reorder && !is_known;
    Execute(direction, *p, d, extras.bias, m);
    if (kept != nullptr && m.reorders) {
      kept->Keep(p->filter, filter, filter_buffer, epoch);
    }
    return OkStatus();
  });
}

// RunWhole, with bits that do not depend on the number of threads: images are
// divided into pieces by the sizes alone, each of which one thread computes.
Status Run(OpKernelContext* ctx, Direction direction, const Conv2DDimensions& d,
           const float* input, const float* filter, const float* output,
           const Conv2DExtras& extras = {}) {
  if (d.Flops() < kMinFlopsForPieces || !MustRepeat(ctx)) {
    return RunWhole(ctx, direction, d, input, filter, output, extras);
  }
  const bool adds = direction == Direction::kBackwardFilter;
  const int64_t filter_size = d.patch_size() * d.out_depth;
  // Each piece of a filter's gradient is a filter.
  const int64_t most =
      adds ? std::clamp<int64_t>(kMostFloats / filter_size, 1, kMostPieces)
           : kMostPieces;
  const int64_t wanted = std::min(PiecesOf(d.Flops(), most), d.batch);
  const int64_t images = (d.batch + wanted - 1) / wanted;
  const int64_t pieces = (d.batch + images - 1) / images;
  Tensor buffer;
  float* sums = nullptr;
  if (adds) {
    TF_RETURN_IF_ERROR(ctx->allocate_temp(
        DT_FLOAT, TensorShape({pieces, filter_size}), &buffer));
    sums = buffer.base<float>();
  }
  const int64_t in_size = d.input_pixels() * d.in_depth;
  const int64_t out_size = d.output_pixels() * d.out_depth;
  mutex mu;
  Status status;
  const double cost = d.Flops() / 16 / static_cast<double>(pieces);
  ParallelFor(ctx, pieces, static_cast<int64_t>(std::min(cost, 1e15)),
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  Conv2DDimensions piece = d;
                  piece.batch = std::min(images, d.batch - i * images);
                  const Status done = RunWhole(
                      ctx, direction, piece, input + i * images * in_size,
                      adds ? sums + i * filter_size : filter,
                      output + i * images * out_size, extras);
                  if (done.ok()) continue;
                  mutex_lock lock(mu);
                  status.Update(done);
                }
              });
  if (!status.ok() || !adds) return status;
  float* const sum = const_cast<float*>(filter);
  ParallelFor(ctx, filter_size, pieces, [&](int64_t begin, int64_t end) {
    std::copy(sums + begin, sums + end, sum + begin);
    for (int64_t p = 1; p < pieces; ++p) {
      const float* const from = sums + p * filter_size;
      for (int64_t i = begin; i < end; ++i) sum[i] += from[i];
    }
  });
  return OkStatus();
}

}  // namespace

std::unique_ptr<KeptFilter> KeptFilter::ForNode(const NodeDef& def) {
  const auto it = def.attr().find("_kept_filter");
  if (it == def.attr().end()) return nullptr;
  return std::make_unique<OneDnnKeptFilter>(it->second.s() == "variable");
}

Status OneDnnConvForward(OpKernelContext* ctx, const Conv2DDimensions& dims,
                         const float* input, const float* filter,
                         const Conv2DExtras& extras, float* output) {
  const Direction direction = extras.bias == nullptr
                                  ? Direction::kForward
                                  : Direction::kForwardWithBias;
  return Run(ctx, direction, dims, input, filter, output, extras);
}

Status OneDnnConvBackwardInput(OpKernelContext* ctx,
                               const Conv2DDimensions& dims,
                               const float* filter, const float* output_grad,
                               float* input_grad) {
  return Run(ctx, Direction::kBackwardInput, dims, input_grad, filter,
             output_grad);
}

Status OneDnnConvBackwardFilter(OpKernelContext* ctx,
                                const Conv2DDimensions& dims,
                                const float* input, const float* output_grad,
                                float* filter_grad) {
  return Run(ctx, Direction::kBackwardFilter, dims, input, filter_grad,
             output_grad);
}

}  // namespace tensorwright
