/* pprof: what the reader makes of files against protobuf-c's view of them, and what is written. */
#include "unit/pprof_files.h"

/* The table against protobuf-c. */

static const ProtobufCBinaryData *string_of(const message *m, int64_t i)
{
	assert_true(i >= 0 && (uint64_t)i < m->n_string_table);
	return &m->string_table[i];
}

static void same_string(const struct cpf_profile *p, cpf_str id, const message *m, int64_t i)
{
	const ProtobufCBinaryData *s = string_of(m, i);

	assert_int_equal(cpf_text(p, id).len, s->len);
	if (s->len)
		assert_memory_equal(cpf_text(p, id).s, s->data, s->len);
}

static void same_labels(const struct cpf_profile *p, cpf_id set, const message *m,
	const Perftools__Profiles__Sample *s)
{
	const struct cpf_label_sets *t = &p->label_sets;
	size_t i;

	assert_int_equal(t->first[set + 1] - t->first[set], s->n_label);
	for (i = 0; i < s->n_label; i++) {
		const struct cpf_label *l = &t->labels[t->first[set] + i];

		same_string(p, l->key, m, s->label[i]->key);
		same_string(p, l->str, m, s->label[i]->str);
		same_string(p, l->unit, m, s->label[i]->num_unit);
		assert_int_equal(l->num, s->label[i]->num);
	}
}

static void same_samples(const struct cpf_profile *p, const message *m)
{
	const struct cpf_samples *t = &p->samples;
	size_t i, k;

	assert_int_equal(t->n, m->n_sample);
	assert_int_equal(t->nraw, m->n_sample_type);
	for (i = 0; i < t->n; i++) {
		const Perftools__Profiles__Sample *s = m->sample[i];
		cpf_id node = cpf_col_id(&t->node, i);

		for (k = 0; k < s->n_location_id; k++) {
			assert_int_not_equal(node, 0);
			assert_int_equal(cpf_col_get(&p->locations.wire_id,
						 cpf_col_id(&p->nodes.location, node)),
				s->location_id[k]);
			node = cpf_col_id(&p->nodes.parent, node);
		}
		assert_int_equal(node, 0);
		assert_int_equal(s->n_value, t->nraw);
		for (k = 0; k < t->nraw; k++)
			assert_int_equal(cpf_col_get(&t->raw[k], i), s->value[k]);
		same_labels(p, cpf_col_id(&t->labels, i), m, s);
	}
}

static void same_locations(const struct cpf_profile *p, const message *m)
{
	const struct cpf_locations *t = &p->locations;
	struct cpf_location row;
	struct cpf_line *lines = NULL;
	size_t cap = 0, i, k;

	assert_int_equal(t->n, m->n_location);
	for (i = 0; i < t->n; i++) {
		const Perftools__Profiles__Location *l = m->location[i];

		cpf_get_location(p, (cpf_id)i, &row, &lines, &cap);
		assert_int_equal(row.wire_id, l->id);
		assert_int_equal(row.address, l->address);
		assert_int_equal((row.flags & CPF_LOC_FOLDED) != 0, l->is_folded != 0);
		/* An id that no mapping has is read as none. */
		if (row.mapping != CPF_NONE)
			assert_int_equal(p->mappings[row.mapping].wire_id, l->mapping_id);
		assert_int_equal(row.nlines, l->n_line);
		for (k = 0; k < l->n_line; k++) {
			assert_int_equal(
				p->functions[lines[k].function].wire_id, l->line[k]->function_id);
			assert_int_equal(lines[k].line, l->line[k]->line);
			assert_int_equal(lines[k].column, l->line[k]->column);
		}
	}
	cpf_free(lines);
}

static void same_tables(const struct cpf_profile *p, const message *m)
{
	size_t i;

	assert_int_equal(p->nmappings, m->n_mapping);
	for (i = 0; i < m->n_mapping; i++) {
		const struct cpf_mapping *a = &p->mappings[i];
		const Perftools__Profiles__Mapping *b = m->mapping[i];

		assert_int_equal(a->wire_id, b->id);
		assert_int_equal(a->start, b->memory_start);
		assert_int_equal(a->limit, b->memory_limit);
		assert_int_equal(a->offset, b->file_offset);
		same_string(p, a->file, m, b->filename);
		same_string(p, a->build_id, m, b->build_id);
		assert_int_equal(a->flags, b->has_functions | b->has_filenames << 1 |
						   b->has_line_numbers << 2 |
						   b->has_inline_frames << 3);
	}
	assert_int_equal(p->nfunctions, m->n_function);
	for (i = 0; i < m->n_function; i++) {
		const struct cpf_function *a = &p->functions[i];
		const Perftools__Profiles__Function *b = m->function[i];

		assert_int_equal(a->wire_id, b->id);
		same_string(p, a->name, m, b->name);
		same_string(p, a->system_name, m, b->system_name);
		same_string(p, a->file, m, b->filename);
		assert_int_equal(a->start_line, b->start_line);
	}
}

