// SPDX-License-Identifier: Apache-2.0
// FFTND, IFFTND, RFFTND and IRFFTND: they transform along any axes, one after
// the other.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/spectral/fft_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

using spectral::Layout;
using spectral::Transform;

// One call transforms so many lines, because it holds several in a vector.
constexpr int64_t kTogether = 64;

// One axis of a row-major array: [before, n, after].
struct Axis {
  int64_t before = 1, after = 1;
  Axis(const TensorShape& shape, int axis) {
    for (int d = 0; d < shape.dims(); ++d) {
      if (d < axis) before *= shape.dim_size(d);
      if (d > axis) after *= shape.dim_size(d);
    }
  }
};

// Calls fn(layout, first element in, first element out) for the lines along an
// axis of size n; the input has in_n elements along it, the output out_n.
template <typename Fn>
void ForLines(OpKernelContext* ctx, const Axis& axis, int64_t n, int64_t in_n,
              int64_t out_n, const Fn& fn) {
  const bool rows = axis.after == 1;
  const int64_t blocks = rows ? 1 : axis.before;
  const int64_t lines = rows ? axis.before : axis.after;
  const int64_t parts = (lines + kTogether - 1) / kTogether;
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t block = p / parts, first = p % parts * kTogether;
      Layout layout;
      layout.dims = 2;
      layout.size[0] = std::min(lines, first + kTogether) - first;
      layout.size[1] = n;
      layout.in_step[0] = rows ? in_n : 1;
      layout.out_step[0] = rows ? out_n : 1;
      layout.in_step[1] = layout.out_step[1] = axis.after;
      fn(layout, block * in_n * axis.after + first * layout.in_step[0],
         block * out_n * axis.after + first * layout.out_step[0]);
    }
  };
  const double size = static_cast<double>(n);
  const double cost = 4 * size * std::log2(size + 1) + 100;
  ParallelFor(ctx, blocks * parts,
              static_cast<int64_t>(std::min(kTogether * cost, 1e15)), run);
}

// Copies to `to` the beginning of `from` in each dimension.
template <typename T>
void CopyBeginning(const T* from, const TensorShape& from_shape, int dim,
                   const TensorShape& shape, T* to) {
  if (dim == shape.dims()) {
    *to = *from;
    return;
  }
  int64_t from_step = 1, step = 1;
  for (int d = dim + 1; d < shape.dims(); ++d) {
    from_step *= from_shape.dim_size(d);
    step *= shape.dim_size(d);
  }
  const int64_t n = shape.dim_size(dim);
  if (from_step == step) {
    std::copy_n(from, n * step, to);
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    CopyBeginning(from + i * from_step, from_shape, dim + 1, shape,
                  to + i * step);
  }
}

}  // namespace

// Reads and checks the inputs of all of them; a derived class transforms.
class FftNdOp : public OpKernel {
 public:
  FftNdOp(OpKernelConstruction* ctx, bool real_input, bool real_output)
      : OpKernel(ctx), real_input_(real_input), real_output_(real_output) {}

