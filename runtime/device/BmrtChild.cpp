#include "runtime/device/BmrtChild.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <unistd.h>

namespace weft::rt {

namespace {

// The binary interface of libbmrt and libbmlib, as their public manual
// describes it: sizes 24, 36 and 72 bytes.
struct DeviceMemory {
  uint64_t address;
  uint32_t reserved;
  int32_t file;
  uint32_t flags;
  uint32_t size;
};
struct BmrtShape {
  int32_t rank;
  int32_t dims[8];
};
struct BmrtTensor {
  int32_t type;
  BmrtShape shape;
  DeviceMemory memory;
  int32_t storeMode;
};
static_assert(sizeof(DeviceMemory) == 24 && sizeof(BmrtShape) == 36 &&
                  sizeof(BmrtTensor) == 72,
              "layouts are libbmrt's");

using Handle = void *;

/// Functions of the two libraries.
struct Library {
  int (*devRequest)(Handle *, int);
  void (*devFree)(Handle);
  int (*mallocDevice)(Handle, DeviceMemory *, unsigned);
  void (*freeDevice)(Handle, DeviceMemory);
  int (*copyToDevice)(Handle, DeviceMemory, void *);
  int (*copyFromDevice)(Handle, void *, DeviceMemory);
  int (*sync)(Handle);
  void *(*create)(Handle);
  void (*destroy)(void *);
  bool (*loadModel)(void *, const void *, size_t);
  bool (*launch)(void *, const char *, const BmrtTensor *, int, BmrtTensor *,
                 int);
};

/// The child's state; lives until the process ends.
class Server {
public:
  explicit Server(const BmrtTask &task)
      : task(task), offsets(tensorOffsets(*task.stage)) {}

  Status start();
  Status run();
  void close();
  double launchSeconds() const { return theLaunchSeconds; }

private:
  Status openLibraries();
  Status copyInputs();
  Status copyOutputs();

  const BmrtTask &task;
  std::vector<size_t> offsets;
  Library lib = {};
  Handle handle = nullptr;
  void *runtime = nullptr;
  std::vector<BmrtTensor> inputs;
  std::vector<BmrtTensor> outputs;
  double theLaunchSeconds = 0;
};

} // namespace

std::vector<size_t> tensorOffsets(const StageSpec &stage) {
  constexpr size_t kAlign = 64;
  std::vector<size_t> offsets;
  size_t next = sizeof(BmrtShared);
  for (const auto *tensors : {&stage.inputs, &stage.outputs})
    for (const TensorSpec &tensor : *tensors) {
      offsets.push_back(next);
      next += (tensor.storedBytes + kAlign - 1) / kAlign * kAlign;
    }
  offsets.push_back(next);
  return offsets;
}

static Status openFailure(const char *path) {
  const char *reason = ::dlerror();
  return failf(Code::DeviceNotFound, "cannot open %s: %s", path,
               reason ? reason : "unknown reason");
}

template <typename Function>
static bool findSymbol(void *library, const char *name, Function &function,
                       std::string &missing) {
  void *symbol = ::dlsym(library, name);
  if (!symbol)
    missing = name;
  // POSIX's way of turning an object pointer into a function pointer.
  std::memcpy(&function, &symbol, sizeof symbol);
  return symbol != nullptr;
}

Status Server::openLibraries() {
  std::string path = task.library;
  size_t slash = path.rfind('/');
  std::string folder =
      slash == std::string::npos ? "" : path.substr(0, slash + 1);
  void *base =
      ::dlopen((folder + "libbmlib.so.0").c_str(), RTLD_NOW | RTLD_GLOBAL);
  void *bmrt = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!bmrt)
    return openFailure(path.c_str());
  // libbmrt may have brought it along by its own run path.
  if (!base)
    base = ::dlopen("libbmlib.so.0", RTLD_NOW | RTLD_GLOBAL);
  if (!base)
    return openFailure("libbmlib.so.0");
  std::string missing;
  bool found =
      findSymbol(base, "bm_dev_request", lib.devRequest, missing) &&
      findSymbol(base, "bm_dev_free", lib.devFree, missing) &&
      findSymbol(base, "bm_malloc_device_byte", lib.mallocDevice, missing) &&
      findSymbol(base, "bm_free_device", lib.freeDevice, missing) &&
      findSymbol(base, "bm_memcpy_s2d", lib.copyToDevice, missing) &&
      findSymbol(base, "bm_memcpy_d2s", lib.copyFromDevice, missing) &&
      findSymbol(base, "bm_thread_sync", lib.sync, missing) &&
      findSymbol(bmrt, "bmrt_create", lib.create, missing) &&
      findSymbol(bmrt, "bmrt_destroy", lib.destroy, missing) &&
      findSymbol(bmrt, "bmrt_load_bmodel_data", lib.loadModel, missing) &&
      findSymbol(bmrt, "bmrt_launch_tensor", lib.launch, missing);
  if (!found)
    return failf(Code::DeviceNotFound, "%s has no function %s; is it libbmrt?",
                 path.c_str(), missing.c_str());
  return Status::ok();
}

