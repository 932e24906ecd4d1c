#include "tools/weft/StreamTail.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

using namespace weft::cli;

StreamTail::StreamTail(int descriptor) : descriptor(descriptor) {
  // Without a thread writers wait for ever once the pipe is full.
  if (descriptor >= 0 && ::pipe2(stop, O_CLOEXEC) == 0) {
    ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
    // Signals are for the threads that were there before.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    reader = std::thread([this] { read(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
}

StreamTail::~StreamTail() {
  finish();
  for (int one : {descriptor, stop[0]})
    if (one >= 0)
      ::close(one);
}

void StreamTail::read() {
  char buffer[4096];
  pollfd polled[2] = {{descriptor, POLLIN, 0}, {stop[0], POLLIN, 0}};
  bool isLast = false;
  while (true) {
    ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count > 0) {
      tail.append(buffer, size_t(count));
      if (tail.size() > 2 * kMostBytes)
        tail.erase(0, tail.size() - kMostBytes);
      continue;
    }
    if (count == 0 || (errno != EAGAIN && errno != EINTR) ||
        (isLast && errno == EAGAIN))
      return;
    // What was written before the end of all is read once more.
    isLast = ::poll(polled, 2, -1) > 0 && polled[1].revents != 0;
  }
}

std::string StreamTail::finish() {
  if (stop[1] >= 0)
    ::close(stop[1]);
  stop[1] = -1;
  if (reader.joinable())
    reader.join();
  if (tail.size() > kMostBytes)
    tail.erase(0, tail.size() - kMostBytes);
  return tail;
}