  void Compute(OpKernelContext* ctx) override {
    std::vector<int> axes;
    TensorShape needed = ctx->input(0).shape(), shape;
    OP_REQUIRES_OK(ctx, ReadAxes(ctx, &axes));
    OP_REQUIRES_OK(ctx, ReadLengths(ctx, axes, &needed, &shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;
    OP_REQUIRES_OK(ctx, Run(ctx, axes, needed, output));
  }

 protected:
  // `needed` are the sizes of the part of the input that is read, at most the
  // input's own.
  virtual Status Run(OpKernelContext* ctx, const std::vector<int>& axes,
                     const TensorShape& needed, Tensor* output) const = 0;

 private:
  Status ReadAxes(OpKernelContext* ctx, std::vector<int>* axes) const {
    const int rank = ctx->input(0).dims();
    const Tensor& given = ctx->input(2);
    std::vector<bool> seen(rank);
    for (int64_t i = 0; i < given.NumElements(); ++i) {
      const int64_t axis = given.base<int32_t>()[i];
      if (axis < -rank || axis >= rank) {
        return errors::InvalidArgument(type_string(), ": axes[", i,
                                       "] must be in [", -rank, ", ", rank,
                                       "), got ", axis);
      }
      axes->push_back(static_cast<int>(axis < 0 ? axis + rank : axis));
      if (seen[axes->back()]) {
        return errors::InvalidArgument(
            type_string(), ": axes must be different, got ", axis, " twice");
      }
      seen[axes->back()] = true;
    }
    if (axes->empty() && (real_input_ || real_output_)) {
      return errors::InvalidArgument(
          type_string(), ": there must be an axis, axes has shape [0]");
    }
    return OkStatus();
  }

  Status ReadLengths(OpKernelContext* ctx, const std::vector<int>& axes,
                     TensorShape* needed, TensorShape* shape) const {
    const TensorShape& in = ctx->input(0).shape();
    const Tensor& lengths = ctx->input(1);
    *shape = in;
    for (size_t i = 0; i < axes.size(); ++i) {
      const int64_t n = lengths.base<int32_t>()[i];
      if (n < 0) {
        return errors::InvalidArgument(type_string(), ": fft_length[", i,
                                       "] must be >= 0, got ", n);
      }
      const bool last = i + 1 == axes.size();
      const int64_t half = n > 0 ? n / 2 + 1 : 0;
      const int64_t from = real_output_ && last ? half : n;
      if (in.dim_size(axes[i]) < from) {
        return errors::InvalidArgument(
            type_string(), ": dimension ", axes[i],
            " of input must have length of at least ", from,
            " but got: ", in.dim_size(axes[i]));
      }
      needed->set_dim(axes[i], from);
      shape->set_dim(axes[i], real_input_ && last ? half : n);
    }
    return OkStatus();
  }

  const bool real_input_, real_output_;
};

namespace {

double Count(const TensorShape& shape, const std::vector<int>& axes) {
  double n = 1;
  for (const int axis : axes) n *= static_cast<double>(shape.dim_size(axis));
  return n;
}

// Transforms data of this shape along an axis.
template <typename R>
void AlongAxis(OpKernelContext* ctx, const TensorShape& shape, int axis,
               Transform transform, const std::complex<R>* from,
               std::complex<R>* to) {
  const int64_t n = shape.dim_size(axis);
  ForLines(ctx, Axis(shape, axis), n, n, n,
           [&](const Layout& layout, int64_t in, int64_t out) {
             spectral::ComplexToComplex<R>(layout, transform, from + in,
                                           to + out);
           });
}

// Sets *data to the needed part of the input: the input itself if that is all
// of it, else a copy in *buffer.
template <typename T>
Status NeededPart(OpKernelContext* ctx, const TensorShape& needed,
                  Tensor* buffer, const T** data) {
  const Tensor& input = ctx->input(0);
  *data = input.base<T>();
  if (input.shape() == needed) return OkStatus();
  TF_RETURN_IF_ERROR(ctx->allocate_temp(input.dtype(), needed, buffer));
  CopyBeginning(input.base<T>(), input.shape(), 0, needed, buffer->base<T>());
  *data = buffer->base<T>();
  return OkStatus();
}

}  // namespace

template <typename T, bool kForward>
class ComplexFftNdOp final : public FftNdOp {
 public:
  explicit ComplexFftNdOp(OpKernelConstruction* ctx)
      : FftNdOp(ctx, false, false) {}

 private:
  Status Run(OpKernelContext* ctx, const std::vector<int>& axes,
             const TensorShape& needed, Tensor* output) const override {
    using R = typename T::value_type;
    Tensor buffer;
    const T* from;
    TF_RETURN_IF_ERROR(NeededPart(ctx, needed, &buffer, &from));
    T* const to = output->base<T>();
    if (axes.empty()) std::copy_n(from, output->NumElements(), to);
    double scale = kForward ? 1 : 1 / Count(needed, axes);
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      AlongAxis<R>(ctx, needed, *axis, {kForward, scale}, from, to);
      from = to;
      scale = 1;
    }
    return OkStatus();
  }
};

// The output has half of the last of the axes.
template <typename R>
class RealFftNdOp final : public FftNdOp {
 public:
  explicit RealFftNdOp(OpKernelConstruction* ctx) : FftNdOp(ctx, true, false) {}

