// SPDX-License-Identifier: Apache-2.0
// Options of the compiler that recipes for TensorFlow give and that these
// headers cannot be compiled with.  Comes before any other header.
#ifndef TENSORWRIGHT_CORE_COMPAT_COMPILER_FLAGS_H_
#define TENSORWRIGHT_CORE_COMPAT_COMPILER_FLAGS_H_

// With the strings of before 2015 the library would not load.  The folder of
// these headers has a <bits/c++config.h> that sees to it; where that was not
// found and no header of the standard library has been read yet, this does.
#if defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#ifdef _GLIBCXX_CXX_CONFIG_H
#error \
    "-D_GLIBCXX_USE_CXX11_ABI=0 is for another build of the library: leave it \
out, or use what tf.sysconfig.get_compile_flags() gives"
#else
#undef _GLIBCXX_USE_CXX11_ABI
#define _GLIBCXX_USE_CXX11_ABI 1
#endif
#endif

#endif  // TENSORWRIGHT_CORE_COMPAT_COMPILER_FLAGS_H_
