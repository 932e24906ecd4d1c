#include "runtime/device/BmrtDevice.h"
#include "runtime/device/BmrtChild.h"
#include "runtime/status/Quote.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::rt {

/// Bytes that libbmrt's descriptors can name (32-bit sizes and dimensions).
static constexpr uint64_t kMaxTensorBytes = UINT32_MAX;

/// Why a stage with a program of the host cannot run there: its first call.
static std::string hostRefusal(const host::Program &program) {
  std::string text = "unsupported: the model has parts that the host computes";
  for (const host::Step &step : program.steps)
    if (const auto *call = std::get_if<host::CallStep>(&step)) {
      text += " (node " + quoteName(call->node) + ": " + call->reason + ")";
      break;
    }
  return text + "; only weft's own runtime has the kernels for them: use "
                "--device emulator, or convert with --no-host to see all";
}

Result<std::unique_ptr<BmrtDevice>> BmrtDevice::open(const BmrtOptions &options,
                                                     const Bmodel &model,
                                                     const NetSpec &net,
                                                     size_t stage) {
  for (const SubNetSpec &subNet : net.stages[stage].subNets)
    if (subNet.program)
      return fail(Code::Unsupported, hostRefusal(*subNet.program));
  if (options.library.empty())
    return fail(Code::DeviceNotFound,
                "device bmrt needs libbmrt.so; give its path with --bmrt-lib "
                "or WEFT_BMRT_LIB");
  if (::access(options.library.c_str(), R_OK) != 0)
    return failf(Code::DeviceNotFound,
                 "cannot read %s: %s; --bmrt-lib or WEFT_BMRT_LIB must name "
                 "libbmrt.so",
                 options.library.c_str(), std::strerror(errno));
  for (const auto *tensors :
       {&net.stages[stage].inputs, &net.stages[stage].outputs})
    for (const TensorSpec &tensor : *tensors)
      if (tensor.storedBytes > kMaxTensorBytes)
        return failf(Code::Unsupported,
                     "unsupported: tensor %s has %llu bytes; libbmrt takes "
                     "less than 4 GiB",
                     quoteName(tensor.name).c_str(),
                     static_cast<unsigned long long>(tensor.storedBytes));
  std::unique_ptr<BmrtDevice> device(
      new BmrtDevice(options, model, net.stages[stage]));
  WEFT_TRY(device->start(net));
  return device;
}

BmrtDevice::~BmrtDevice() {
  end(/*politely=*/true);
  if (shared)
    ::munmap(shared, sharedBytes);
  if (printed >= 0)
    ::close(printed);
}

/// Closes what the parent had open. The ends of other devices' channels must go
/// above all: a child ends when its own channel is closed, which it never is
/// while another child holds a copy.
static void closeAllBut(int channel) {
  struct rlimit files = {};
  ::getrlimit(RLIMIT_NOFILE, &files);
  constexpr rlim_t kMostFiles = 65536; // the limit may be "none"
  for (int file = STDERR_FILENO + 1;
       file < int(std::min(files.rlim_cur, kMostFiles)); ++file)
    if (file != channel)
      ::close(file);
}

/// Turns the fresh child into a quiet one that ends when `channel` is closed,
/// which the death of its parent does. (PR_SET_PDEATHSIG would not do: it
/// follows the thread that forked, and a session may outlive that.)
static void prepareChild(int printed, int channel) {
  struct rlimit noCore = {0, 0};
  ::setrlimit(RLIMIT_CORE, &noCore);
  int empty = ::open("/dev/null", O_RDONLY);
  if (empty >= 0)
    ::dup2(empty, STDIN_FILENO);
  ::dup2(printed, STDOUT_FILENO);
  ::dup2(printed, STDERR_FILENO);
  closeAllBut(channel);
  // What the parent had buffered is not ours; a line must not wait for the
  // next, or an abort would lose the reason for it.
  ::__fpurge(stdout);
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  // A sanitizer's or user's handlers must not turn an abort into a report.
  for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPIPE, SIGINT,
                     SIGHUP, SIGQUIT, SIGTERM})
    ::signal(signal, SIG_DFL);
}

