#include "base/base.h"
#include "base/mem.h"
#include "core/classes.h"
#include "reports/flamegraph_write.h"

#include "flamegraph_css.h"
#include "flamegraph_dark_css.h"

/*
 * Colours are classes c0 to cN of the style, so that a dark page and paper have their own. c0 is for
 * what is no code: the root, threads, samples without stack. By name: CPF_FLAME_HUES warm colours.
 * By group, which is the library or the class: as many hues around the circle, each in SHADES shades by name.
 */
enum { SHADES = 3, HASHED = 1, LIBS = HASHED + CPF_FLAME_HUES };

/* FNV-1a and a finish, the same everywhere. */
static uint32_t hash(const char *s, size_t n)
{
	uint32_t h = 2166136261u;
	size_t i;

	for (i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	h ^= h >> 15;
	h *= 0x2c1b3c6du;
	return h ^ h >> 13;
}

/* What colours tell apart: the library, or the class. CPF_NONE: none. */
static uint32_t group_of(const struct cpf_flame *f, uint32_t key)
{
	if (key >= f->keys.n)
		return CPF_NONE;
	return f->class_of ? f->class_of[key] : f->keys.keys[key].mapping;
}

static uint32_t count_groups(const struct cpf_flame *f)
{
	return f->class_of ? cpf_classes_count(f->o->classes) : f->p->nmappings;
}

static uint32_t hash_group(const struct cpf_flame *f, uint32_t group)
{
	struct cpf_text name;

	if (f->class_of) {
		name.s = cpf_class_name(f->o->classes, group);
		name.len = (uint32_t)strlen(name.s);
	} else {
		name = cpf_mapping_name(f->p, group);
	}
	return hash(name.s, name.len);
}

/* What all frames of each group come to, a frame once per row. */
static int64_t *weigh_groups(const struct cpf_flame *f)
{
	int64_t *sum = cpf_calloc((size_t)count_groups(f) + 1, sizeof(*sum));
	uint32_t i;

	for (i = 1; i < f->tree.n; i++) {
		uint32_t group = group_of(f, f->tree.rows[i].key);

		if (group != CPF_NONE)
			sum[group] += f->tree.rows[i].self;
	}
	return sum;
}

/* The hue nearest behind at that is free, with free ones beside it if there are such. */
static uint32_t free_hue(const uint8_t *taken, uint32_t at)
{
	uint32_t i, h;

	for (i = 0; i < CPF_FLAME_HUES; i++) {
		h = (at + i) % CPF_FLAME_HUES;
		if (!taken[h] && !taken[(h + 1) % CPF_FLAME_HUES] &&
			!taken[(h + CPF_FLAME_HUES - 1) % CPF_FLAME_HUES])
			return h;
	}
	while (taken[at])
		at = (at + 1) % CPF_FLAME_HUES;
	return at;
}

/*
 * A hue per group: the one its name says, unless a heavier group has it or one beside it. So the
 * groups that matter differ, and mostly keep their colours from one profile to the next.
 */
static uint8_t *choose_hues(const struct cpf_flame *f)
{
	uint32_t n = count_groups(f), i, left, best, at;
	uint8_t *hue = cpf_calloc((size_t)n + 1, 1), taken[CPF_FLAME_HUES] = {0};
	uint8_t *done = cpf_calloc((size_t)n + 1, 1);
	int64_t *sum = weigh_groups(f);

	for (i = 0; i < n; i++)
		hue[i] = (uint8_t)(hash_group(f, i) % CPF_FLAME_HUES);
	for (left = CPF_FLAME_HUES; left; left--) {
		for (best = CPF_NONE, i = 0; i < n; i++)
			if (!done[i] && sum[i] > 0 && (best == CPF_NONE || sum[i] > sum[best]))
				best = i;
		if (best == CPF_NONE)
			break;
		at = free_hue(taken, hue[best]);
		taken[at] = 1;
		hue[best] = (uint8_t)at;
		done[best] = 1;
	}
	cpf_free(done);
	cpf_free(sum);
	return hue;
}

void cpf_flame_color(struct cpf_flame *f)
{
	uint8_t *hue = f->o->colors != CPF_FLAME_HASH ? choose_hues(f) : NULL;
	uint32_t i;

	for (i = 0; i < f->nnames; i++) {
		struct cpf_flame_name *n = &f->names[i];
		uint32_t h = hash(f->texts.s + n->text, n->len);
		uint32_t group = group_of(f, n->key);

		if (n->key >= f->keys.n)
			n->color = 0;
		else if (!hue)
			n->color = (uint16_t)(HASHED + h % CPF_FLAME_HUES);
		else if (group == CPF_NONE || (f->class_of && group == CPF_CLASS_OTHER))
			n->color = 0;
		else
			n->color = (uint16_t)(LIBS + hue[group] * (uint32_t)SHADES + h % SHADES);
	}
	cpf_free(hue);
}

/* #rrggbb of hue 0 to 359, saturation and lightness in percent. */
static void add_color(struct cpf_buf *out, int hue, int saturation, int lightness)
{
	/* In units of 1/6000 of 255; whole numbers, so that every machine gets the same. */
	int l = lightness, c = saturation * (l < 50 ? l : 100 - l) / 50, k, i;

	cpf_buf_char(out, '#');
	for (i = 0; i < 3; i++) {
		/* Red, green and blue peak at 0, 120 and 240 degrees. */
		int d = (hue + 360 - 120 * i) % 360, v;

		d = d > 180 ? 360 - d : d;
		k = d <= 60 ? 100 : d >= 120 ? 0 : (120 - d) * 100 / 60;
		v = l * 100 - c * 50 + c * k;
		cpf_buf_fmt(out, "%02x", (unsigned)((v * 255 + 5000) / 10000));
	}
}

static void add_rules(const struct cpf_flame *f, struct cpf_buf *out, int dark)
{
	int grouped = f->o->colors != CPF_FLAME_HASH, i, n = grouped ? CPF_FLAME_HUES * SHADES : CPF_FLAME_HUES;
	uint8_t used[LIBS + CPF_FLAME_HUES * SHADES] = {0};
	uint32_t k;

	for (k = 0; k < f->nnames; k++)
		used[f->names[k].color] = 1;
	cpf_buf_fmt(out, ".c0{fill:%s}\n", dark ? "#3a3f47" : "#d8dbe0");
	for (i = 0; i < n; i++) {
		int class = (grouped ? LIBS : HASHED) + i;

		if (!used[class])
			continue;
		cpf_buf_fmt(out, ".c%d{fill:", class);
		if (grouped)
			add_color(out, i / SHADES * 360 / CPF_FLAME_HUES, dark ? 45 : 75,
				(dark ? 30 : 70) + i % SHADES * 5);
		else
			add_color(out, 5 + i * 47 / (CPF_FLAME_HUES - 1), dark ? 62 : 88,
				(dark ? 28 : 63) + i % 4 * (dark ? 3 : 4));
		cpf_buf_str(out, "}\n");
	}
}

void cpf_flame_style(const struct cpf_flame *f, struct cpf_buf *out)
{
	cpf_buf_str(out, "<style>\n");
	cpf_buf_str(out, cpf_flamegraph_css);
	add_rules(f, out, 0);
	cpf_buf_str(out, "@media screen and (prefers-color-scheme:dark){\n");
	cpf_buf_str(out, cpf_flamegraph_dark_css);
	add_rules(f, out, 1);
	cpf_buf_str(out, "}\n</style>\n");
}
