/*===- weft-compiler.h - record kernels and compile, C interface --*- C -*-===*\

  weft_ppl_options options = {.struct_bytes = sizeof options};
  weft_ppl_program *program = NULL;
  weft_compiler_status *status = weft_ppl_open(&options, &program);
  int32_t again = 1;
  while (!status && again) { // once a core
    const weft_ppl_recorder *recorder = weft_ppl_program_recorder(program);
    record(recorder); // calls the functions of the recorder (ppl/recorder.h)
    status = weft_ppl_finish(program, &again);
  }
  if (!status)
    status = weft_ppl_run(program, NULL);
  if (status) // else what `allocate` gave holds the results
    fprintf(stderr, "%s\n", weft_compiler_status_message(status));
  weft_compiler_status_free(status);
  weft_ppl_close(program);

  The second C interface of Weft, beside weft.h: it has the compiler in it.
Every function that can fail returns a weft_compiler_status*: NULL is success,
  anything else is to be freed with weft_compiler_status_free(). There is no
  global state and no thread-local last error. No exception leaves a function.
  A program is used by one thread at a time. Strings are UTF-8, owned by the
  object they were asked from, and live as long as it if nothing else is said.

  ppl/recorder.h lies beside the headers of the kernel language: compile with
  -I PREFIX/include -I PREFIX/include/weft.

  The interface is versioned by WEFT_COMPILER_API_VERSION; functions and
  enumerators are only added, structs only grow at their end. struct_bytes says
  what the caller knows: fields beyond it have the value 0.

\*===----------------------------------------------------------------------===*/

#ifndef WEFT_TOOLS_CAPI_WEFT_COMPILER_H
#define WEFT_TOOLS_CAPI_WEFT_COMPILER_H

#include "ppl/recorder.h"

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define WEFT_COMPILER_API __attribute__((visibility("default")))
#else
#define WEFT_COMPILER_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_COMPILER_API_VERSION 1
/* Version of the library that is loaded. */
WEFT_COMPILER_API int weft_compiler_api_version(void);
/* "0.1.0" */
WEFT_COMPILER_API const char *weft_compiler_version(void);

/*===-- status ------------------------------------------------------------===*/

typedef struct weft_compiler_status weft_compiler_status;

/* The codes of weft_code in weft.h; 0 for NULL. */
WEFT_COMPILER_API int
weft_compiler_status_code(const weft_compiler_status *status);
/* One line a problem: "kernel.py:12: tiu.fadd: what was found; the rule; what
   to do". "" for NULL. */
WEFT_COMPILER_API const char *
weft_compiler_status_message(const weft_compiler_status *status);
/* What PPL calls the failure: 0x11 local memory does not hold the tensors, 0x1A
   L2 memory does not (smaller blocks may fit), 0x17 anything else that is wrong
   with a kernel; 0 if it is about no kernel. */
WEFT_COMPILER_API int
weft_compiler_status_ppl_code(const weft_compiler_status *status);
/* NULL is fine. */
WEFT_COMPILER_API void weft_compiler_status_free(weft_compiler_status *status);

/*===-- the language ------------------------------------------------------===*/

/* Every function of an operation set as JSON; `set` is "ppl", "zhouyi" or
   "ascend", NULL is returned for another. An array of objects

     {"name": "tiu.fadd", "set": "ppl", "chips": [..], "unit": "tiu",
      "section": "4.6.1.4", "summary": .., "formula": ..,
      "slots": [{"name": "dst", "kind": "tensor", "access": "write",
                 "types": ["fp32", ..], "memories": ["local"],
                 "optional": false, "fallback": 0, "count": 0,
                 "choices": [..], "low": .., "high": ..}, ..],
      "rules": [..], "chip_note": .., "example": ..}

   The `kind` of a slot is tensor, tensor_or_scalar, integer, float, flag,
   choice, integers, vector, vector_or_scalar, mask or pointer, its `access`
   read, write or read_write; `low` and `high` are there if they limit it.
   `types` are spelled as in weft_ppl_types(). Of zhouyi also `features`,
   `inactive_lanes` and

     "signatures": [{"operands": ["int8x32", "int8x32"], "out_sign": "",
                     "result": "int8x32"}, ..]

   the types of vectors of one register that the function takes; `out_sign` is
   the one that they need, `result` "" if nothing is returned. Lives as long as
   the library. */
