#include "tests/oracle/emulator/VendorEmulator.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::oracle {
namespace {

constexpr int kStartLimitMs = 60000, kCommandLimitMs = 20000;
constexpr size_t kPage = 4096;

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
  void *(*l2Memory)(int) = nullptr;

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
           find(globalMemory, "get_global_memaddr") &&
           find(l2Memory, "get_l2_sram");
  }
};
VendorLibrary vendor;

std::string libraryPath() {
  const char *directory = std::getenv("TPU_MLIR_DIR");
  if (!directory || !*directory)
    directory = WEFT_TPU_MLIR_DIR;
  return std::string(directory) + "/lib/libcmodel_bm1684x.so";
}

} // namespace

/// In memory that all three processes see. The vendor's memories start anywhere
/// in a page, hence a page more for each.
struct VendorEmulator::Shared {
  uint8_t localPages[kLocalBytes + kPage];
  uint8_t globalPages[kGlobalBytes + kPage];
  uint8_t l2Pages[kL2Bytes + kPage];
  size_t localOffset, globalOffset, l2Offset; ///< of the memory in its pages
  uint8_t statics[kStaticBytes]; ///< a copy: the vendor's lies in its heap
  uint8_t command[256]; // zero padded: the vendor reads beyond a short command
  unsigned engine;
};

/// What the nursery tells.
struct VendorEmulator::Notice {
  enum { Ready, Failed, Started, Ended } what;
  int value; ///< Started: process id; Ended: status of waitpid
};

VendorEmulator::VendorEmulator(std::string &error) {
  std::string path = libraryPath();
  if (access(path.c_str(), R_OK) != 0) {
    error = "the vendor's emulator is not at " + path +
            "; set TPU_MLIR_DIR to the tpu_mlir package (scripts/setup "
            "installs it)";
    return;
  }
  signal(SIGPIPE, SIG_IGN);
  Notice notice;
  if (!startNursery(path) || !readNotice(notice, kStartLimitMs) ||
      notice.what != Notice::Ready)
    error = "the vendor's emulator at " + path + " does not start";
}

VendorEmulator::~VendorEmulator() {
  for (pid_t process : {worker, nursery})
    if (process > 0)
      kill(process, SIGKILL);
  if (nursery > 0)
    waitpid(nursery, nullptr, 0);
  for (int *ends : {toNursery, fromNursery, toWorker, fromWorker})
    for (int end : {0, 1})
      if (ends[end] >= 0)
        close(ends[end]);
  if (shared)
    munmap(shared, sizeof(Shared));
  if (file >= 0)
    close(file);
}

uint8_t *VendorEmulator::memory(Area area) {
  switch (area) {
  case Area::Local:
    return shared->localPages + shared->localOffset;
  case Area::Static:
    return shared->statics;
  case Area::L2:
    return shared->l2Pages + shared->l2Offset;
  default:
    return shared->globalPages + shared->globalOffset;
  }
}

bool VendorEmulator::startNursery(const std::string &path) {
  file = memfd_create("vendor-memory", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, sizeof(Shared)) != 0)
    return false;
  void *mapped = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                      MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED)
    return false;
  shared = static_cast<Shared *>(mapped);
  for (int *ends : {toNursery, fromNursery, toWorker, fromWorker})
    if (pipe(ends) != 0)
      return false;
  nursery = fork();
  if (nursery == 0)
    runNursery(path);
  return nursery > 0;
}

/// Puts the shared pages of `file` at `offset` in place of those at `memory`;
/// returns where the memory starts in them.
static size_t replacePages(uint8_t *memory, size_t bytes, int file,
                           size_t offset, uint8_t *seenHere, bool &good) {
  size_t inPage = reinterpret_cast<uintptr_t>(memory) % kPage;
  good &= inPage == 2 * sizeof(size_t); // a block of its own pages
  uint8_t *page = memory - inPage;
  std::memcpy(seenHere, page, bytes + kPage); // allocator's words included
  good &= mmap(page, bytes + kPage, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_FIXED, file, off_t(offset)) != MAP_FAILED;
  return inPage;
}

/// Free blocks of the heap that this process was forked with would hold the
/// smallest of the memories; afterwards there are none of its size.
static void takeLargeFreeBlocks() {
  for (;;) {
    const size_t mapped = mallinfo2().hblks;
    void *block = std::malloc(kL2Bytes);
    if (!block || mallinfo2().hblks != mapped)
      return std::free(block);
  }
}