static void same_header(const struct cpf_profile *p, const message *m)
{
	const struct cpf_header *h = &p->head;
	size_t i;

	assert_int_equal(h->time_nanos, m->time_nanos);
	assert_int_equal(h->duration_nanos, m->duration_nanos);
	assert_int_equal(h->period, m->period);
	same_string(p, h->drop_frames, m, m->drop_frames);
	same_string(p, h->keep_frames, m, m->keep_frames);
	same_string(p, h->default_sample_type, m, m->default_sample_type);
	same_string(p, h->doc_url, m, m->doc_url);
	assert_int_equal(h->has_period_type, m->period_type != NULL);
	if (m->period_type) {
		same_string(p, h->period_type, m, m->period_type->type);
		same_string(p, h->period_unit, m, m->period_type->unit);
	}
	assert_int_equal(h->ncomments, m->n_comment);
	for (i = 0; i < m->n_comment; i++)
		same_string(p, h->comments[i], m, m->comment[i]);
	assert_int_equal(p->ntypes, m->n_sample_type);
	for (i = 0; i < m->n_sample_type; i++) {
		same_string(p, p->types[i].type, m, m->sample_type[i]->type);
		same_string(p, p->types[i].unit, m, m->sample_type[i]->unit);
	}
}

static void same_profile(const struct cpf_profile *p, const message *m)
{
	same_header(p, m);
	same_tables(p, m);
	same_locations(p, m);
	same_samples(p, m);
}

/* Field 0 is no field to protobuf-c, so a file with one is left to the table of oddities. */
static int decodable(const char *path)
{
	return !strstr(path, "ok_unknown_fields");
}

static void check_read(const char *path)
{
	struct cpf_profile p;
	message *m;
	char *data;
	size_t n;

	if (!decodable(path))
		return;
	unpacked(path, &data, &n);
	load_ok(&p, data, n);
	m = decode(data, n);
	same_profile(&p, m);
	forget(m);
	cpf_profile_release(&p);
	cpf_free(data);
}

static void test_read(void **state)
{
	(void)state;
	each_file(check_read);
}

/* What is written says the same as what was read, and is written the same again. */
static void check_written(const char *path)
{
	static const struct cpf_save_opts o = {.type = CPF_NONE};
	struct cpf_profile p, again;
	char *data, *out, *second;
	size_t n, nout, nsecond;
	message *m;

	unpacked(path, &data, &n);
	load_ok(&p, data, n);
	write_out(&p, &o, &out, &nout);
	m = decode(out, nout);
	same_profile(&p, m);
	load_ok(&again, out, nout);
	write_out(&again, &o, &second, &nsecond);
	assert_int_equal(nout, nsecond);
	assert_memory_equal(out, second, nout);
	forget(m);
	cpf_profile_release(&again);
	cpf_profile_release(&p);
	cpf_free(second);
	cpf_free(out);
	cpf_free(data);
}

static void test_written(void **state)
{
	(void)state;
	each_file(check_written);
}

/* Writing profiles that came from elsewhere. */

static cpf_id add_location(
	struct cpf_profile *p, cpf_id mapping, uint64_t address, const char *name)
{
	struct cpf_location l = {0};
	struct cpf_line line = {0};

	if (name)
		line.function = build_function(p, name, strlen(name));
	line.line = name ? 3 : 0;
	l.mapping = mapping;
	l.address = address;
	l.flags = CPF_LOC_ADDRESS;
	l.symbol = l.category = l.subcategory = CPF_NONE;
	l.lines = &line;
	l.nlines = name != NULL;
	return cpf_add_location(p, &l);
}

static cpf_id add_lib(struct cpf_profile *p, const char *path)
{
	struct cpf_mapping m = {0};

	m.file = cpf_intern_z(p, path);
	m.flags = CPF_MAP_RELATIVE;
	return cpf_add_mapping(p, &m);
}