Status Server::start() {
  WEFT_TRY(openLibraries());
  if (lib.devRequest(&handle, 0) != 0)
    return fail(Code::DeviceRefused, "libbmlib finds no device 0");
  runtime = lib.create(handle);
  if (!runtime)
    return fail(Code::DeviceRefused, "libbmrt cannot be created");
  if (!lib.loadModel(runtime, task.model.data, task.model.size))
    return fail(Code::DeviceRefused, "libbmrt refuses the model");
  for (const TensorSpec &spec : task.stage->inputs) {
    BmrtTensor tensor = {};
    tensor.type = int32_t(*storedAs(spec.storedType));
    tensor.shape.rank = int32_t(spec.storedShape.size());
    for (size_t i = 0; i < spec.storedShape.size(); ++i)
      tensor.shape.dims[i] = int32_t(spec.storedShape[i]);
    if (lib.mallocDevice(handle, &tensor.memory, unsigned(spec.storedBytes)) !=
        0)
      return fail(Code::DeviceRefused, "no device memory for the inputs");
    inputs.push_back(tensor);
  }
  outputs.resize(task.stage->outputs.size());
  return Status::ok();
}

Status Server::copyInputs() {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (lib.copyToDevice(handle, inputs[i].memory, task.shared + offsets[i]) !=
        0)
      return fail(Code::DeviceRefused, "cannot copy the inputs to the device");
  return Status::ok();
}

Status Server::copyOutputs() {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorSpec &spec = task.stage->outputs[i];
    uint64_t elements = 1;
    for (int d = 0; d < outputs[i].shape.rank && d < 8; ++d)
      elements *= uint64_t(outputs[i].shape.dims[d]);
    if (outputs[i].type != int32_t(*storedAs(spec.storedType)) ||
        elements != uint64_t(spec.elements))
      return failf(Code::DeviceRefused,
                   "libbmrt gave another shape or type for output %zu", i);
    DeviceMemory memory = outputs[i].memory;
    memory.size = uint32_t(spec.storedBytes);
    if (lib.copyFromDevice(handle, task.shared + offsets[inputs.size() + i],
                           memory) != 0)
      return fail(Code::DeviceRefused,
                  "cannot copy the outputs from the device");
  }
  return Status::ok();
}

Status Server::run() {
  WEFT_TRY(copyInputs());
  // Launching allocates the outputs; nothing of the last run may remain.
  std::memset(outputs.data(), 0, outputs.size() * sizeof(BmrtTensor));
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  if (!lib.launch(runtime, task.net->name.c_str(), inputs.data(),
                  int(inputs.size()), outputs.data(), int(outputs.size())) ||
      lib.sync(handle) != 0)
    return fail(Code::DeviceRefused, "libbmrt could not run the model");
  theLaunchSeconds =
      std::chrono::duration<double>(Clock::now() - begin).count();
  Status status = copyOutputs();
  for (const BmrtTensor &tensor : outputs)
    lib.freeDevice(handle, tensor.memory);
  return status;
}

void Server::close() {
  for (const BmrtTensor &tensor : inputs)
    lib.freeDevice(handle, tensor.memory);
  lib.destroy(runtime);
  lib.devFree(handle);
}

static void answer(const BmrtTask &task, const Status &status,
                   double launchSeconds = 0) {
  BmrtShared reply = {};
  reply.launchSeconds = launchSeconds;
  reply.code = int32_t(status.code());
  std::snprintf(reply.message, sizeof reply.message, "%s",
                status.message().c_str());
  std::memcpy(task.shared, &reply, sizeof reply);
  char byte = 0;
  if (::write(task.channel, &byte, 1) != 1)
    ::_exit(1);
}

void serveBmrt(const BmrtTask &task) {
  Server server(task);
  Status status = server.start();
  answer(task, status);
  if (!status)
    ::_exit(0);
  for (;;) {
    char request = 0;
    if (::read(task.channel, &request, 1) != 1)
      ::_exit(0);
    if (request == kBmrtQuit) {
      server.close();
      answer(task, Status::ok());
      ::_exit(0);
    }
    Status result = server.run();
    answer(task, result, server.launchSeconds());
  }
}

} // namespace weft::rt
