/*===- recorder.h - what a kernel calls while it is recorded ----*- C -*-===*/

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_RECORDER_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel runs on the host with concrete sizes; what it calls is recorded. The
 * headers in this folder turn every call of the kernel language into calls of
 * the functions below. Tensors are numbers > 0; 0 stands for one that could not
 * be made: calls with it are ignored, so that one mistake gives one message. */

/* Numbers of `data_type_t`, `align_mode_t` and `tensor_mode_t` are the manual's
 * (PPL 4.1). */
enum { WEFT_PPL_L2 = 1, WEFT_PPL_GLOBAL = 2, WEFT_PPL_LOCAL = 3 };

/* No address given: the compiler places the tensor. */
#define WEFT_PPL_NO_ADDRESS UINT64_MAX

/* No layout given: TPU_ALIGN, unless a function that the tensor is used by
 * takes another one only. */
#define WEFT_PPL_ANY_LAYOUT (-1)

/* An argument of a function of the catalog. */
enum {
  WEFT_PPL_OMITTED = 0,
  WEFT_PPL_TENSOR = 1,
  WEFT_PPL_INTEGER = 2,
  WEFT_PPL_FLOAT = 3,
  WEFT_PPL_INTEGERS = 4
};
typedef struct weft_ppl_argument {
  int32_t kind;
  int32_t count;           /* of integers */
  int64_t integer;         /* tensor number, integer, flag or enumerator */
  double real;             /* of WEFT_PPL_FLOAT */
  const int64_t *integers; /* of WEFT_PPL_INTEGERS */
} weft_ppl_argument;

typedef struct weft_ppl_tensor {
  int32_t type;   /* data_type_t */
  int32_t memory; /* tensor_mode_t */
  int32_t layout; /* align_mode_t */
  int32_t lane;
  int64_t shape[4];
  int64_t strides[4]; /* elements */
} weft_ppl_tensor;

/* A line of the kernel; kept by the callee as a copy. */
typedef struct weft_ppl_line {
  const char *file; /* may be null */
  int32_t line;
} weft_ppl_line;

/* What `enter` opens and `leave` closes. */
enum {
  WEFT_PPL_SCOPE_CALL = 0,  /* a wrapper: messages name its caller's line */
  WEFT_PPL_SCOPE_ITERATION, /* one round of a loop with enable_pipeline() */
  WEFT_PPL_SCOPE_ATTEMPT,   /* undone if it does not fit, see `leave` */
  WEFT_PPL_SCOPE_PARALLEL,  /* parallel_start .. parallel_end */
  WEFT_PPL_SCOPE_KERNEL     /* a kernel; tensors die with it */
};
/* What `leave` answers for an attempt; 0 if it fits. */
enum { WEFT_PPL_NO_LOCAL_MEMORY = 0x11, WEFT_PPL_NO_L2_MEMORY = 0x1A };

/* Settings of `set`. */
enum {
  WEFT_PPL_BLOCK_NUM = 0,     /* set_block_num; clamped to the chip */
  WEFT_PPL_ALLOCATION_METHOD, /* memory_alloc_method_t */
  WEFT_PPL_PINGPONG,          /* of the tensor `subject`: 0 switches off */
  WEFT_PPL_AUTO_SYNC,
  WEFT_PPL_SEED, /* of `fill_random` */
  WEFT_PPL_GROUP_NUM,
  /* Engines named by the bits of `subject` (TIU 1, DMA 2, HAU 4, SDMA 8, VSDMA
   * 16, CDMA 32) are waited for, on all cores if `value` is 1. No engine: what
   * follows in a pipelined body stays behind what precedes. */
  WEFT_PPL_BARRIER,
  /* Whether the host may touch what `allocate` gave; 0 while a kernel runs, for
   * which this is memory of the device. */
  WEFT_PPL_HOST_ACCESS
};
/* Numbers of `get`. */
enum {
  WEFT_PPL_LANES = 0,
  WEFT_PPL_EU_BYTES,
  WEFT_PPL_LANE_BYTES,
  WEFT_PPL_BANKS,
  WEFT_PPL_CORES,
  WEFT_PPL_L2_BYTES,
  WEFT_PPL_BLOCK_NUM_NOW,
  WEFT_PPL_BLOCK_INDEX,
  WEFT_PPL_CHANNEL_PACK, /* get_nic of the type `subject` */
  WEFT_PPL_GROUP_NUM_NOW,
  WEFT_PPL_GROUP_INDEX,
  WEFT_PPL_FAILED, /* 1 after an error */
  /* Of the DMA between DRAM and local memory, bytes a cycle by the cost model;
   * 0 for a chip that has none. */
  WEFT_PPL_LOAD_BYTES,
  WEFT_PPL_STORE_BYTES,
  WEFT_PPL_SHORTEST_DMA_RUN /* bytes; a shorter run costs as much; or 0 */
};

