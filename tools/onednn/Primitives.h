//===- Primitives.h - owned objects of oneDNN -------------------*- C++ -*-===//
//
// The C interface: the C++ one throws.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_ONEDNN_PRIMITIVES_H
#define WEFT_TOOLS_ONEDNN_PRIMITIVES_H

#include <cstdint>
#include <memory>
#include <oneapi/dnnl/dnnl.h>
#include <vector>

namespace weft::tools::onednn {

template <auto destroy>
struct Destroy {
  template <typename T>
  void operator()(T *object) const {
    destroy(object);
  }
};
using Engine = std::unique_ptr<dnnl_engine, Destroy<dnnl_engine_destroy>>;
using Stream = std::unique_ptr<dnnl_stream, Destroy<dnnl_stream_destroy>>;
using Memory = std::unique_ptr<dnnl_memory, Destroy<dnnl_memory_destroy>>;
using Primitive =
    std::unique_ptr<dnnl_primitive, Destroy<dnnl_primitive_destroy>>;
using PrimitiveDesc =
    std::unique_ptr<dnnl_primitive_desc, Destroy<dnnl_primitive_desc_destroy>>;
using PrimitiveAttr =
    std::unique_ptr<dnnl_primitive_attr, Destroy<dnnl_primitive_attr_destroy>>;

/// Bytes for a tensor in a layout of oneDNN's; only ever grows.
using Buffer = std::vector<uint8_t>;

/// What one call of oneDNN works with. One a thread.
struct Workspace {
  Stream stream;
  Buffer input, output, scratch;
};

/// A convolution of one shape with constant filters, which it holds in the
/// layout that it reads. Tensors come and go row-major; bias may be null.
class Convolution {
public:
  struct Shape {
    std::vector<dnnl_dim_t> input, filter, output; ///< filter with a group axis
    std::vector<dnnl_dim_t> strides, dilations, padsBefore, padsAfter;
  };

  /// False if oneDNN cannot compute it.
  bool prepare(dnnl_engine_t engine, dnnl_stream_t stream, const Shape &shape,
               const float *filter, bool hasBias);
  /// False if oneDNN fails. May be called by several threads at once.
  bool run(dnnl_engine_t engine, Workspace &workspace, const float *input,
           const float *bias, float *output) const;

private:
  bool describe(dnnl_engine_t engine, const Shape &shape, bool hasBias);
  bool prepareReorders(dnnl_engine_t engine);
  bool reorderFilter(dnnl_engine_t engine, dnnl_stream_t stream,
                     const Shape &shape, const float *filter);

  PrimitiveDesc description;
  Primitive primitive;
  Primitive orderInput, orderOutput; ///< null: the layout is row-major
  dnnl_memory_desc_t rowMajorInput, rowMajorOutput, bias;
  Buffer filterBytes;
};

} // namespace weft::tools::onednn

#endif // WEFT_TOOLS_ONEDNN_PRIMITIVES_H