WEFT_COMPILER_API const char *weft_catalog(const char *set);
/* weft_catalog("ppl"). */
WEFT_COMPILER_API const char *weft_ppl_catalog(void);
/* The element types as JSON: [{"name": "fp16", "code": 2, "bits": 16, "float":
   true, "signed": true}, ..]; `code` is the data_type_t of recorder.h. */
WEFT_COMPILER_API const char *weft_ppl_types(void);
/* The chips as JSON: [{"name": "..", "lanes": 64, "eu_bytes": 64,
   "lane_bytes": 262144, "cores": 1, "commands": true}, ..]. For a chip without
   `commands` programs are checked and interpreted only. */
WEFT_COMPILER_API const char *weft_ppl_chips(void);

/*===-- single calls ------------------------------------------------------===*/

/* Functions of zhouyi and ascend, called one at a time on memory of the caller,
   by the same code that programs run with. */

typedef enum weft_argument_kind {
  WEFT_ARGUMENT_NONE = 0, /* left out */
  /* `integer`: a number, a flag (0, 1), a choice (its index). */
  WEFT_ARGUMENT_INTEGER = 1,
  WEFT_ARGUMENT_FLOAT = 2, /* `real` */
  /* `type`, `lanes`, `bytes`, `defined`. One lane: a scalar variable. */
  WEFT_ARGUMENT_VECTOR = 3,
  /* `text` ("3T5F"), else `lanes` and as many `bytes`, each 0 or 1. Neither
     text nor bytes: a mask that is not known yet, for WEFT_CALL_CHECK. */
  WEFT_ARGUMENT_MASK = 4,
  /* `type`, `bytes`, `size`, `offset`. */
  WEFT_ARGUMENT_MEMORY = 5
} weft_argument_kind;

typedef struct weft_argument {
  int32_t kind; /* a weft_argument_kind */
  int32_t type; /* data_type_t of the elements */
  int64_t integer;
  double real;
  const char *text;
  uint64_t lanes;
  /* Elements, little-endian, and how many bytes there are. A function writes
     to memory that its slot says it writes. May be NULL for WEFT_CALL_CHECK. */
  void *bytes;
  size_t size;
  /* Of a vector, one byte a lane: 0 where it has no value; NULL: all have. */
  const uint8_t *defined;
  /* Of memory: the byte where the address points. */
  uint64_t offset;
} weft_argument;

typedef enum weft_call_mode {
  WEFT_CALL_RUN = 0,
  /* Say whether the call is legal and what it returns, run nothing. */
  WEFT_CALL_CHECK = 1,
  /* ascend: copy what the move has written from dst back to src. */
  WEFT_CALL_INVERSE = 2
} weft_call_mode;

typedef struct weft_call {
  /* Set by the caller to sizeof(weft_call). */
  size_t struct_bytes;
  const char *set;      /* "zhouyi" or "ascend" */
  const char *function; /* "vadd" */
  /* One a slot, in the order of weft_catalog(); those at the end that are left
     out may be missing. */
  const weft_argument *arguments;
  size_t argument_count;
  size_t argument_bytes; /* sizeof(weft_argument) */
  int32_t mode;          /* a weft_call_mode */
} weft_call;

typedef struct weft_call_result {
  /* Set by the caller to sizeof(weft_call_result). */
  size_t struct_bytes;
  int32_t type;
  uint32_t lanes; /* 0: the function returns nothing */
  void *bytes;
  size_t size;
  /* One byte a lane: 0 where the value is undefined. */
  uint8_t *defined;
  /* What is odd about a legal call; NULL: nothing. */
  char *warning;
} weft_call_result;

/* Calls a function. What is wrong is told as "vadd: what was found; the rule";
   nothing is written then. The result is to be freed, also after a failure. */
WEFT_COMPILER_API weft_compiler_status *
weft_catalog_call(const weft_call *call, weft_call_result *result);
/* Frees what `result` points at. NULL is fine. */
WEFT_COMPILER_API void weft_catalog_result_free(weft_call_result *result);

/* Layouts of L1 and the ascend moves that make them. */
typedef enum weft_ascend_layout_kind {
  WEFT_ND_TO_NZ = 0, /* [count][K1][reserved][C0] */
  WEFT_ND_TO_ZZ = 1, /* [count][bands][K2][16][C0] */
  WEFT_NHWC_TO_NC1HWC0 = 2,
  WEFT_NHWC_TO_C1HWNC0 = 3 /* [C1][h][w][reserved][C0] */
} weft_ascend_layout_kind;