void VendorEmulator::runNursery(const std::string &path) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    signal(number, SIG_DFL); // a crash is to be seen as one
  int null = open("/dev/null", O_WRONLY);
  dup2(null, 1);
  dup2(null, 2);
  // The memories must not share pages with other blocks of the heap: by default
  // the threshold grows when our own large blocks are freed.
  mallopt(M_MMAP_THRESHOLD, 1 << 17);
  takeLargeFreeBlocks();
  bool good = vendor.open(path) && vendor.init(0, 64 << 20) == 0;
  if (good) {
    shared->localOffset =
        replacePages(vendor.localMemory(0)->raw, kLocalBytes, file,
                     offsetof(Shared, localPages), shared->localPages, good);
    shared->globalOffset = replacePages(
        static_cast<uint8_t *>(vendor.globalMemory(0)), kGlobalBytes, file,
        offsetof(Shared, globalPages), shared->globalPages, good);
    shared->l2Offset =
        replacePages(static_cast<uint8_t *>(vendor.l2Memory(0)), kL2Bytes, file,
                     offsetof(Shared, l2Pages), shared->l2Pages, good);
  }
  // The library's threads poll without rest, and nothing that we call needs
  // them. They do not follow into a fork; those left behind are stopped.
  if (pid_t quiet = fork(); quiet != 0)
    for (;;)
      raise(quiet > 0 ? SIGSTOP : SIGKILL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  auto tell = [&](auto what, int value) {
    Notice notice{what, value};
    if (write(fromNursery[1], &notice, sizeof(notice)) != sizeof(notice))
      _exit(0);
  };
  tell(good ? Notice::Ready : Notice::Failed, 0);
  close(toNursery[1]);
  char request;
  while (good && read(toNursery[0], &request, 1) == 1) {
    pid_t child = fork();
    if (child == 0)
      runWorker();
    tell(Notice::Started, child);
    int status = 0;
    waitpid(child, &status, 0);
    tell(Notice::Ended, status);
  }
  _exit(0);
}

void VendorEmulator::runWorker() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  char request;
  while (read(toWorker[0], &request, 1) == 1 && request == 'x') {
    std::memcpy(vendor.staticMemory(0), shared->statics, kStaticBytes);
    vendor.executeCommand(0, shared->command, shared->engine);
    std::memcpy(shared->statics, vendor.staticMemory(0), kStaticBytes);
    if (write(fromWorker[1], &request, 1) != 1)
      break;
  }
  _exit(0);
}

bool VendorEmulator::readNotice(Notice &notice, int timeLimitMs) {
  pollfd wait{fromNursery[0], POLLIN, 0};
  return poll(&wait, 1, timeLimitMs) == 1 &&
         read(fromNursery[0], &notice, sizeof(notice)) == sizeof(notice);
}

bool VendorEmulator::startWorker() {
  Notice notice;
  if (write(toNursery[1], "f", 1) != 1 || !readNotice(notice, kStartLimitMs) ||
      notice.what != Notice::Started || notice.value <= 0)
    return false;
  worker = notice.value;
  commandsOfWorker = 0;
  return true;
}

void VendorEmulator::restart() {
  Notice notice;
  if (worker > 0 && commandsOfWorker && write(toWorker[1], "q", 1) == 1 &&
      readNotice(notice, kStartLimitMs)) {
    worker = -1;
    commandsOfWorker = 0;
  }
}

void VendorEmulator::begin(isa::Engine engine, const uint8_t *command,
                           size_t bytes) {
  sent = worker > 0 || startWorker();
  if (!sent)
    return;
  std::memset(shared->command, 0, sizeof(shared->command));
  std::memcpy(shared->command, command, bytes < 256 ? bytes : 256);
  shared->engine = engine == isa::Engine::Tiu ? 0 : 1;
  ++commandsOfWorker;
  sent = write(toWorker[1], "x", 1) == 1;
}

Ending VendorEmulator::endingOfWorker(std::string &why) {
  Notice notice;
  worker = -1;
  commandsOfWorker = 0;
  if (!readNotice(notice, kStartLimitMs) || notice.what != Notice::Ended) {
    why = "the vendor's nursery is gone";
    return Ending::Crashed;
  }
  if (WIFSIGNALED(notice.value)) {
    why = "killed by signal " + std::to_string(WTERMSIG(notice.value));
    return Ending::Crashed;
  }
  why = "exit with status " + std::to_string(WEXITSTATUS(notice.value));
  return Ending::Refused;
}

Ending VendorEmulator::finish(std::string &why) {
  if (!sent) {
    why = "no worker";
    return Ending::Crashed;
  }
  pollfd wait[2] = {{fromWorker[0], POLLIN, 0}, {fromNursery[0], POLLIN, 0}};
  if (poll(wait, 2, kCommandLimitMs) < 1) {
    kill(worker, SIGKILL);
    endingOfWorker(why);
    why = "not done in " + std::to_string(kCommandLimitMs / 1000) + " s";
    return Ending::Hung;
  }
  char answer;
  if (wait[0].revents & POLLIN)
    return read(fromWorker[0], &answer, 1) == 1 ? Ending::Done
                                                : Ending::Crashed;
  return endingOfWorker(why);
}

} // namespace weft::oracle
