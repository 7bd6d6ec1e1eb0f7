/* SPDX-License-Identifier: Apache-2.0
   A model and the library that computes it, in one file: what `tw shrink`
   makes.  For C, C++, and whatever calls C.

     char error[1000];
     tw_model* model = tw_model_load(0, error, sizeof error);
     tw_tensor x = {TW_FLOAT, 2, (int64_t[]){1, 64}, pixels};
     tw_result* result = tw_model_run(model, &x, error, sizeof error);
     const float* scores = tw_result_tensor(result, 0)->data;
     tw_result_free(result);
     tw_model_free(model);

   Ownership: the caller frees models and results.  A model is freed after the
   runs that use it; a result may live longer than its model.  Inputs are read
   during the call alone.

   Threads: a model may run in any number of threads at once.

   Failures: a function that returns a pointer returns a null pointer, and
   writes a line that ends with '\0' into `error`, cut after `size` bytes;
   `error` may be null.  The model can be used afterwards. */
#ifndef TENSORWRIGHT_TOOLS_SHRINK_MODEL_H_
#define TENSORWRIGHT_TOOLS_SHRINK_MODEL_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers of dtypes are those of TensorFlow's DataType. */
enum {
  TW_FLOAT = 1,
  TW_DOUBLE = 2,
  TW_INT32 = 3,
  TW_UINT8 = 4,
  TW_INT16 = 5,
  TW_INT8 = 6,
  TW_STRING = 7,
  TW_INT64 = 9,
  TW_BOOL = 10
};

typedef struct tw_model tw_model;
typedef struct tw_result tw_result;

/* One element of a TW_STRING tensor. */
typedef struct {
  const char* data;
  size_t size;
} tw_string;

/* An array in row-major order.  `data` has one element of the dtype's size for
 * each index; tw_string for TW_STRING. */
typedef struct {
  int dtype;
  int rank;
  const int64_t* dims;
  const void* data;
} tw_tensor;

/* The name, dtype and shape of an input or output.  `rank` is -1 where it is
   not known, and a dim -1 where that is not. Belongs to the model. */
typedef struct {
  const char* name;
  int dtype;
  int rank;
  const int64_t* dims;
} tw_spec;

/* Makes the model ready to run: constants are computed and kernels made.
   `threads` share the work of one run; 0 means all processors. */
tw_model* tw_model_load(int threads, char* error, size_t size);
void tw_model_free(tw_model* model);

/* The inputs and outputs, in alphabetical order of their names; a null pointer
 * where there is no i-th. */
int tw_model_num_inputs(const tw_model* model);
int tw_model_num_outputs(const tw_model* model);
const tw_spec* tw_model_input(const tw_model* model, int i);
const tw_spec* tw_model_output(const tw_model* model, int i);

/* Computes the outputs for `inputs`, an array in the order of the model's
 * inputs. */
tw_result* tw_model_run(tw_model* model, const tw_tensor* inputs, char* error,
                        size_t size);
/* In the order of the model's outputs; a null pointer where there is no i-th.
 * Belongs to the result. */
const tw_tensor* tw_result_tensor(const tw_result* result, int i);
void tw_result_free(tw_result* result);

#ifdef __cplusplus
}
#endif

#endif /* TENSORWRIGHT_TOOLS_SHRINK_MODEL_H_ */
