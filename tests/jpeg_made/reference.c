/* What the C library libjpeg-turbo makes of JPEGs.
 *
 *     cc -O2 -o jpeg-reference tests/jpeg_made/reference.c -ljpeg
 *
 * Reads pictures from the standard input, each with its length before it (4 bytes, the lowest first), and answers for
 * each with eight numbers of 4 bytes: 1 where it has pixels; how often libjpeg warned of damage; how often of labels
 * only; the first of these messages, or the error; width; height; and the pixels' FNV-1a checksum in two halves. The
 * pixels are RGB; inks become colors as Pillow does it.
 *
 * Built with -DREFERENCE_ONLY it is the function alone, for fuzzing. */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

struct reference {
  uint32_t fine, damage, labels, message, width, height;
  uint64_t sum;
};

struct errors {
  struct jpeg_error_mgr mgr;
  jmp_buf out;
  struct reference *result;
};

static void fail(j_common_ptr info) {
  struct errors *errors = (struct errors *)info->err;
  errors->result->message = (uint32_t)info->err->msg_code;
  longjmp(errors->out, 1);
}

static void tell(j_common_ptr info, int level) {
  struct errors *errors = (struct errors *)info->err;
  if (level >= 0) return;
  if (!errors->result->message) errors->result->message = (uint32_t)info->err->msg_code;
  switch (info->err->msg_code) {
  /* These are about what is said of a picture and not about what is there of it. */
  case JWRN_JFIF_MAJOR:
  case JWRN_ADOBE_XFORM:
  case JWRN_NOT_SEQUENTIAL:
    errors->result->labels++;
    break;
  default:
    errors->result->damage++;
  }
}

static unsigned char under(unsigned ink, unsigned black) {
  unsigned product = ink * black + 128;
  return (unsigned char)(black - (((product >> 8) + product) >> 8));
}

/* Decodes one. Where `pixels` is not null it gets them, to be freed by the caller. */
struct reference reference_decode(const unsigned char *bytes, size_t length, uint64_t most, unsigned char **pixels) {
  struct jpeg_decompress_struct info;
  struct errors errors;
  struct reference result;
  unsigned char *volatile line = NULL, *volatile all = NULL;
  memset(&result, 0, sizeof result);
  if (pixels) *pixels = NULL;
  memset(&info, 0, sizeof info);
  info.err = jpeg_std_error(&errors.mgr);
  errors.mgr.error_exit = fail;
  errors.mgr.emit_message = tell;
  errors.result = &result;
  if (setjmp(errors.out)) {
    jpeg_destroy_decompress(&info);
    free(line);
    free(all);
    result.fine = 0;
    return result;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, bytes, (unsigned long)length);
  jpeg_read_header(&info, TRUE);
  result.width = info.image_width;
  result.height = info.image_height;
  if ((uint64_t)info.image_width * info.image_height > most) ERREXIT(&info, JERR_IMAGE_TOO_BIG);
  /* As Pillow: gray, colors or inks, and nothing else. */
  if (info.num_components != 1 && info.num_components != 3 && info.num_components != 4)
    ERREXIT(&info, JERR_CONVERSION_NOTIMPL);
  info.out_color_space = info.num_components == 4 ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&info);
  line = malloc((size_t)info.output_width * 4);
  if (pixels) all = malloc((size_t)info.output_width * info.output_height * 3);
  result.sum = 0xcbf29ce484222325u;
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = line;
    unsigned char *to = all ? all + (size_t)info.output_scanline * info.output_width * 3 : NULL;
    jpeg_read_scanlines(&info, &row, 1);
    for (size_t x = 0; x < info.output_width; x++) {
      const unsigned char *from = line + x * (unsigned)info.output_components;
      for (int c = 0; c < 3; c++) {
        unsigned char value = info.num_components == 4 ? under(255u - from[c], from[3]) : from[c];
        result.sum = (result.sum ^ value) * 0x100000001b3u;
        if (to) *to++ = value;
      }
    }
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  free(line);
  if (pixels) *pixels = all;
  result.fine = 1;
  return result;
}

#ifndef REFERENCE_ONLY
static void put(uint32_t value) {
  for (int i = 0; i < 4; i++) putchar((int)(value >> (8 * i) & 255));
}

int main(void) {
  for (;;) {
    unsigned char head[4];
    if (fread(head, 1, 4, stdin) != 4) return 0;
    size_t length = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
    unsigned char *bytes = malloc(length + 1);
    if (!bytes || fread(bytes, 1, length, stdin) != length) return 1;
    struct reference r = reference_decode(bytes, length, 1u << 20, NULL);
    free(bytes);
    put(r.fine), put(r.damage), put(r.labels), put(r.message), put(r.width), put(r.height);
    put((uint32_t)r.sum), put((uint32_t)(r.sum >> 32));
    fflush(stdout);
  }
}
#endif
