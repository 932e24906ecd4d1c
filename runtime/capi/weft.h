/*===- weft.h - load and run bmodels, C interface -----------------*- C -*-===*\

  weft_model *model;
  weft_session *session;
  weft_status *status = weft_model_load("cls.bmodel", &model);
  if (status) { puts(weft_status_message(status)); weft_status_free(status); }
  status = weft_session_open(model, "main", 0, NULL, &session);
  const void *inputs[] = {image};
  void *outputs[] = {scores};
  status = weft_session_run(session, inputs, outputs);

  Every function that can fail returns a weft_status*: NULL is success, anything
  else is to be freed by the caller with weft_status_free(). There is no global
  state and no thread-local last error. No exception leaves a function; without
  memory it is WEFT_OUT_OF_MEMORY. A model may be used by several threads at
  once, a session by one at a time (weft_session_set_cancelled excepted).
  Strings are UTF-8, owned by the object they were asked from, and live as long
  as it.

  The interface is versioned by WEFT_API_VERSION; functions and enumerators are
  only added, structs only grow at their end. struct_bytes says what the caller
  knows: an older program is given, and asked for, the first fields only; what
  is beyond the library's own struct it leaves as it was.

\*===----------------------------------------------------------------------===*/

#ifndef WEFT_RUNTIME_CAPI_WEFT_H
#define WEFT_RUNTIME_CAPI_WEFT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define WEFT_API __attribute__((visibility("default")))
#else
#define WEFT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_API_VERSION 1
/* Version of the library that is loaded: WEFT_API_VERSION it was built with. */
WEFT_API int weft_api_version(void);
/* "0.1.0" */
WEFT_API const char *weft_version(void);

/*===-- status ------------------------------------------------------------===*/

/* Kinds of failure. */
typedef enum weft_code {
  WEFT_OK = 0,
  WEFT_INVALID_ARGUMENT = 1,
  WEFT_NOT_FOUND = 2,
  WEFT_IO_ERROR = 3,
  WEFT_BAD_FILE = 4,
  WEFT_UNSUPPORTED = 5,
  WEFT_TYPE_MISMATCH = 6,
  WEFT_SHAPE_MISMATCH = 7,
  WEFT_OUT_OF_RANGE = 8,
  WEFT_OUT_OF_MEMORY = 9,
  WEFT_BAD_COMMAND = 10,
  WEFT_DEADLOCK = 11,
  WEFT_DEVICE_NOT_FOUND = 12,
  WEFT_DEVICE_REFUSED = 13,
  WEFT_DEVICE_ABORTED = 14,
  WEFT_TIMEOUT = 15,
  WEFT_INTERNAL = 16,
  WEFT_CANCELLED = 17
} weft_code;

typedef struct weft_status weft_status;

/* WEFT_OK for NULL. */
WEFT_API weft_code weft_status_code(const weft_status *status);
/* One line: what was found, the rule, what to do. "" for NULL. */
WEFT_API const char *weft_status_message(const weft_status *status);
/* NULL is fine. */
WEFT_API void weft_status_free(weft_status *status);
/* A few words for a code, "broken file". */
WEFT_API const char *weft_code_text(weft_code code);

/*===-- model -------------------------------------------------------------===*/

typedef struct weft_model weft_model;

/* Reads and verifies a bmodel, or a program of vector operations (.zyp): one
   net of one stage without profile. *model is set on success only. */
WEFT_API weft_status *weft_model_load(const char *path, weft_model **model);
/* The same for `size` bytes, which are copied. `name` stands for the path in
   messages. */
WEFT_API weft_status *weft_model_load_bytes(const void *bytes, size_t size,
                                            const char *name,
                                            weft_model **model);
/* Sessions keep what they need; NULL is fine. */
WEFT_API void weft_model_free(weft_model *model);

/* As the bmodel spells it, in capitals. */
WEFT_API const char *weft_model_chip(const weft_model *model);
WEFT_API size_t weft_model_net_count(const weft_model *model);
/* NULL if `net` is not below the count. */
WEFT_API const char *weft_model_net_name(const weft_model *model, size_t net);
/* Stages are the same net compiled for other input shapes. The counts are 0 if
   there is no such net. */
