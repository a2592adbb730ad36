/* Decodes the JPEGs whose paths come in, a line each, with the C library libjpeg-turbo, to RGB by its accurate transform.
   For each it answers with the nanoseconds that it took and a checksum (FNV-1a) of the pixels.

   cc -O2 -o turbo benches/lib/turbo.c -lturbojpeg */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <turbojpeg.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(void) {
  char path[4096];
  tjhandle handle = tjInitDecompress();
  unsigned char *bytes = NULL, *pixels = NULL;
  size_t room = 0;
  while (handle && fgets(path, sizeof path, stdin)) {
    path[strcspn(path, "\n")] = 0;
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) return 2;
    long length = ftell(file);
    rewind(file);
    bytes = realloc(bytes, length + 1);
    if (!bytes || fread(bytes, 1, length, file) != (size_t)length) return 2;
    fclose(file);
    int width, height, sampling, colors;
    if (tjDecompressHeader3(handle, bytes, length, &width, &height, &sampling, &colors)) return 1;
    size_t size = (size_t)width * height * 3;
    if (size > room) {
      pixels = realloc(pixels, size);
      if (!pixels) return 2;
      memset(pixels, 0, size);
      room = size;
    }
    double begun = now();
    tjDecompressHeader3(handle, bytes, length, &width, &height, &sampling, &colors);
    if (tjDecompress2(handle, bytes, length, pixels, width, 0, height, TJPF_RGB, 0)) return 1;
    double taken = now() - begun;
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) sum = (sum ^ pixels[i]) * 0x100000001b3u;
    printf("%.0f %016llx\n", taken, (unsigned long long)sum);
    fflush(stdout);
  }
  return 0;
}
