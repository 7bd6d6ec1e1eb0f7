// SPDX-License-Identifier: Apache-2.0
// A functor for two devices, as reference repositories lay them out.
#ifndef KERNEL_CORPUS_SCALE_FUNCTOR_H_
#define KERNEL_CORPUS_SCALE_FUNCTOR_H_

#include "unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {
namespace functor {

template <typename Device, typename T>
struct CorpusScaleFunctor {
  void operator()(const Device& d, int size, const T* in, T* out);
};

#if GOOGLE_CUDA
template <typename T>
struct CorpusScaleFunctor<Eigen::GpuDevice, T> {
  void operator()(const Eigen::GpuDevice& d, int size, const T* in, T* out);
};
#endif

}  // namespace functor
}  // namespace tensorflow

#endif  // KERNEL_CORPUS_SCALE_FUNCTOR_H_