 private:
  Status Run(OpKernelContext* ctx, const std::vector<int>& axes,
             const TensorShape& needed, Tensor* output) const override {
    Tensor buffer;
    const R* from;
    TF_RETURN_IF_ERROR(NeededPart(ctx, needed, &buffer, &from));
    auto* const to = output->base<std::complex<R>>();
    const int64_t n = needed.dim_size(axes.back());
    ForLines(ctx, Axis(needed, axes.back()), n, n, n / 2 + 1,
             [&](const Layout& layout, int64_t in, int64_t out) {
               spectral::RealToComplex<R>(layout, 1, from + in, to + out);
             });
    for (size_t i = axes.size() - 1; i-- > 0;) {
      AlongAxis<R>(ctx, output->shape(), axes[i], {true, 1}, to, to);
    }
    return OkStatus();
  }
};

// The input has half of the last of the axes.
template <typename R>
class InverseRealFftNdOp final : public FftNdOp {
 public:
  explicit InverseRealFftNdOp(OpKernelConstruction* ctx)
      : FftNdOp(ctx, false, true) {}

 private:
  Status Run(OpKernelContext* ctx, const std::vector<int>& axes,
             const TensorShape& needed, Tensor* output) const override {
    using C = std::complex<R>;
    Tensor buffer, between;
    const C* from;
    TF_RETURN_IF_ERROR(NeededPart(ctx, needed, &buffer, &from));
    if (axes.size() > 1) {
      TF_RETURN_IF_ERROR(
          ctx->allocate_temp(DataTypeToEnum<C>::value, needed, &between));
      for (size_t i = 0; i + 1 < axes.size(); ++i) {
        AlongAxis<R>(ctx, needed, axes[i], {false, 1}, from, between.base<C>());
        from = between.base<C>();
      }
    }
    const double scale = 1 / Count(output->shape(), axes);
    R* const to = output->base<R>();
    const int64_t n = output->dim_size(axes.back());
    ForLines(ctx, Axis(needed, axes.back()), n, n / 2 + 1, n,
             [&](const Layout& layout, int64_t in, int64_t out) {
               spectral::ComplexToReal<R>(layout, scale, from + in, to + out);
             });
    return OkStatus();
  }
};

namespace {
template <typename T>
using ForwardOp = ComplexFftNdOp<T, true>;
template <typename T>
using InverseOp = ComplexFftNdOp<T, false>;
}  // namespace

REGISTER_KERNEL_FOR_TYPES(Name("FFTND")
                              .Device(DEVICE_CPU)
                              .HostMemory("fft_length")
                              .HostMemory("axes"),
                          "Tcomplex", ForwardOp, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("IFFTND")
                              .Device(DEVICE_CPU)
                              .HostMemory("fft_length")
                              .HostMemory("axes"),
                          "Tcomplex", InverseOp, complex64, complex128);
REGISTER_KERNEL_BUILDER(Name("RFFTND")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<float>("Treal")
                            .TypeConstraint<complex64>("Tcomplex"),
                        RealFftNdOp<float>);
REGISTER_KERNEL_BUILDER(Name("RFFTND")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<double>("Treal")
                            .TypeConstraint<complex128>("Tcomplex"),
                        RealFftNdOp<double>);
REGISTER_KERNEL_BUILDER(Name("IRFFTND")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<float>("Treal")
                            .TypeConstraint<complex64>("Tcomplex"),
                        InverseRealFftNdOp<float>);
REGISTER_KERNEL_BUILDER(Name("IRFFTND")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<double>("Treal")
                            .TypeConstraint<complex128>("Tcomplex"),
                        InverseRealFftNdOp<double>);

}  // namespace tensorwright
