/*
 * A disk that fails on demand, for the file data.mdb alone. Loaded with LD_PRELOAD; the file that DISK_FAULT names says
 * what to do, and is read anew at each call: "<call> <n> <fault>" is for the n-th such call from now and all after it.
 * Calls: write (of pages), meta (the record that makes a transaction count), sync, any.
 * CappedFindings: ENOSPC, EIO; kill (-9, before the call), after (the call, then kill), torn (half of the bytes, then kill).
 * An empty file lets everything pass.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PASS = 0, AFTER = -1, TORN = -2 };

static char armed[128];
static int calls;

static int is_state(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, sizeof path - 1);
  if (n < 0) return 0;
  path[n] = 0;
  return n > 8 && strcmp(path + n - 8, "data.mdb") == 0;
}

/* PASS, AFTER, TORN, or an errno. */
static int fault(const char *call, int fd) {
  const char *file = getenv("DISK_FAULT");
  FILE *order = file && is_state(fd) ? fopen(file, "r") : NULL;
  if (!order) return PASS;
  char line[128] = "", name[32], kind[32];
  int from = 0;
  if (!fgets(line, sizeof line, order)) line[0] = 0;
  fclose(order);
  if (strcmp(line, armed) != 0) {
    strcpy(armed, line);
    calls = 0;
  }
  if (sscanf(line, "%31s %d %31s", name, &from, kind) != 3) return PASS;
  if (strcmp(name, "any") != 0 && strcmp(name, call) != 0) return PASS;
  if (++calls < from) return PASS;
  if (strcmp(kind, "kill") == 0) raise(SIGKILL);
  if (strcmp(kind, "after") == 0) return AFTER;
  if (strcmp(kind, "torn") == 0) return TORN;
  return strcmp(kind, "ENOSPC") == 0 ? ENOSPC : EIO;
}

static ssize_t refuse(int error) {
  errno = error;
  return -1;
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  static ssize_t (*real)(int, const void *, size_t, off64_t);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pwrite64");
  int failure = fault(size < 512 ? "meta" : "write", fd);
  if (failure > 0) return refuse(failure);
  ssize_t written = real(fd, data, failure == TORN ? size / 2 : size, at);
  if (failure != PASS) raise(SIGKILL);
  return written;
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return pwrite64(fd, data, size, at); }

ssize_t writev(int fd, const struct iovec *parts, int count) {
  static ssize_t (*real)(int, const struct iovec *, int);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "writev");
  int failure = fault("write", fd);
  if (failure > 0) return refuse(failure);
  ssize_t written = real(fd, parts, failure == TORN ? (count + 1) / 2 : count);
  if (failure != PASS) raise(SIGKILL);
  return written;
}

static int sync_with(const char *name, int fd) {
  int (*real)(int);
  *(void **)&real = dlsym(RTLD_NEXT, name);
  int failure = fault("sync", fd);
  if (failure > 0) return (int)refuse(failure);
  int done = real(fd);
  if (failure != PASS) raise(SIGKILL);
  return done;
}
int fdatasync(int fd) { return sync_with("fdatasync", fd); }
int fsync(int fd) { return sync_with("fsync", fd); }
