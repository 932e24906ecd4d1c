#include "tools/files/Leftovers.h"

#include <atomic>
#include <cerrno>
#include <climits>
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

/// The handler reads slots on any thread while their owners change them, so
/// nothing in them is ever freed and all of it is atomic. `state` is written
/// last.
struct Slot {
  std::atomic<int> state{kFree};
  /// How often it was taken; what was read between two equal ones is whole.
  std::atomic<unsigned> generation{0};
  std::atomic<char> path[PATH_MAX] = {};
  std::atomic<pid_t> group{0};
  /// Who made the entry; a forked child has a copy of it.
  std::atomic<pid_t> owner{0};
};

/// A search has a file, a folder and a child for each of its programs in work;
/// what finds no slot is removed by its destructor alone.
constexpr int kSlots = 64;
Slot slots[kSlots];

/// The process and the thread that clean up; 0: none.
std::atomic<uint64_t> cleaner{0};
static_assert(std::atomic<char>::is_always_lock_free &&
                  std::atomic<pid_t>::is_always_lock_free &&
                  std::atomic<uint64_t>::is_always_lock_free,
              "a signal handler reads them");

} // namespace

static int takeSlot() {
  for (int i = 0; i < kSlots; ++i) {
    int none = kFree;
    if (!slots[i].state.compare_exchange_strong(none, kTaken))
      continue;
    slots[i].generation.fetch_add(1);
    slots[i].owner.store(::getpid());
    return i;
  }
  return -1;
}

Leftover::Leftover(Kind kind, const std::string &path)
    // The system takes no longer path.
    : slot(path.size() < PATH_MAX ? takeSlot() : -1) {
  if (slot < 0)
    return;
  for (size_t i = 0; i <= path.size(); ++i)
    slots[slot].path[i].store(path.c_str()[i]);
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

namespace {

/// What a slot held at one moment.
struct Entry {
  int state = kFree;
  pid_t group = 0;
  char path[PATH_MAX];
};

} // namespace

/// False if this process has none there, or its owner is at it.
static bool readSlot(const Slot &slot, Entry &entry) {
  unsigned generation = slot.generation.load();
  entry.state = slot.state.load();
  if (entry.state < kFile || slot.owner.load() != ::getpid())
    return false;
  entry.group = slot.group.load();
  if (entry.state != kGroup)
    for (int i = 0; i < PATH_MAX; ++i)
      if ((entry.path[i] = slot.path[i].load()) == 0)
        break;
  // One that is given up from here on is a name that nobody else has.
  return slot.state.load() == entry.state &&
         slot.generation.load() == generation;
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

/// Asks all groups to end, and insists after a second. What they have written
/// may be removed only then.
static void endGroups() {
  Entry entry;
  pid_t groups[kSlots];
  bool isRunning[kSlots];
  int count = 0;
  for (const Slot &slot : slots)
    if (readSlot(slot, entry) && entry.state == kGroup) {
      isRunning[count] = true;
      groups[count++] = entry.group;
      ::kill(-entry.group, SIGTERM);
    }
  for (int step = 0; step < 50; ++step) {
    int running = 0;
    for (int i = 0; i < count; ++i)
      // Else it has ended, or is not ours any more.
      running += isRunning[i] =
          isRunning[i] && ::waitpid(groups[i], nullptr, WNOHANG) == 0;
    if (running == 0)
      break;
    ::poll(nullptr, 0, 20);
  }
  for (int i = 0; i < count; ++i)
    ::kill(-groups[i], SIGKILL);
}

static void cleanUp() {
  endGroups();
  Entry entry;
  for (const Slot &slot : slots) {
    if (!readSlot(slot, entry))
      continue;
    if (entry.state == kFile)
      ::unlink(entry.path);
    else if (entry.state == kFolder)
      removeFolder(AT_FDCWD, entry.path, /*levels=*/3);
  }
}

static pid_t processOf(uint64_t thread) { return pid_t(thread >> 32); }

static uint64_t thisThread() {
  return uint64_t(::getpid()) << 32 | uint32_t(::syscall(SYS_gettid));
}

/// Whether this thread is to clean up. If another one is at it, waits for its
/// end: what ends the program here would end it in the middle.
static bool beginCleanUp() {
  const uint64_t self = thisThread();
  uint64_t before = cleaner.load();
  // A child has its parent's, which does nothing for it.
  while (before == 0 || processOf(before) != processOf(self))
    if (cleaner.compare_exchange_weak(before, self))
      return true;
  while (before != self && cleaner.load() == before)
    ::poll(nullptr, 0, 20);
  return false;
}

void weft::tools::removeLeftovers() {
  int reason = errno;
  if (beginCleanUp()) {
    cleanUp();
    cleaner.store(0);
  }
  errno = reason;
}

extern "C" void weftEndHandler(int signal) {
  int reason = errno;
  // Never given back: other threads with a signal wait for the end, which is
  // that of the first.
  if (beginCleanUp())
    cleanUp();
  else if (cleaner.load() == thisThread()) {
    errno = reason;
    return; // it came in the midst of removeLeftovers(), which goes on
  }
  // The program ends of the signal once the handler returns, and whoever waits
  // for it (make, a shell's loop) knows why.
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void weft::tools::removeLeftoversOnSignals() {
  struct sigaction action = {}, before;
  action.sa_handler = weftEndHandler;
  // The others wait until this one is done.
  for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM})
    ::sigaddset(&action.sa_mask, signal);
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