WEFT_API size_t weft_model_stage_count(const weft_model *model, size_t net);
WEFT_API size_t weft_model_input_count(const weft_model *model, size_t net);
WEFT_API size_t weft_model_output_count(const weft_model *model, size_t net);

/* Element types: the numbers of ONNX's TensorProto.DataType. */
typedef enum weft_type {
  WEFT_F32 = 1,
  WEFT_U8 = 2,
  WEFT_I8 = 3,
  WEFT_U16 = 4,
  WEFT_I16 = 5,
  WEFT_I32 = 6,
  WEFT_I64 = 7,
  /* Strings: the last size of the shape is the bytes of each, in UTF-8 with
     zeros behind. */
  WEFT_STRING = 8,
  WEFT_BOOL = 9,
  WEFT_F16 = 10,
  WEFT_F64 = 11,
  WEFT_U32 = 12,
  WEFT_U64 = 13,
  WEFT_BF16 = 16
} weft_type;

/* An input or output of a stage. */
typedef struct weft_tensor_desc {
  /* Set by the caller to sizeof(weft_tensor_desc) before the call, which
     leaves it as it is. */
  size_t struct_bytes;
  const char *name;
  /* Type and shape of the ONNX model; those stored in the file if it does not
     keep ONNX's (files of other compilers). */
  weft_type type;
  size_t rank;
  const int64_t *shape;
  /* Bytes of a buffer for weft_session_run(): dense, row-major. */
  size_t bytes;
  /* What lies in the device's memory. */
  weft_type stored_type;
  /* Not 1 and 0 for quantized tensors. Input: stored = round(real * scale +
     zero_point). Output: real = (stored - zero_point) * scale. */
  float scale;
  int32_t zero_point;
  /* Axis along which the stage also runs fewer entries
     (weft_session_run_entries), -1 if there is none. */
  int32_t batch_axis;
} weft_tensor_desc;

WEFT_API weft_status *weft_model_input(const weft_model *model, size_t net,
                                       size_t stage, size_t index,
                                       weft_tensor_desc *desc);
WEFT_API weft_status *weft_model_output(const weft_model *model, size_t net,
                                        size_t stage, size_t index,
                                        weft_tensor_desc *desc);

/* Name of a dimension in the ONNX model, "" if it has none; NULL if there is no
   such net, input or axis. */
WEFT_API const char *weft_model_dimension_name(const weft_model *model,
                                               size_t net, size_t input,
                                               size_t axis);

/* The smallest stage that runs inputs of these shapes (shapes[i] has ranks[i]
   sizes; one for every input). *entries: for weft_session_run_entries(), 0 if
   the stage has exactly these shapes. Else WEFT_SHAPE_MISMATCH says what is
   allowed. */
WEFT_API weft_status *weft_model_find_stage(const weft_model *model, size_t net,
                                            const int64_t *const *shapes,
                                            const size_t *ranks, size_t *stage,
                                            int64_t *entries);

/* NULL if the bmodel has a certificate of a comparison that passed (weft
   compare --certify) which is of the file's bytes as they are and of this
   stage; else WEFT_NOT_FOUND (it has none, or there is no such net or stage) or
   WEFT_BAD_FILE. A file whose certificate is damaged is not loaded at all. It
   guards against files that were mixed up or changed, it is no signature. Reads
   the whole file. */
WEFT_API weft_status *weft_model_check_certificate(const weft_model *model,
                                                   size_t net, size_t stage);

/* What a run of a stage is predicted to cost, without running it (the model of
   `weft profile`). */
typedef struct weft_profile {
  /* Set by the caller to sizeof(weft_profile) before the call, which leaves it
     as it is. */
  size_t struct_bytes;
  uint64_t total_cycles;
  uint64_t cycles_per_second;
  uint64_t tiu_busy_cycles;
  uint64_t gdma_busy_cycles;
  uint64_t dram_read_bytes;
  uint64_t dram_write_bytes;
  /* Multiply-accumulates of convolutions and matrix products. */
  uint64_t macs;
  /* Busy cycles of commands whose cost is predicted from the nearest measured
     kind of command. */
  uint64_t extrapolated_cycles;
  /* Roofline: fewest cycles that the multiply-accumulates and the DRAM bytes
     can take. */
  double bound_cycles;
} weft_profile;

