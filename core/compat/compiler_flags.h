// SPDX-License-Identifier: Apache-2.0
// Handles options of the compiler that recipes for TensorFlow give and that
// these headers cannot be compiled with.  Comes before any other header.
#ifndef TENSORWRIGHT_CORE_COMPAT_COMPILER_FLAGS_H_
#define TENSORWRIGHT_CORE_COMPAT_COMPILER_FLAGS_H_

// With the strings from before 2015 the library would not load.  The folder of
// these headers has a <bits/c++config.h> that sets the right ones; if the
// compiler did not find that, and has read no header of the standard library
// yet, this sets them.
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