/* Three libraries, one of them unused; nodes and locations that are equal; weights in tenths. */
static void recording(struct cpf_profile *p)
{
	cpf_id lib[3], loc[5], n[5], thread;
	int64_t raw[2];
	uint32_t i;

	cpf_profile_init(p);
	cpf_add_source(p, "x.json", "firefox", "49", "samply 0.13.1");
	lib[0] = add_lib(p, "/lib/libc.so.6");
	lib[1] = add_lib(p, "/lib/unused.so");
	lib[2] = add_lib(p, "/opt/prog");
	p->head.product = cpf_intern_z(p, "prog");
	p->head.interval_nanos = 1000000;
	build_function(p, "unused", 6);
	loc[0] = add_location(p, lib[2], 0x10, "main");
	loc[1] = add_location(p, lib[0], 0x2000, "0x2000");
	loc[2] = add_location(p, lib[1], 0x30, "elsewhere");
	loc[3] = add_location(p, lib[2], 0x10, "main");
	loc[4] = add_location(p, lib[0], 0x2000, "0x2000");
	n[0] = cpf_add_node(p, 0, loc[0]);
	n[1] = cpf_add_node(p, n[0], loc[1]);
	n[2] = cpf_add_node(p, 0, loc[2]);
	n[3] = cpf_add_node(p, 0, loc[3]);
	n[4] = cpf_add_node(p, n[3], loc[4]);
	thread = build_thread(p, "prog", "7", "worker", "8");
	cpf_add_raw(p);
	cpf_add_raw(p);
	cpf_add_type(p, "samples", "count", 0, 1, 10);
	cpf_add_type(p, "wall", "nanoseconds", 0, 1000000, 10);
	cpf_add_type(p, "cpu", "nanoseconds", 1, 1000, 1);
	p->default_type = 2;
	p->samples.has_time = 1;
	for (i = 0; i < 9; i++) {
		static const uint8_t which[] = {1, 4, 0, 3, 1, 5, 1, 0, 4};

		raw[0] = 4;
		raw[1] = i;
		cpf_add_sample(p, which[i] == 5 ? 0 : n[which[i]], i == 4 ? CPF_NONE : thread,
			(int64_t)i * 10, 0, raw);
	}
	cpf_profile_seal(p);
}

static int64_t total(const message *m, size_t type)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < m->n_sample; i++)
		sum += m->sample[i]->value[type];
	return sum;
}

static void is_string(const message *m, int64_t i, const char *want)
{
	const ProtobufCBinaryData *s = string_of(m, i);

	assert_int_equal(s->len, strlen(want));
	assert_memory_equal(s->data, want, s->len);
}

static void check_recording(const message *m)
{
	const Perftools__Profiles__Sample *s = m->sample[0];

	/* (main;libc+0x2000, worker), (main, worker), the same without thread, no stack. */
	assert_int_equal(m->n_sample, 4);
	assert_int_equal(s->n_location_id, 2);
	assert_int_equal(s->value[2], (0 + 1 + 6 + 8) * 1000);
	assert_int_equal(s->n_label, 4);
	is_string(m, s->label[0]->key, "process");
	is_string(m, s->label[0]->str, "prog");
	is_string(m, s->label[1]->key, "pid");
	is_string(m, s->label[1]->str, "7");
	is_string(m, s->label[2]->key, "thread");
	is_string(m, s->label[2]->str, "worker");
	is_string(m, s->label[3]->key, "tid");
	is_string(m, s->label[3]->str, "8");
	assert_int_equal(m->sample[2]->n_label, 0);
	assert_int_equal(m->sample[3]->n_location_id, 0);
	/* 9 * 0.4 = 3.6 samples, rounded once, not nine times. */
	assert_int_equal(total(m, 0), 4);
	assert_int_equal(total(m, 1), 3600000);
	assert_int_equal(total(m, 2), 36000);
}