typedef struct weft_ascend_layout {
  /* Set by the caller to sizeof(weft_ascend_layout). */
  size_t struct_bytes;
  int32_t kind;          /* a weft_ascend_layout_kind */
  int32_t element_bytes; /* 1, 2 or 4 */
  int64_t dst, src;      /* where it begins, in bytes */
  /* Matrices; strides in elements, 0: no gaps. */
  int64_t count, rows, columns, row_stride, matrix_stride;
  /* Rows or images that have room; 0: those of a whole fractal, or all. */
  int64_t reserved;
  /* Images n, h, w, c, and the box of them that is moved. */
  int64_t shape[4], begin[4], size[4];
} weft_ascend_layout;

/* The moves as JSON: [{"function": "copy_gm_to_cbuf_multi_nd2nz_b16", "dst": 0,
   "src": 0, "sid": 0, "ndNum": 1, ..}, ..], dst and src in bytes. *text is to
   be freed with weft_compiler_free(). */
WEFT_COMPILER_API weft_compiler_status *
weft_ascend_moves(const weft_ascend_layout *layout, void **text);

/*===-- programs of zhouyi ------------------------------------------------===*/

/* Text in the dialect zhouyi, one zhouyi.program, to a .zyp file: checked,
   simplified, encoded. weft.h runs it (weft_model_load_bytes). *bytes is to be
   freed with weft_compiler_free(). */
WEFT_COMPILER_API weft_compiler_status *
weft_zhouyi_assemble(const char *text, void **bytes, size_t *size);

/*===-- programs of ppl ---------------------------------------------------===*/

typedef struct weft_ppl_program weft_ppl_program;

typedef struct weft_ppl_options {
  /* Set by the caller to sizeof(weft_ppl_options). */
  size_t struct_bytes;
  /* NULL: the first of weft_ppl_chips(). */
  const char *target;
  /* Of the net in the bmodel; NULL: "kernel". */
  const char *name;
  /* Not 0: enable_pipeline() is without effect, to see what it gains. */
  int32_t no_pipeline;
  /* Not 0: calls also run as they are recorded, by their meaning, so that
     weft_ppl_values() can be asked in between. */
  int32_t keeps_values;
} weft_ppl_options;

/* An empty program, open for recording. */
WEFT_COMPILER_API weft_compiler_status *
weft_ppl_open(const weft_ppl_options *options, weft_ppl_program **program);
/* What a kernel calls; lives as long as the program. Until weft_ppl_finish().
 */
WEFT_COMPILER_API const weft_ppl_recorder *
weft_ppl_program_recorder(const weft_ppl_program *program);
/* Records a wrapper of the kernel language (ppl/wrappers.h) by its name, such
   as "sigmoid_fp32": its arguments in the order of the header, the tensors of
   one type, shapes and windows as WEFT_PPL_INTEGERS, what has a default there
   too. 0 if there is none with so many arguments for the type of the first
   tensor; what else is wrong is an error of the recording. */
WEFT_COMPILER_API int32_t weft_ppl_wrapper(const weft_ppl_recorder *recorder,
                                           const char *name,
                                           const weft_ppl_argument *arguments,
                                           size_t count, weft_ppl_line at);
/* Problems so far; NULL if there is none. May be asked while recording. */
WEFT_COMPILER_API weft_compiler_status *
weft_ppl_check(const weft_ppl_program *program);
/* What a tensor holds after the calls so far, of a program that keeps values:
   its elements in the order n, c, h, w, one of less than 8 bits in a byte of
   its own. Lives until the next call. */
WEFT_COMPILER_API weft_compiler_status *
weft_ppl_values(weft_ppl_program *program, int64_t tensor, const void **bytes,
                size_t *size);
/* Ends recording. With `again` not 0 the kernel has asked for several cores and
   is to be recorded once more, for the next one: from the recorder that
   weft_ppl_program_recorder() gives then, with the same allocations. What a run
   reads and writes are those of the first one. */
WEFT_COMPILER_API weft_compiler_status *
weft_ppl_finish(weft_ppl_program *program, int32_t *again);