WEFT_API weft_status *weft_model_profile(const weft_model *model, size_t net,
                                         size_t stage, weft_profile *profile);

/*===-- session -----------------------------------------------------------===*/

typedef enum weft_device_kind {
  /* Bit-exact emulator inside this library. */
  WEFT_EMULATOR = 0,
  /* The vendor's runtime, opened at run time in a child process. */
  WEFT_BMRT = 1
} weft_device_kind;

typedef struct weft_device_options {
  /* Set by the caller to sizeof(weft_device_options). */
  size_t struct_bytes;
  weft_device_kind kind;
  /* Path of libbmrt.so; NULL: the environment variable WEFT_BMRT_LIB. */
  const char *bmrt_library;
  /* Seconds that each run may take, on WEFT_BMRT also loading; then it is
     WEFT_TIMEOUT. 0: 300 on WEFT_BMRT, any time on WEFT_EMULATOR, which a
     hostile or very large model can keep busy for hours. */
  double time_limit_seconds;
  /* Threads that WEFT_EMULATOR uses; 0: one a processor. Results do not depend
     on it. */
  uint32_t threads;
} weft_device_options;

typedef struct weft_session weft_session;

/* Makes a stage ready. `net` NULL: the only net. `options` NULL: emulator. */
WEFT_API weft_status *weft_session_open(const weft_model *model,
                                        const char *net, size_t stage,
                                        const weft_device_options *options,
                                        weft_session **session);
/* Runs once. inputs[i] and outputs[i] are buffers of the `bytes` of input and
   output i. int64, uint64 and double values must fit int32, uint32 and float
   (WEFT_OUT_OF_RANGE names the element). After a failure the outputs are
   undefined. */
WEFT_API weft_status *weft_session_run(weft_session *session,
                                       const void *const *inputs,
                                       void *const *outputs);
/* The same with a type for every input: besides the input's own, f16, bf16, f32
   and f64 are quantized for a quantized input, and for others numbers and bools
   of every type become the input's: floats for floats are rounded, everything
   else must be exact (WEFT_OUT_OF_RANGE names the element). The buffers have as
   many elements. */
WEFT_API weft_status *weft_session_run_typed(weft_session *session,
                                             const void *const *inputs,
                                             const weft_type *input_types,
                                             void *const *outputs);
/* The shape of output `index` after the last successful run; `rank` values at
   *shape, which live until the next run. It differs from that of the
   description, which is the largest, only if the size depends on data; the
   elements then fill the beginning of the buffer. */
WEFT_API weft_status *weft_session_output_shape(const weft_session *session,
                                                size_t index,
                                                const int64_t **shape,
                                                size_t *rank);
/* weft_session_run_typed for a part of the batch: inputs and outputs with a
   batch_axis have `entries` along it, 1 to the stage's size; 0 means all of
   them. Exact: zeros fill up the inputs, and the net keeps the entries apart.
 */
WEFT_API weft_status *weft_session_run_entries(weft_session *session,
                                               const void *const *inputs,
                                               const weft_type *input_types,
                                               void *const *outputs,
                                               int64_t entries);
/* With `cancelled` 1 a run in progress ends soon and every later one at once,
   both with WEFT_CANCELLED, until this is called with 0. The one function that
   another thread may call while a session runs; the session must live until it
   returns. On WEFT_BMRT a run that is ended takes the device with it: open a
   new session. NULL is fine. */
WEFT_API void weft_session_set_cancelled(weft_session *session, int cancelled);
/* NULL is fine. */
WEFT_API void weft_session_free(weft_session *session);

#ifdef __cplusplus
}
#endif

#endif /* WEFT_RUNTIME_CAPI_WEFT_H */