static void test_recording(void **state)
{
	static const struct cpf_save_opts o = {.type = CPF_NONE};
	struct cpf_profile p, again;
	char *out, *second;
	size_t n, n2;
	message *m;

	(void)state;
	recording(&p);
	write_out(&p, &o, &out, &n);
	m = decode(out, n);
	check_recording(m);
	/* The program first; what no sample uses is not there. */
	assert_int_equal(m->n_mapping, 2);
	is_string(m, m->mapping[0]->filename, "/opt/prog");
	assert_int_equal(m->mapping[0]->id, 1);
	assert_true(m->mapping[0]->has_functions && m->mapping[0]->has_line_numbers);
	assert_false(m->mapping[0]->has_filenames || m->mapping[0]->has_inline_frames);
	assert_false(m->mapping[1]->has_functions);
	/* Addresses are those in the image, in a range that pprof does not move. */
	assert_int_equal(m->mapping[1]->memory_start, 0);
	assert_true(m->mapping[1]->memory_limit == UINT64_MAX);
	assert_int_equal(m->n_location, 2);
	assert_int_equal(m->location[0]->mapping_id, 1);
	assert_int_equal(m->location[0]->n_line, 1);
	assert_int_equal(m->location[1]->mapping_id, 2);
	assert_int_equal(m->location[1]->address, 0x2000);
	assert_int_equal(m->location[1]->n_line, 0);
	assert_int_equal(m->n_function, 1);
	is_string(m, m->default_sample_type, "cpu");
	is_string(m, m->period_type->type, "cpu");
	assert_int_equal(m->period, 1000000);
	assert_int_equal(m->n_comment, 1);
	is_string(m, m->comment[0], "converted from firefox 49 of samply 0.13.1, prog");
	load_ok(&again, out, n);
	assert_int_equal(again.nthreads, 1);
	write_out(&again, &o, &second, &n2);
	assert_int_equal(n, n2);
	assert_memory_equal(out, second, n);
	cpf_profile_release(&again);
	forget(m);
	cpf_free(out);
	cpf_free(second);
	cpf_profile_release(&p);
}

static void test_timestamps(void **state)
{
	static const struct cpf_save_opts o = {.type = CPF_NONE, .timestamps = 1};
	const Perftools__Profiles__Label *l;
	struct cpf_profile p;
	message *m;
	size_t n, i;
	char *out;

	(void)state;
	recording(&p);
	write_out(&p, &o, &out, &n);
	m = decode(out, n);
	assert_int_equal(m->n_sample, 9);
	for (i = 0; i < 9; i++) {
		l = m->sample[i]->label[m->sample[i]->n_label - 1];
		is_string(m, l->key, "time");
		is_string(m, l->num_unit, "nanoseconds");
		assert_int_equal(l->num, i * 10);
	}
	assert_int_equal(total(m, 0), 4);
	assert_int_equal(total(m, 1), 3600000);
	forget(m);
	cpf_free(out);
	cpf_profile_release(&p);
}

static void test_overflow(void **state)
{
	static const struct cpf_save_opts o = {.type = CPF_NONE};
	int64_t most = INT64_MAX;
	struct cpf_err e = {0};
	struct cpf_output *out;
	struct cpf_profile p;

	(void)state;
	cpf_profile_init(&p);
	build_samples_type(&p);
	build_sample(&p, "a;b", most);
	build_sample(&p, "a;b", 1);
	assert_int_equal(cpf_output_memory(&out, 0, &e), 0);
	assert_int_equal(cpf_format_by_name("pprof")->write(&p, out, &o, NULL, &e), -1);
	assert_int_equal(e.code, CPF_E_RANGE);
	cpf_output_discard(out);
	cpf_profile_release(&p);
}

/* Names that are not UTF-8 or hold NUL. */
static void test_strings(void **state)
{
	static const struct cpf_save_opts o = {.type = CPF_NONE};
	struct cpf_buf b = {0};
	struct cpf_profile p;
	char *out;
	message *m;
	size_t n;

	(void)state;
	basis(&b, 0);
	bytes(&b, 6, "a\0b\xff", 4);
	num(&b, 13, 6);
	load_ok(&p, b.s, b.n);
	write_out(&p, &o, &out, &n);
	m = decode(out, n);
	assert_int_equal(string_of(m, m->comment[0])->len, 4);
	assert_memory_equal(string_of(m, m->comment[0])->data, "a\0b\xff", 4);
	forget(m);
	cpf_free(out);
	/* The same from elsewhere: strict readers want UTF-8. */
	cpf_free(p.sources[0].format);
	p.sources[0].format = cpf_strdup("folded");
	write_out(&p, &o, &out, &n);
	m = decode(out, n);
	assert_int_equal(string_of(m, m->comment[0])->len, 6);
	assert_memory_equal(string_of(m, m->comment[0])->data, "a\0b\xef\xbf\xbd", 6);
	forget(m);
	cpf_free(out);
	cpf_profile_release(&p);
	cpf_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_recording),
		cmocka_unit_test(test_timestamps),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