/* The functions; `self` goes first into each. Fields are only ever added at
 * the end. */
typedef struct weft_ppl_recorder {
  uint32_t bytes; /* sizeof(weft_ppl_recorder) of the recorder's side */
  void *self;

  /* A new tensor. `strides` null: those of `layout`; WEFT_PPL_ANY_LAYOUT for
   * LOCAL: TPU_ALIGN, or what its functions ask for. `address`: for L2 and
   * GLOBAL a byte of device memory (a pointer that `allocate` gave, or a number
   * from it on), for LOCAL lane * bytes per lane + offset, or NO_ADDRESS. */
  int64_t (*make_tensor)(void *self, int32_t memory, int32_t type,
                         const int64_t shape[4], int32_t layout,
                         const int64_t *strides, uint64_t address,
                         weft_ppl_line at);
  /* The same bytes described otherwise. `layout` -1: that of the source;
   * `strides` not null: free layout. */
  int64_t (*view)(void *self, int64_t source, int32_t type,
                  const int64_t shape[4], int32_t layout,
                  const int64_t *strides, weft_ppl_line at);
  /* A part; keeps type and strides. */
  int64_t (*sub_view)(void *self, int64_t source, const int64_t shape[4],
                      const int64_t offset[4], weft_ppl_line at);
  /* 0 for the number 0. */
  int32_t (*describe)(void *self, int64_t tensor, weft_ppl_tensor *out);

  /* One function of the catalog by its name ("tiu.fadd"), arguments in the
   * order of its slots; trailing ones may be left away. */
  void (*call)(void *self, const char *name, const weft_ppl_argument *arguments,
               size_t count, weft_ppl_line at);

  void (*enter)(void *self, int32_t scope, const char *name, weft_ppl_line at);
  int32_t (*leave)(void *self, int32_t scope);
  void (*set)(void *self, int32_t setting, int64_t subject, int64_t value);
  int64_t (*get)(void *self, int32_t number, int64_t subject);
  /* An error of the kernel's own, as assert() and misuse of the headers. */
  void (*fail)(void *self, const char *message, weft_ppl_line at);

  /* Device memory that the test can read and write while it runs: the pointer
   * is both. Zeroed. What the kernels read before they write is an input of
   * the program, what they write an output. `name` may be null. Null if there
   * is no memory. */
  void *(*allocate)(void *self, int32_t type, const int64_t shape[4],
                    const char *name, weft_ppl_line at);
  /* Uniform in [low, high) for floats, [low, high] for integers; the same in
   * every run (splitmix64 of the seed and the number of the call). The memory
   * may be the device's, of one `allocate`, or the test's own. */
  void (*fill_random)(void *self, void *memory, int32_t type, int64_t count,
                      double low, double high);
  /* After the program has run `memory` must hold these values: |got -
   * expected| <= atol + rtol * |expected|; NaN equals NaN. */
  void (*expect)(void *self, const void *memory, int32_t type, int64_t count,
                 const double *expected, double rtol, double atol,
                 weft_ppl_line at);

  /* A local tensor without a shape (PPL 3.7): every function that gives it its
   * first values, or new ones, gives it the shape of its result. */
  int64_t (*make_unshaped)(void *self, int32_t type, int32_t layout,
                           uint64_t address, weft_ppl_line at);
  /* A warning about a line of the kernel. */
  void (*warn)(void *self, const char *message, weft_ppl_line at);
} weft_ppl_recorder;

/* Every kernel library exports this (ppl.h defines it); the recorder calls it
 * before it runs anything in it, and with null afterwards. */
void weft_ppl_bind(const weft_ppl_recorder *recorder);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* WEFT_FRONTEND_PPL_INCLUDE_PPL_RECORDER_H */
