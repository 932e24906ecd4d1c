// Stands for libbmrt.so and libbmlib.so.0 in tests: "runs" a model by copying
// the first input to the first output. The environment variable FAKE_BMRT says
// how to fail.
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

namespace {

struct Memory {
  uint64_t address;
  uint32_t reserved;
  int32_t file;
  uint32_t flags;
  uint32_t size;
};
struct Shape {
  int32_t rank;
  int32_t dims[8];
};
struct Tensor {
  int32_t type;
  Shape shape;
  Memory memory;
  int32_t storeMode;
};

bool asked(const char *what) {
  const char *mode = std::getenv("FAKE_BMRT");
  return mode && std::string(mode) == what;
}

} // namespace

extern "C" {

int bm_dev_request(void **handle, int) {
  static int device;
  *handle = &device;
  return asked("no device");
}
void bm_dev_free(void *) {}
int bm_malloc_device_byte(void *, Memory *memory, unsigned size) {
  memory->address = reinterpret_cast<uint64_t>(std::malloc(size));
  memory->size = size;
  return 0;
}
void bm_free_device(void *, Memory memory) {
  std::free(reinterpret_cast<void *>(memory.address));
}
int bm_memcpy_s2d(void *, Memory to, void *from) {
  std::memcpy(reinterpret_cast<void *>(to.address), from, to.size);
  return 0;
}
int bm_memcpy_d2s(void *, void *to, Memory from) {
  std::memcpy(to, reinterpret_cast<void *>(from.address), from.size);
  return 0;
}
int bm_thread_sync(void *) { return 0; }

void *bmrt_create(void *handle) {
  std::puts("[BMRT] noise on stdout");
  std::fputs("[BMRT] noise on stderr\n", stderr);
  return handle;
}
void bmrt_destroy(void *) {
  while (asked("hang at the end"))
    ::pause();
}
bool bmrt_load_bmodel_data(void *, const void *, size_t) {
  if (asked("refuse"))
    std::puts("bmodel is broken\n");
  while (asked("hang at load"))
    ::pause();
  if (asked("die after load"))
    ::ualarm(50000, 0); // SIGALRM ends the idle process
  return !asked("refuse");
}
bool bmrt_launch_tensor(void *, const char *, const Tensor *inputs, int,
                        Tensor *outputs, int) {
  if (asked("abort")) {
    std::fputs("assertion failed: no such command\n", stderr);
    std::abort();
  }
  if (asked("exit"))
    std::exit(233);
  while (asked("hang"))
    ::pause();
  outputs[0] = inputs[0];
  bm_malloc_device_byte(nullptr, &outputs[0].memory, inputs[0].memory.size);
  std::memcpy(reinterpret_cast<void *>(outputs[0].memory.address),
              reinterpret_cast<void *>(inputs[0].memory.address),
              inputs[0].memory.size);
  static int launches = 0;
  if (++launches > 2 && asked("drift")) // what was right goes wrong
    *reinterpret_cast<float *>(outputs[0].memory.address) += 1;
  if (asked("other shape"))
    outputs[0].shape.dims[1] = 3;
  return !asked("launch fails");
}
}
