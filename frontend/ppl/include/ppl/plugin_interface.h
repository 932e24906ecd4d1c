/*===- plugin_interface.h - libraries of ONNX operators ---------*- C -*-===*/

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_PLUGIN_INTERFACE_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_PLUGIN_INTERFACE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the compiler and a library for `weft convert --plugin` know of each
 * other. In C++ include ppl/plugin.h instead, which wraps this. */

/* Raised when a struct below changes other than by new fields at its end. */
#define WEFT_PLUGIN_VERSION 1

/* Element types beside those of data_type_t (PPL 4.1), in the shape function
 * only. */
enum { WEFT_PLUGIN_BOOL = 100, WEFT_PLUGIN_DOUBLE = 101 };

/* An input or output of a node. */
typedef struct weft_plugin_tensor {
  int32_t type;         /* 0: left out */
  int32_t rank;         /* of the ONNX graph */
  const int64_t *shape; /* `rank` sizes */
  /* infer: the values if they are constant, else null. reference: the values.
   * kernel: an address for gtensor. Dense, row-major. */
  void *memory;
} weft_plugin_tensor;

/* An attribute of a node; single values are lists of one. */
enum {
  WEFT_PLUGIN_INTEGERS = 1,
  WEFT_PLUGIN_FLOATS = 2,
  WEFT_PLUGIN_TEXTS = 3
};
typedef struct weft_plugin_attribute {
  const char *name;
  int32_t kind;
  int32_t count;
  const int64_t *integers;
  const double *floats;
  const char *const *texts;
} weft_plugin_attribute;

typedef struct weft_plugin_node {
  uint32_t bytes; /* sizeof(weft_plugin_node) of the compiler's side */
  int64_t opset;  /* of the operator's domain */
  int32_t inputs, outputs, attributes;
  const weft_plugin_tensor *input;
  const weft_plugin_tensor *output; /* infer: of type 0 */
  const weft_plugin_attribute *attribute;
  void *self;
  /* infer: describes an output. */
  void (*describe)(void *self, int32_t output, int32_t type, int32_t rank,
                   const int64_t *shape);
  /* Says why the node cannot be. */
  void (*fail)(void *self, const char *message);
} weft_plugin_node;

typedef struct weft_plugin_operator {
  uint32_t bytes; /* sizeof(weft_plugin_operator) of the plugin's side */
  uint32_t version;
  const char *domain; /* "" is ONNX's own */
  const char *name;
  int64_t first_opset, last_opset; /* of the domain, both included */
  const int32_t *types;            /* float types of the kernel */
  int32_t type_count;
  void (*infer)(const weft_plugin_node *node);
  void (*reference)(const weft_plugin_node *node);
  void (*kernel)(const weft_plugin_node *node);
  const struct weft_plugin_operator *next;
} weft_plugin_operator;

/* Every plugin exports this: its operators, a linked list. */
const weft_plugin_operator *weft_plugin_operators(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* WEFT_FRONTEND_PPL_INCLUDE_PPL_PLUGIN_INTERFACE_H */
