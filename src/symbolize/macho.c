#include "symbolize/macho.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define FAT_MAGIC    0xcafebabeu
#define FAT_MAGIC_64 0xcafebabfu
#define MH_MAGIC     0xfeedfaceu
#define MH_MAGIC_64  0xfeedfacfu
#define LC_SEGMENT    0x1u
#define LC_SEGMENT_64 0x19u
#define LC_UUID       0x1bu
#define LC_FUNCTION_STARTS 0x26u

/* Java class files begin with FAT_MAGIC too; their version, 45 and up, stands in place of the count. */
#define MAX_SLICES   44
#define MAX_COMMANDS ((uint64_t)16 << 20) /* bytes; real files stay below 100 KB */
#define MAX_STARTS   ((uint64_t)64 << 20) /* bytes; a browser has about 1 MB */

/* Bytes from a file or from memory. */
struct source {
	int fd; /* -1: memory */
	const uint8_t *data;
	uint64_t size;
};

static int get(const struct source *s, uint64_t at, void *to, size_t n, struct cpf_err *e)
{
	uint8_t *p = to;
	ssize_t got;

	if (at > s->size || n > s->size - at)
		return cpf_fail_at(e, CPF_E_FORMAT, at, "Mach-O file is cut short");
	if (s->fd < 0) {
		memcpy(to, s->data + at, n);
		return 0;
	}
	while (n) {
		got = pread(s->fd, p, n, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return cpf_fail_errno(e, errno, "cannot read");
		if (!got)
			return cpf_fail_at(e, CPF_E_FORMAT, at, "Mach-O file is cut short");
		p += got;
		n -= (size_t)got;
		at += (uint64_t)got;
	}
	return 0;
}

static uint32_t u32(const uint8_t *p, int big)
{
	return big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
		   : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static uint64_t u64(const uint8_t *p, int big)
{
	return big ? (uint64_t)u32(p, 1) << 32 | u32(p + 4, 1) : (uint64_t)u32(p + 4, 0) << 32 | u32(p, 0);
}

/* The high byte of a subtype holds flags (pointer authentication, 64-bit libraries). */
static void name_arch(struct cpf_macho_slice *s, uint32_t type, uint32_t subtype)
{
	static const struct {
		uint32_t type, subtype;
		const char *name;
	} names[] = {
		{0x0100000c, 0, "arm64"}, {0x0100000c, 1, "arm64"}, {0x0100000c, 2, "arm64e"},
		{0x0200000c, 0, "arm64_32"}, {0x0200000c, 1, "arm64_32"},
		{0x01000007, 3, "x86_64"}, {0x01000007, 4, "x86_64"}, {0x01000007, 8, "x86_64h"},
		{7, 3, "i386"}, {12, 6, "armv6"}, {12, 9, "armv7"}, {12, 11, "armv7s"},
		{12, 12, "armv7k"}, {18, 0, "ppc"}, {0x01000012, 0, "ppc64"},
	};
	size_t i;

	for (i = 0; i < CPF_LEN(names); i++)
		if (names[i].type == type && names[i].subtype == (subtype & 0xffffff))
			strcpy(s->arch, names[i].name);
}

static int read_commands(struct cpf_macho_slice *s, const uint8_t *p, uint32_t size, uint32_t count,
	int big, struct cpf_err *e)
{
	uint32_t at = 0, cmd, len;

	for (; count; count--, at += len) {
		if (size - at < 8)
			return cpf_fail(e, CPF_E_FORMAT, "Mach-O load commands end too early");
		cmd = u32(p + at, big);
		len = u32(p + at + 4, big);
		if (len < 8 || len > size - at)
			return cpf_fail(e, CPF_E_FORMAT, "Mach-O load command of %u bytes", len);
		if (cmd == LC_UUID && len >= 24) {
			memcpy(s->uuid, p + at + 8, CPF_MACHO_UUID);
			s->has_uuid = 1;
		} else if (cmd == LC_FUNCTION_STARTS && len >= 16) {
			s->starts = u32(p + at + 8, big);
			s->starts_size = u32(p + at + 12, big);
		} else if (cmd == LC_SEGMENT_64 && len >= 72 && !memcmp(p + at + 8, "__TEXT\0", 7)) {
			s->text = u64(p + at + 24, big);
			s->text_size = u64(p + at + 32, big);
			s->has_text = 1;
		} else if (cmd == LC_SEGMENT && len >= 56 && !memcmp(p + at + 8, "__TEXT\0", 7)) {
			s->text = u32(p + at + 24, big);
			s->text_size = u32(p + at + 28, big);
			s->has_text = 1;
		}
	}
	return 0;
}

/* 0, 1 (no Mach-O image there) or -1. The image reaches from at to end. */
static int read_image(struct cpf_macho *m, const struct source *src, uint64_t at, uint64_t end,
	struct cpf_err *e)
{
	struct cpf_macho_slice s = {0};
	uint8_t head[28], *commands;
	uint32_t magic, count, size;
	uint64_t header;
	int big, ret;

	if (end - at < sizeof(head))
		return 1;
	if (get(src, at, head, sizeof(head), e))
		return -1;
	magic = u32(head, 0);
	big = magic != MH_MAGIC && magic != MH_MAGIC_64;
	if (big)
		magic = u32(head, 1);
	if (magic != MH_MAGIC && magic != MH_MAGIC_64)
		return 1;
	header = magic == MH_MAGIC_64 ? 32 : 28;
	name_arch(&s, u32(head + 4, big), u32(head + 8, big));
	s.type = u32(head + 12, big);
	count = u32(head + 16, big);
	size = u32(head + 20, big);
	if (end - at < header || size > end - at - header)
		return cpf_fail_at(e, CPF_E_FORMAT, at, "Mach-O file is cut short");
	if (size > MAX_COMMANDS)
		return cpf_fail_at(
			e, CPF_E_LIMIT, at, "Mach-O file with %u bytes of load commands", size);
	commands = cpf_malloc(size ? size : 1);
	ret = get(src, at + header, commands, size, e);
	if (!ret)
		ret = read_commands(&s, commands, size, count, big, e);
	cpf_free(commands);
	if (ret)
		return -1;
	/* Offsets count from the image. */
	if (s.starts > end - at || s.starts_size > end - at - s.starts)
		s.starts = s.starts_size = 0;
	s.starts += at;
	m->slices = cpf_realloc_array(m->slices, m->n + 1, sizeof(*m->slices));
	m->slices[m->n++] = s;
	return 0;
}

static int read_fat(struct cpf_macho *m, const struct source *src, int wide, struct cpf_err *e)
{
	uint8_t head[8], arch[32];
	uint64_t offset, size;
	uint32_t i, n;

	if (get(src, 0, head, sizeof(head), e))
		return -1;
	n = u32(head + 4, 1);
	if (n > MAX_SLICES)
		return 1;
	for (i = 0; i < n; i++) {
		if (get(src, 8 + (uint64_t)i * (wide ? 32 : 20), arch, wide ? 32 : 20, e))
			return -1;
		offset = wide ? u64(arch + 8, 1) : u32(arch + 8, 1);
		size = wide ? u64(arch + 16, 1) : u32(arch + 12, 1);
		if (offset > src->size || size > src->size - offset)
			return cpf_fail(e, CPF_E_FORMAT,
				"universal file is cut short: architecture %u of %u ends behind it",
				i + 1, n);
		/* Other kinds of images (static libraries, bitcode) may lie beside. */
		if (read_image(m, src, offset, offset + size, e) < 0)
			return -1;
	}
	return m->n ? 0 : 1;
}

static int parse(struct cpf_macho *m, const struct source *src, struct cpf_err *e)
{
	uint8_t magic[4];
	int ret;

	memset(m, 0, sizeof(*m));
	if (src->size < sizeof(magic))
		return 1;
	if (get(src, 0, magic, sizeof(magic), e))
		return -1;
	if (u32(magic, 1) == FAT_MAGIC || u32(magic, 1) == FAT_MAGIC_64)
		ret = read_fat(m, src, u32(magic, 1) == FAT_MAGIC_64, e);
	else
		ret = read_image(m, src, 0, src->size, e);
	if (ret)
		cpf_macho_release(m);
	return ret;
}

int cpf_macho_magic(const void *head, size_t n)
{
	const uint8_t *p = head;
	uint32_t big, little;

	if (n < 8)
		return 0;
	big = u32(p, 1);
	little = u32(p, 0);
	if (big == FAT_MAGIC || big == FAT_MAGIC_64)
		return u32(p + 4, 1) <= MAX_SLICES;
	return big == MH_MAGIC || big == MH_MAGIC_64 || little == MH_MAGIC || little == MH_MAGIC_64;
}

int cpf_macho_memory(struct cpf_macho *m, const void *data, size_t n, struct cpf_err *e)
{
	struct source src = {-1, data, n};

	return parse(m, &src, e);
}

static int open_source(struct source *src, const char *path, struct cpf_err *e)
{
	struct stat st;

	/* The path may come from a profile: opening a device can do things by itself. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return cpf_fail(e, CPF_E_FORMAT, "not a regular file");
	src->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (src->fd < 0)
		return cpf_fail_errno(e, errno, "");
	if (fstat(src->fd, &st) || !S_ISREG(st.st_mode)) {
		close(src->fd);
		return cpf_fail(e, CPF_E_FORMAT, "not a regular file");
	}
	src->size = (uint64_t)st.st_size;
	return 0;
}

int cpf_macho_read(struct cpf_macho *m, const char *path, struct cpf_err *e)
{
	struct source src = {-1, NULL, 0};
	int ret;

	memset(m, 0, sizeof(*m));
	if (open_source(&src, path, e))
		return -1;
	ret = parse(m, &src, e);
	close(src.fd);
	return ret;
}

void cpf_macho_decode_starts(uint64_t **starts, size_t *n, const uint8_t *data, size_t size)
{
	uint64_t at = 0, step;
	size_t i = 0, cap = 0;
	unsigned shift;

	*starts = NULL;
	*n = 0;
	while (i < size) {
		step = 0;
		for (shift = 0; i < size; shift += 7) {
			if (shift < 64)
				step |= (uint64_t)(data[i] & 127) << shift;
			if (!(data[i++] & 128))
				break;
		}
		if (!step || at + step < at)
			return;
		at += step;
		CPF_GROW(*starts, cap, *n + 1);
		(*starts)[(*n)++] = at;
	}
}

int cpf_macho_starts(uint64_t **starts, size_t *n, const char *path,
	const struct cpf_macho_slice *slice, struct cpf_err *e)
{
	struct source src = {-1, NULL, 0};
	uint8_t *data;
	int ret;

	*starts = NULL;
	*n = 0;
	if (!slice->starts_size || slice->starts_size > MAX_STARTS)
		return 0;
	if (open_source(&src, path, e))
		return -1;
	/* It may be another file by now. */
	if (slice->starts > src.size || slice->starts_size > src.size - slice->starts) {
		close(src.fd);
		return cpf_fail(e, CPF_E_FORMAT, "Mach-O file is cut short");
	}
	data = cpf_malloc(slice->starts_size);
	ret = get(&src, slice->starts, data, slice->starts_size, e);
	if (!ret)
		cpf_macho_decode_starts(starts, n, data, slice->starts_size);
	cpf_free(data);
	close(src.fd);
	return ret;
}

void cpf_macho_release(struct cpf_macho *m)
{
	cpf_free(m->slices);
	memset(m, 0, sizeof(*m));
}

const struct cpf_macho_slice *cpf_macho_find(
	const struct cpf_macho *m, const uint8_t uuid[CPF_MACHO_UUID])
{
	size_t i;

	for (i = 0; i < m->n; i++)
		if (m->slices[i].has_uuid && !memcmp(m->slices[i].uuid, uuid, CPF_MACHO_UUID))
			return &m->slices[i];
	return NULL;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int cpf_macho_parse_uuid(uint8_t uuid[CPF_MACHO_UUID], const char *text)
{
	static const uint8_t nil[CPF_MACHO_UUID];
	size_t n = 0;
	int digit;

	memset(uuid, 0, CPF_MACHO_UUID);
	for (; *text && n < 2 * CPF_MACHO_UUID; text++) {
		if (*text == '-')
			continue;
		digit = hex_digit(*text);
		if (digit < 0)
			return 0;
		uuid[n / 2] = (uint8_t)(uuid[n / 2] << 4 | digit);
		n++;
	}
	if (*text == '-')
		text++;
	if (*text == '0')
		text++;
	return n == 2 * CPF_MACHO_UUID && !*text && memcmp(uuid, nil, sizeof(nil)) != 0;
}

const char *cpf_macho_uuid_text(char out[37], const uint8_t uuid[CPF_MACHO_UUID])
{
	static const char digits[] = "0123456789ABCDEF";
	char *p = out;
	size_t i;

	for (i = 0; i < CPF_MACHO_UUID; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*p++ = '-';
		*p++ = digits[uuid[i] >> 4];
		*p++ = digits[uuid[i] & 15];
	}
	*p = 0;
	return out;
}
