#include "tests/oracle/emulator/VendorEmulator.h"

#include "runtime/emulator/StaticTables.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::oracle {

struct VendorEmulator::Mailbox {
  uint8_t command[256]; // zero padded: the vendor reads beyond a short command
  unsigned engine;
  Difference difference;
};

namespace {

constexpr int kTimeLimitMs = 30000;

/// What get_local_mem returns.
struct VendorLocalMemory {
  uint8_t *raw;
  void *rows;
  int32_t lanes, laneBytes, align, owned;
};

struct VendorLibrary {
  int (*init)(int, long long) = nullptr;
  int (*executeCommand)(int, void *, unsigned) = nullptr;
  VendorLocalMemory *(*localMemory)(int) = nullptr;
  void *(*staticMemory)(int) = nullptr;
  void *(*globalMemory)(int) = nullptr;

  bool open(const std::string &path) {
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return false;
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(
          dlsym(library, name));
      return function != nullptr;
    };
    return find(init, "cmodel_init") &&
           find(executeCommand, "execute_command") &&
           find(localMemory, "get_local_mem") &&
           find(staticMemory, "get_static_memaddr_by_node") &&
           find(globalMemory, "get_global_memaddr");
  }
};

std::string libraryPath() {
  const char *directory = std::getenv("TPU_MLIR_DIR");
  if (!directory || !*directory)
    directory = WEFT_TPU_MLIR_DIR;
  return std::string(directory) + "/lib/libcmodel_bm1684x.so";
}

void addDifference(Difference &difference, const uint8_t *shared,
                   const uint8_t *vendor, size_t at, size_t bytes) {
  if (std::memcmp(shared + at, vendor + at, bytes) == 0)
    return;
  for (size_t i = at; i < at + bytes; ++i)
    if (shared[i] != vendor[i]) {
      if (!difference.found)
        difference.address = i;
      difference.found = true;
      ++difference.count;
    }
}

} // namespace

VendorEmulator::VendorEmulator(std::string &error) {
  void *mapped =
      mmap(nullptr, kLocalBytes + kGlobalBytes + sizeof(Mailbox),
           PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    error = "no shared memory";
    return;
  }
  memory = static_cast<uint8_t *>(mapped);
  mailbox = reinterpret_cast<Mailbox *>(memory + kLocalBytes + kGlobalBytes);
  signal(SIGPIPE, SIG_IGN);
  start(error);
}

VendorEmulator::~VendorEmulator() { stop(); }

bool VendorEmulator::start(std::string &error) {
  std::string path = libraryPath();
  if (access(path.c_str(), R_OK) != 0) {
    error = "the vendor's emulator is not at " + path +
            "; set TPU_MLIR_DIR to the tpu_mlir package (scripts/setup "
            "installs it)";
    return false;
  }
  int down[2], up[2];
  if (pipe(down) != 0 || pipe(up) != 0) {
    error = "no pipe";
    return false;
  }
  child = fork();
  if (child == 0) {
    close(down[1]);
    close(up[0]);
    int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    dup2(null, 2);
    VendorLibrary vendor;
    if (!vendor.open(path) || vendor.init(0, 64 << 20) != 0)
      _exit(3);
    uint8_t *local = vendor.localMemory(0)->raw;
    auto *global = static_cast<uint8_t *>(vendor.globalMemory(0));
    std::memcpy(vendor.staticMemory(0), emulator::staticTables().data(),
                sizeof(emulator::StaticTables));
    char request = 'r';
    do {
      if (request == 'l') {
        std::memcpy(local, memory, kLocalBytes);
        std::memcpy(global, memory + kLocalBytes, kGlobalBytes);
      } else if (request == 'x') {
        vendor.executeCommand(0, mailbox->command, mailbox->engine);
      } else if (request == 'c' || request == 'a') {
        mailbox->difference = {};
        size_t begin = request == 'a' ? 0 : kResultBegin,
               end = request == 'a' ? kLaneStride : kResultEnd;
        for (size_t lane = 0; lane < kLocalBytes / kLaneStride; ++lane)
          addDifference(mailbox->difference, memory, local,
                        lane * kLaneStride + begin, end - begin);
        addDifference(mailbox->difference, memory, global - kLocalBytes,
                      kLocalBytes, kGlobalBytes);
        if (mailbox->difference.found) {
          std::memcpy(memory, local, kLocalBytes);
          std::memcpy(memory + kLocalBytes, global, kGlobalBytes);
        }
      }
      if (write(up[1], &request, 1) != 1)
        _exit(0);
    } while (read(down[0], &request, 1) == 1);
    _exit(0);
  }
  close(down[0]);
  close(up[1]);
  toChild = down[1];
  fromChild = up[0];
  char answer;
  pollfd wait{fromChild, POLLIN, 0};
  if (child < 0 || poll(&wait, 1, kTimeLimitMs) != 1 ||
      read(fromChild, &answer, 1) != 1) {
    error = "the vendor's emulator at " + path + " does not start";
    stop();
    return false;
  }
  return true;
}

void VendorEmulator::stop() {
  if (toChild >= 0)
    close(toChild);
  if (fromChild >= 0)
    close(fromChild);
  toChild = fromChild = -1;
  if (child > 0) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  child = -1;
}

bool VendorEmulator::call(char request) {
  if (child <= 0 || write(toChild, &request, 1) != 1)
    return false;
  pollfd wait{fromChild, POLLIN, 0};
  char answer;
  return poll(&wait, 1, kTimeLimitMs) == 1 && read(fromChild, &answer, 1) == 1;
}

bool VendorEmulator::load() { return call('l'); }

bool VendorEmulator::execute(isa::Engine engine, const uint8_t *command,
                             size_t bytes) {
  std::memset(mailbox->command, 0, sizeof(mailbox->command));
  std::memcpy(mailbox->command, command, bytes < 256 ? bytes : 256);
  mailbox->engine = engine == isa::Engine::Tiu ? 0 : 1;
  if (call('x'))
    return true;
  stop();
  std::string error;
  if (start(error))
    load();
  return false;
}

Difference VendorEmulator::compare(bool everything) {
  mailbox->difference = {};
  if (!call(everything ? 'a' : 'c'))
    mailbox->difference.found = true;
  return mailbox->difference;
}

} // namespace weft::oracle