/* Looks for what a finished program does wrong although what it gives may be
   right: as `weft ppl check` (docs/ppl/kernels.md, Checks). Fails, with one
   line each, at reads of what nothing has written if a result depends on them,
   and at races of cores and of engines; *warnings are the lines of results that
   nobody reads, "" if there are none, and live until the next call. Where a
   read is suspected the program is interpreted on what the memory of `allocate`
   holds now, so ask before the run. */
WEFT_COMPILER_API weft_compiler_status *
weft_ppl_find_faults(weft_ppl_program *program, const char **warnings);

typedef enum weft_ppl_engine {
  WEFT_PPL_EMULATOR = 0,   /* the chip's commands, bit for bit */
  WEFT_PPL_BMRT = 1,       /* the vendor's runtime, in a child process */
  WEFT_PPL_INTERPRETER = 2 /* the meaning of each function; any chip */
} weft_ppl_engine;

typedef struct weft_ppl_run_options {
  /* Set by the caller to sizeof(weft_ppl_run_options). */
  size_t struct_bytes;
  weft_ppl_engine engine;
  /* Path of libbmrt.so; NULL: the environment variable WEFT_BMRT_LIB. */
  const char *bmrt_library;
} weft_ppl_run_options;

/* Runs on what the memory of `allocate` holds now, and writes the results
   there. May be repeated. `options` NULL: the emulator; for a chip without
   commands the interpreter. */
WEFT_COMPILER_API weft_compiler_status *
weft_ppl_run(weft_ppl_program *program, const weft_ppl_run_options *options);

/* The file, with an input or output for every allocation that is read or
   written; lives as long as the program. */
WEFT_COMPILER_API weft_compiler_status *
weft_ppl_bmodel(weft_ppl_program *program, const void **bytes, size_t *size);

/* The same with the lines of the kernel that each command is of, for
   `weft profile`: it names files and holds lines of source. */
WEFT_COMPILER_API weft_compiler_status *
weft_ppl_bmodel_with_lines(weft_ppl_program *program, const void **bytes,
                           size_t *size);

typedef struct weft_ppl_profile {
  /* Set by the caller to sizeof(weft_ppl_profile). */
  size_t struct_bytes;
  uint64_t total_cycles;
  uint64_t cycles_per_second;
  uint64_t tiu_busy_cycles;
  uint64_t gdma_busy_cycles;
  uint64_t dram_read_bytes;
  uint64_t dram_write_bytes;
  /* Bytes of a lane that are in use at most. */
  uint64_t local_bytes;
} weft_ppl_profile;

/* Predicted cost, without running. */
WEFT_COMPILER_API weft_compiler_status *
weft_ppl_program_profile(weft_ppl_program *program, weft_ppl_profile *profile);

/* The commands of the predicted run as JSON, TIU's before GDMA's:

     [{"engine": "tiu", "mnemonic": "arith.add", "file": "kernel.py", "line": 9,
       "start": 1200, "end": 1264, "wait": 8, "critical": true, "macs": 0,
       "compute_cycles": 0, "dram_cycles": 0, "dram_read_bytes": 0,
       "dram_write_bytes": 0}, ..]

   in cycles from the start of the run; `line` is that of the kernel, 0 for what
   belongs to none. compute_cycles and dram_cycles are what the MACs and bytes
   take at the peak of the chip. Lives until the next call. */
WEFT_COMPILER_API weft_compiler_status *
weft_ppl_program_timeline(weft_ppl_program *program, const char **json);

/* What the lines of the kernel cost, as JSON, the most expensive first:

     [{"file": "kernel.py", "line": 9, "start": 1200, "end": 1264,
       "commands": 2, "tiu_cycles": 0, "gdma_cycles": 64, ..}, ..]

   start and end are those of its first and its last command; the other keys are
   those that rows of `weft profile --json` have behind `source`, with the same
   numbers (docs/cli.md). `line` is 0 for what belongs to none. Lives until the
   next call. */
WEFT_COMPILER_API weft_compiler_status *
weft_ppl_program_lines(weft_ppl_program *program, const char **json);

typedef enum weft_ppl_stage {
  WEFT_PPL_FUNCTIONS = 0, /* as recorded */
  WEFT_PPL_COMMANDS = 1   /* the chip's, with addresses */
} weft_ppl_stage;

/* The finished program as text. Lives until the next call. */
WEFT_COMPILER_API weft_compiler_status *weft_ppl_text(weft_ppl_program *program,
                                                      weft_ppl_stage stage,
                                                      const char **text);

