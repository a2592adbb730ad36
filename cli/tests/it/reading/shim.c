/* Goes between the command and the C library (LD_PRELOAD): reading one file, told by its number, meets what disks, networks
 * and other people do. FAULT_FILE is the file's name when the command begins, FAULT says what happens:
 *
 *   eio FROM TO     bytes FROM to TO cannot be read
 *   eintr           every other call is interrupted
 *   short           calls give fewer bytes than they are asked for
 *   cut AT          when byte AT is asked for, the file is cut to AT
 *   grow AT         ... it gets another byte
 *   write AT        ... its bytes are written anew in place, others than before
 *   gone AT         ... it is removed
 *   swap AT         ... FAULT_OTHER takes its name
 *
 * The file cannot be mapped: who maps it where it was not asked for fails. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef ssize_t (*read_fn)(int, void *, size_t);
typedef ssize_t (*pread_fn)(int, void *, size_t, off64_t);
typedef void *(*mmap_fn)(void *, size_t, int, int, int, off64_t);

static dev_t device;
static ino_t number;
static char what[16];
static long long from, to;
static const char *name;
static int armed, calls, done;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
  struct stat st;
  const char *fault = getenv("FAULT");
  name = getenv("FAULT_FILE");
  if (!fault || !name || stat(name, &st) || sscanf(fault, "%15s %lld %lld", what, &from, &to) < 1) return;
  device = st.st_dev;
  number = st.st_ino;
  armed = 1;
}

static int meant(int fd) {
  struct stat st;
  int saved = errno, yes = armed && !fstat(fd, &st) && st.st_dev == device && st.st_ino == number;
  errno = saved;
  return yes;
}

static void change(void) {
  int fd = open(name, O_RDWR | O_CLOEXEC);
  struct stat st;
  if (fd < 0) return;
  if (!strcmp(what, "cut") && ftruncate(fd, from)) abort();
  if (!strcmp(what, "grow")) {
    lseek(fd, 0, SEEK_END);
    if (write(fd, "x", 1) != 1) abort();
  }
  if (!strcmp(what, "write") && !fstat(fd, &st)) {
    char *other = malloc(st.st_size);
    memset(other, 'x', st.st_size);
    if (write(fd, other, st.st_size) != st.st_size) abort();
    free(other);
  }
  close(fd);
  if (!strcmp(what, "gone")) unlink(name);
  if (!strcmp(what, "swap") && rename(getenv("FAULT_OTHER"), name)) abort();
}

/* What happens to a call that asks for n bytes at `at`: 0 and perhaps fewer bytes, or an error. */
static int meet(long long at, size_t *n) {
  long long end = at + (long long)*n;
  if (!strcmp(what, "eio")) {
    if (at < to && end > from) {
      if (at >= from) return EIO;
      *n = from - at;
    }
    return 0;
  }
  pthread_mutex_lock(&turn);
  int call = calls++;
  if (strcmp(what, "eintr") && strcmp(what, "short") && !done && end > from) {
    done = 1;
    change();
  }
  pthread_mutex_unlock(&turn);
  if (!strcmp(what, "eintr") && call % 2 == 0) return EINTR;
  if (!strcmp(what, "short") && *n > 1500) *n = 700 + call % 800;
  return 0;
}

ssize_t read(int fd, void *out, size_t n) {
  static read_fn real;
  if (!real) real = (read_fn)dlsym(RTLD_NEXT, "read");
  if (meant(fd)) {
    int e = meet(lseek(fd, 0, SEEK_CUR), &n);
    if (e) return errno = e, -1;
  }
  return real(fd, out, n);
}

ssize_t pread64(int fd, void *out, size_t n, off64_t at) {
  static pread_fn real;
  if (!real) real = (pread_fn)dlsym(RTLD_NEXT, "pread64");
  if (meant(fd)) {
    int e = meet(at, &n);
    if (e) return errno = e, -1;
  }
  return real(fd, out, n, at);
}

ssize_t pread(int fd, void *out, size_t n, off_t at) { return pread64(fd, out, n, at); }

void *mmap64(void *where, size_t n, int protection, int flags, int fd, off64_t at) {
  static mmap_fn real;
  if (!real) real = (mmap_fn)dlsym(RTLD_NEXT, "mmap64");
  if (fd >= 0 && meant(fd)) return errno = ENODEV, MAP_FAILED;
  return real(where, n, protection, flags, fd, at);
}

void *mmap(void *where, size_t n, int protection, int flags, int fd, off_t at) {
  return mmap64(where, n, protection, flags, fd, at);
}
