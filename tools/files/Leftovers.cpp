#include "tools/files/Leftovers.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <random>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace weft::tools;

namespace {

enum : int { kFree, kTaken, kFile, kFolder, kGroup };

/// `state` is written last and read first: the rest is then whole.
struct Slot {
  std::atomic<int> state{kFree};
  std::atomic<const char *> path{nullptr};
  std::atomic<pid_t> group{0};
  /// Who made the entry; a forked child has a copy of it.
  std::atomic<pid_t> owner{0};
};

/// A search has a file, a folder and a child for each of its programs in work;
/// what finds no slot is removed by its destructor alone.
constexpr int kSlots = 64;
Slot slots[kSlots];
static_assert(std::atomic<const char *>::is_always_lock_free &&
                  std::atomic<pid_t>::is_always_lock_free,
              "a signal handler reads them");

} // namespace

static int takeSlot() {
  for (int i = 0; i < kSlots; ++i) {
    int none = kFree;
    if (!slots[i].state.compare_exchange_strong(none, kTaken))
      continue;
    slots[i].owner.store(::getpid());
    return i;
  }
  return -1;
}

Leftover::Leftover(Kind kind, const std::string &name)
    : path(name), slot(takeSlot()) {
  if (slot < 0)
    return;
  slots[slot].path.store(path.c_str());
  slots[slot].state.store(kind == Kind::File ? kFile : kFolder);
}

Leftover::Leftover(pid_t group) : slot(takeSlot()) {
  if (slot < 0)
    return;
  slots[slot].group.store(group);
  slots[slot].state.store(kGroup);
}

Leftover::~Leftover() {
  if (slot >= 0)
    slots[slot].state.store(kFree);
}

/// An entry of getdents64, which readdir() would allocate for.
struct RawEntry {
  uint64_t inode;
  int64_t next;
  unsigned short length;
  unsigned char type;
  char name[1];
};

/// Removes what is in the folder and the folder. Three levels are more than any
/// of ours has.
static void removeFolder(int parent, const char *path, int levels) {
  int folder =
      ::openat(parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  alignas(RawEntry) char buffer[4096];
  long size;
  while (folder >= 0 &&
         (size = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0)
    for (long at = 0; at < size;) {
      auto *entry = reinterpret_cast<RawEntry *>(buffer + at);
      at += entry->length;
      if (!std::strcmp(entry->name, ".") || !std::strcmp(entry->name, ".."))
        continue;
      if (::unlinkat(folder, entry->name, 0) != 0 && levels > 1)
        removeFolder(folder, entry->name, levels - 1);
    }
  if (folder >= 0)
    ::close(folder);
  ::unlinkat(parent, path, AT_REMOVEDIR);
}

/// Asks a group to end, and insists after a second. What it has written may be
/// removed only then.
static void endGroup(pid_t group) {
  ::kill(-group, SIGTERM);
  for (int i = 0; i < 50; ++i) {
    if (::waitpid(group, nullptr, WNOHANG) != 0)
      break; // ended, or not ours any more
    ::poll(nullptr, 0, 20);
  }
  ::kill(-group, SIGKILL);
}

void weft::tools::removeLeftovers() {
  int reason = errno;
  const pid_t self = ::getpid();
  for (Slot &slot : slots)
    if (slot.state.load() == kGroup && slot.owner.load() == self)
      endGroup(slot.group.load());
  for (Slot &slot : slots) {
    int state = slot.owner.load() == self ? slot.state.load() : kFree;
    if (state == kFile)
      ::unlink(slot.path.load());
    else if (state == kFolder)
      removeFolder(AT_FDCWD, slot.path.load(), /*levels=*/3);
  }
  errno = reason;
}

extern "C" void weftEndHandler(int signal) {
  removeLeftovers();
  // SA_RESETHAND has taken this handler away: the program ends of the signal,
  // and whoever waits for it (make, a shell's loop) knows why.
  ::raise(signal);
}

void weft::tools::removeLeftoversOnSignals() {
  struct sigaction action = {}, before;
  action.sa_handler = weftEndHandler;
  // The others wait until this one is done.
  for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM})
    ::sigaddset(&action.sa_mask, signal);
  action.sa_flags = SA_RESETHAND | SA_NODEFER;
  for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM})
    if (::sigaction(signal, nullptr, &before) == 0 &&
        before.sa_handler != SIG_IGN)
      ::sigaction(signal, &action, nullptr);
}

std::string weft::tools::unusedName(const std::string &folder,
                                    const std::string &prefix,
                                    const std::string &suffix) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  // 36^12: what is registered under such a name is nobody else's.
  std::string part(12, '.');
  for (char &c : part)
    c = letters[random() % (sizeof letters - 1)];
  return folder + (folder.empty() || folder.back() == '/' ? "" : "/") + prefix +
         part + suffix;
}