/* NULL is fine. */
WEFT_COMPILER_API void weft_ppl_close(weft_ppl_program *program);

/*===-- models ------------------------------------------------------------===*/

/* An array in row-major order that takes the place of an input. The struct does
   not grow: it lies in arrays. */
typedef struct weft_constant {
  const char *name;
  /* TensorProto.DataType of ONNX. */
  int32_t type;
  size_t rank;
  const int64_t *shape;
  const void *data;
} weft_constant;

typedef struct weft_convert_options {
  /* Set by the caller to sizeof(weft_convert_options). */
  size_t struct_bytes;
  /* NULL: the first of weft_ppl_chips(). */
  const char *target;
  /* "f32", "f16", "bf16", "int8", "w8f16" or "w4f16"; NULL: "f32". For "auto"
     see weft_calibrate_choose(). */
  const char *precision;
  /* Path of a calibration table, for int8, f16, w8f16 and w4f16. */
  const char *calibration;
  /* "x=1x3x48x192", one a string, as --shape; NULL if there are none. */
  const char *const *shapes;
  size_t shape_count;
  /* Paths of operator libraries, as --plugin. */
  const char *const *plugins;
  size_t plugin_count;
  /* Not 0: what the chip does not compute is an error. */
  int32_t no_host;
  /* Path of a precision table, as --precision-table; NULL: none. */
  const char *precision_table;
  /* Of int8, not 0: as --keep-int8. */
  int32_t keep_int8;
  /* Of w8f16, w4f16 and such entries of a precision table: weights of one
     scale, a power of two from 16 to 1024, or -1: those of an output channel.
     0: the default of --group-size. */
  int64_t group_size;
  /* Of int8, not 0: as --no-float. */
  int32_t no_float;
  /* As --batch: the first axis of every input that the model leaves open or
     fixes to 1, several as "1..8"; NULL: none. */
  const char *batch;
  /* As --inputs and --outputs, a name a string: values between which the model
     is taken; NULL: its own inputs and outputs. */
  const char *const *inputs;
  size_t input_count;
  const char *const *outputs;
  size_t output_count;
  /* As --bind; NULL: none. */
  const weft_constant *constants;
  size_t constant_count;
  /* As --asymmetric: "auto" or "off"; NULL: its default. */
  const char *asymmetric;
  /* Not 0: as --quantized-io. */
  int32_t quantized_io;
  /* Not 0: as --strip. */
  int32_t strip;
  /* As -O: "0" to "3"; NULL: its default. */
  const char *level;
  /* Of level 3, as --time-limit; 0: its default. */
  double search_seconds;
  /* Of level 3, as --search-cache: a path; NULL: none. */
  const char *search_cache;
} weft_convert_options;

/* An ONNX file to a bmodel, or for the target "zhouyi" to a .zyp program, as
   `weft convert`. *bytes is to be freed with
   weft_compiler_free(). */
WEFT_COMPILER_API weft_compiler_status *
weft_convert(const char *model, const weft_convert_options *options,
             void **bytes, size_t *size);
WEFT_COMPILER_API void weft_compiler_free(void *bytes);

/*===-- calibration -------------------------------------------------------===*/

/* The value ranges of a float graph on samples, for int8. */
typedef struct weft_calibration weft_calibration;

typedef struct weft_calibrate_options {
  /* Set by the caller to sizeof(weft_calibrate_options). */
  size_t struct_bytes;
  /* As --method of `weft calibrate`; NULL: its default. */
  const char *method;
  /* In (0, 100], for the methods "percentile" and "auto" alone; 0: the
     default. */
  double percentile;
  /* As in weft_convert_options, one size for every axis. */
  const char *const *shapes;
  size_t shape_count;
  const char *const *plugins;
  size_t plugin_count;
  /* For weft_calibrate_choose() and weft_calibrate_measure(): so many samples,
     spread evenly over all that are added, stay in memory, and a few times as
     many until then. 0: none. */
  size_t search_samples;
  /* As --recover of `weft calibrate`: "weights" or "off"; NULL: its default. */
  const char *recover;
  /* Not 0: samples are not evaluated when they are added, and there is no
     table; for weft_calibrate_measure() alone. */
  int32_t keep_only;
  /* As --batch: the first axis of every input that the model leaves open or
     fixes to 1, one size; NULL: none. */
  const char *batch;
  /* As --inputs and --outputs, a name a string: values between which the model
     is taken; NULL: its own inputs and outputs. */
  const char *const *inputs;
  size_t input_count;
  const char *const *outputs;
  size_t output_count;
  /* As --bind; NULL: none. */
  const weft_constant *constants;
  size_t constant_count;
} weft_calibrate_options;

