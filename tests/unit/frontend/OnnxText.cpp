//===- OnnxText.cpp - small models for the importer's tests ---------------===//

#include "tests/unit/frontend/OnnxText.h"

#include "onnx/defs/parser.h"
#include "onnx/onnx_pb.h"
#include "tools/driver/Diagnostics.h"
#include "gtest/gtest.h"

using namespace weft;

std::string test::onnxBytes(const std::string &text) {
  ::onnx::ModelProto model;
  ::onnx::OnnxParser parser(text.c_str());
  auto status = parser.Parse(model);
  EXPECT_TRUE(status.IsOK()) << status.ErrorMessage() << "\n" << text;
  // The text format has no node names; give those that messages will show.
  for (int i = 0; i < model.graph().node_size(); ++i) {
    auto *node = model.mutable_graph()->mutable_node(i);
    if (node->name().empty())
      node->set_name("n" + std::to_string(i));
  }
  return status.IsOK() ? model.SerializeAsString() : "";
}

std::string test::onnxGraph(int opset, const std::string &graph) {
  return onnxBytes("<ir_version: 8, opset_import: [\"\" : " +
                   std::to_string(opset) + "]> g " + graph);
}

static ::onnx::ModelProto parsed(const std::string &bytes) {
  ::onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(bytes));
  return model;
}

std::string test::withExternalTensor(const std::string &bytes,
                                     const ExternalTensor &tensor) {
  ::onnx::ModelProto model = parsed(bytes);
  auto *proto = model.mutable_graph()->add_initializer();
  proto->set_name("w");
  proto->set_data_type(1);
  proto->add_dims(4);
  proto->set_data_location(::onnx::TensorProto::EXTERNAL);
  auto add = [&](const char *key, const std::string &value) {
    if (value.empty())
      return;
    auto *entry = proto->add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  };
  add("location", tensor.location);
  add("offset", tensor.offset);
  add("length", tensor.length);
  return model.SerializeAsString();
}

std::string test::withInitializer(const std::string &bytes, int type,
                                  const std::vector<int64_t> &dims,
                                  const std::string &raw) {
  ::onnx::ModelProto model = parsed(bytes);
  auto *proto = model.mutable_graph()->add_initializer();
  proto->set_name("w");
  proto->set_data_type(type);
  for (int64_t dim : dims)
    proto->add_dims(dim);
  proto->set_raw_data(raw);
  return model.SerializeAsString();
}

std::string test::withSparseInitializer(const std::string &bytes,
                                        const std::string &name) {
  ::onnx::ModelProto model = parsed(bytes);
  model.mutable_graph()->add_sparse_initializer()->mutable_values()->set_name(
      name);
  return model.SerializeAsString();
}

std::string test::nestedModel(int depth) {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  ::onnx::GraphProto *graph = model.mutable_graph();
  for (int i = 0; i < depth; ++i) {
    auto *attribute = graph->add_node()->add_attribute();
    attribute->set_type(::onnx::AttributeProto::GRAPH);
    graph = attribute->mutable_g();
  }
  return model.SerializeAsString();
}

template <typename Import>
static test::Imported runImport(const test::Shapes &shapes, Import import) {
  test::Imported result;
  result.context = std::make_unique<mlir::MLIRContext>(
      mlir::MLIRContext::Threading::DISABLED);
  llvm::raw_string_ostream stream(result.messages);
  driver::DiagnosticPrinter printer(*result.context, stream);
  weft::onnx::ImportOptions options;
  options.shapes = shapes;
  options.titles = &printer.titles;
  result.module = import(options, *result.context);
  EXPECT_EQ(printer.errors() == 0, bool(result.module));
  if (result.module) {
    llvm::raw_string_ostream text(result.text);
    result.module->print(text);
  }
  return result;
}

test::Imported test::importBytes(const std::string &bytes,
                                 const Shapes &shapes) {
  return runImport(shapes, [&](const auto &options, auto &context) {
    return weft::onnx::importOnnxBytes(
        llvm::ArrayRef(bytes.data(), bytes.size()), "m.onnx", options, context);
  });
}

test::Imported test::importSelecting(const std::string &bytes) {
  return runImport({}, [&](auto options, auto &context) {
    options.selectsBranches = true;
    return weft::onnx::importOnnxBytes(
        llvm::ArrayRef(bytes.data(), bytes.size()), "m.onnx", options, context);
  });
}

test::Imported
test::importBound(const std::string &bytes,
                  const std::map<std::string, numeric::HostTensor> &bindings,
                  const Shapes &shapes) {
  return runImport(shapes, [&](auto options, auto &context) {
    options.bindings = bindings;
    return weft::onnx::importOnnxBytes(
        llvm::ArrayRef(bytes.data(), bytes.size()), "m.onnx", options, context);
  });
}

test::Imported test::importFile(const std::string &path, const Shapes &shapes) {
  return runImport(shapes, [&](const auto &options, auto &context) {
    return weft::onnx::importOnnxFile(path, options, context);
  });
}

std::string test::failure(const std::string &bytes, const Shapes &shapes) {
  Imported result = importBytes(bytes, shapes);
  EXPECT_FALSE(result.module) << result.text;
  return result.messages;
}