Status BmrtDevice::start(const NetSpec &net) {
  sharedBytes = tensorOffsets(stage).back();
  void *memory = ::mmap(nullptr, sharedBytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return failf(Code::OutOfMemory, "no shared memory for %zu bytes of tensors",
                 sharedBytes);
  shared = static_cast<uint8_t *>(memory);
  printed = ::memfd_create("weft-bmrt-output", MFD_CLOEXEC);
  int ends[2];
  if (printed < 0 ||
      ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return failf(Code::IoError, "cannot talk to a child process: %s",
                 std::strerror(errno));
  child = ::fork();
  if (child == 0) {
    prepareChild(printed, ends[1]);
    serveBmrt({options.library.c_str(), model.fileBytes(), &net, &stage, shared,
               ends[1]});
  }
  ::close(ends[1]);
  channel = ends[0];
  if (child < 0)
    return failf(Code::IoError, "cannot start a child process: %s",
                 std::strerror(errno));
  return awaitReply("loading the model");
}

Status BmrtDevice::run(const std::vector<ByteSpan> &inputs,
                       const std::vector<MutableBytes> &outputs,
                       HostTensors *) {
  if (child < 0)
    return fail(Code::DeviceAborted,
                "libbmrt has failed before; open the device again");
  WEFT_TRY(stop.status());
  std::vector<size_t> offsets = tensorOffsets(stage);
  for (size_t i = 0; i < inputs.size(); ++i)
    std::memcpy(shared + offsets[i], inputs[i].data,
                stage.inputs[i].storedBytes);
  if (inputsRead)
    inputsRead();
  if (::send(channel, &kBmrtRun, 1, MSG_NOSIGNAL) != 1)
    return describeDeath("before it ran the model");
  WEFT_TRY(awaitReply("running the model"));
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].data)
      std::memcpy(outputs[i].data, shared + offsets[inputs.size() + i],
                  stage.outputs[i].storedBytes);
  return Status::ok();
}

const uint8_t *BmrtDevice::storedOutput(size_t index) const {
  return shared + tensorOffsets(stage)[stage.inputs.size() + index];
}

/// Waits until `file` can be read, at most until `seconds` have passed or
/// `cancel` is requested. False on both.
static bool waitReadable(int file, double seconds,
                         const Stop *cancel = nullptr) {
  using Clock = std::chrono::steady_clock;
  auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    double left =
        std::chrono::duration<double>(deadline - Clock::now()).count();
    if (left <= 0 || (cancel && cancel->isRequested()))
      return false;
    // A cancelled run ends within a tenth of a second.
    if (cancel)
      left = std::min(left, 0.1);
    struct pollfd poll = {file, POLLIN, 0};
    // At most an hour at a time: poll's milliseconds are an int.
    int ready = ::poll(&poll, 1, int(std::min(left, 3600.0) * 1000) + 1);
    if (ready > 0)
      return true;
    if (ready < 0 && errno != EINTR)
      return true; // read() will say what is wrong
  }
}

Status BmrtDevice::awaitReply(const char *what) {
  if (!waitReadable(channel, options.timeLimitSeconds, &stop)) {
    std::string output = lastOutput();
    Status cancelled = stop.status();
    end(/*politely=*/false);
    if (!cancelled)
      return cancelled;
    return failf(Code::Timeout,
                 "libbmrt did not finish %s within %g s and was ended%s", what,
                 options.timeLimitSeconds, output.c_str());
  }
  char byte;
  if (::read(channel, &byte, 1) != 1)
    return describeDeath(std::string("while ") + what);
  BmrtShared reply;
  std::memcpy(&reply, shared, sizeof reply);
  if (Code(reply.code) == Code::Ok) {
    theLaunchSeconds = reply.launchSeconds;
    return Status::ok();
  }
  reply.message[sizeof reply.message - 1] = '\0';
  std::string message = reply.message + lastOutput();
  end(/*politely=*/false);
  return fail(Code(reply.code), message);
}

Status BmrtDevice::describeDeath(const std::string &when) {
  int state = 0;
  ::waitpid(child, &state, 0);
  child = -1;
  std::string how =
      WIFSIGNALED(state)
          ? std::string("was ended by signal ") +
                std::to_string(WTERMSIG(state)) + " (" +
                ::strsignal(WTERMSIG(state)) + ")"
          : "exited with status " + std::to_string(WEXITSTATUS(state));
  std::string output = lastOutput();
  end(/*politely=*/false);
  return failf(Code::DeviceAborted, "libbmrt %s %s%s", how.c_str(),
               when.c_str(), output.c_str());
}

std::string BmrtDevice::lastOutput() const {
  constexpr off_t kTail = 512;
  off_t size = ::lseek(printed, 0, SEEK_END);
  if (size <= 0)
    return "";
  off_t from = size > kTail ? size - kTail : 0;
  std::string tail(size_t(size - from), '\0');
  ssize_t got = ::pread(printed, tail.data(), tail.size(), from);
  tail.resize(got > 0 ? size_t(got) : 0);
  size_t end = tail.find_last_not_of("\n\r \t");
  if (end == std::string::npos)
    return "";
  size_t begin = tail.find_last_of("\n\r", end);
  begin = begin == std::string::npos ? 0 : begin + 1;
  return " (its last output: " +
         quoteName(tail.substr(begin, end + 1 - begin)) + ")";
}

void BmrtDevice::end(bool politely) {
  constexpr double kQuitSeconds = 10;
  if (child > 0) {
    // Freeing the device in order matters on a board; a child that hangs or
    // dies at it has done its work, so how it ends does not matter.
    if (politely && ::send(channel, &kBmrtQuit, 1, MSG_NOSIGNAL) == 1)
      waitReadable(channel, kQuitSeconds);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  child = -1;
  if (channel >= 0)
    ::close(channel);
  channel = -1;
}

} // namespace weft::rt