/* Imports the ONNX file `model`. */
WEFT_COMPILER_API weft_compiler_status *
weft_calibrate_open(const char *model, const weft_calibrate_options *options,
                    weft_calibration **calibration);

typedef struct weft_calibrate_input_facts {
  /* Set by the caller to sizeof(weft_calibrate_input_facts). */
  size_t struct_bytes;
  const char *name;
  /* TensorProto.DataType of ONNX. */
  int32_t type;
  size_t rank;
  const int64_t *shape;
  /* Of one sample's tensor. */
  size_t bytes;
} weft_calibrate_input_facts;

WEFT_COMPILER_API size_t
weft_calibrate_input_count(const weft_calibration *calibration);
/* Strings and shape live as long as the calibration. */
WEFT_COMPILER_API weft_compiler_status *
weft_calibrate_input(const weft_calibration *calibration, size_t index,
                     weft_calibrate_input_facts *facts);

/* Evaluates the graph on one sample: for each input, in order, its elements in
   row-major order. After a failure the sample may be counted in part: close. */
WEFT_COMPILER_API weft_compiler_status *
weft_calibrate_add(weft_calibration *calibration, const void *const *data);

/* The table as `weft calibrate` writes it; lives until the next call. At least
   one sample must have been added. */
WEFT_COMPILER_API weft_compiler_status *
weft_calibrate_table(weft_calibration *calibration, const char **text);

/* What is odd about the samples and about the table that was given last, a line
   each; "" if nothing is. Lives until the next call. */
WEFT_COMPILER_API weft_compiler_status *
weft_calibrate_warnings(weft_calibration *calibration, const char **text);

typedef struct weft_choose_options {
  /* Set by the caller to sizeof(weft_choose_options). */
  size_t struct_bytes;
  /* NULL: the first of weft_ppl_chips(). */
  const char *target;
  /* What the worst output must reach: a cosine in (0, 1], or a signal to noise
     in dB; 0: not that. None of them and no score: a cosine of 0.998. */
  double target_cosine, target_sqnr;
  /* How good a bmodel is, higher is better, in place of the two; NULL: not
     asked. Gives 0, or a failure that ends the search. Called by the thread of
     weft_calibrate_choose(). */
  int32_t (*score)(void *context, const void *bmodel, size_t size,
                   double *score);
  double target_score;
  /* Floats for at most this share of the multiplications, in (0, 1]; 0: any. */
  double max_float_macs;
  /* Called after each measured program, by any thread, one at a time; NULL: not
     called. */
  void (*progress)(void *context, size_t done, size_t about);
  void *context;
  /* Path of the file that keeps what was measured, as --resume; NULL: none. */
  const char *log;
} weft_choose_options;

/* `--precision auto` on the samples that options->search_samples of
   weft_calibrate_open() has kept: which products of an int8 program are worth
   floats. *table is the text for --precision-table and
   weft_convert_options.precision_table, NULL if no mix reaches the goal;
   *report is JSON: the measured programs as `weft convert --json` gives them,
   and "miss", why the goal is missed, or "". Both live until the next call. */
WEFT_COMPILER_API weft_compiler_status *
weft_calibrate_choose(weft_calibration *calibration,
                      const weft_choose_options *options, const char **table,
                      const char **report);

/* How close a bmodel of the model is to its float graph on the samples that
   options->search_samples of weft_calibrate_open() has kept. *report is JSON:
   "samples", how many they were; "accuracy", as `weft convert --json` gives it,
   null if the program does not run them, and for a .zyp program, which is not
   measured; "warnings", what `weft convert` warns of, an array of lines. Lives
   until the next call. */
WEFT_COMPILER_API weft_compiler_status *
weft_calibrate_measure(weft_calibration *calibration, const void *bytes,
                       size_t size, const char **report);

/* NULL is fine. */
WEFT_COMPILER_API void weft_calibrate_close(weft_calibration *calibration);

#ifdef __cplusplus
}
#endif

#endif /* WEFT_TOOLS_CAPI_WEFT_COMPILER_H */
