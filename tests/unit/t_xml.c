#include "unit/test.h"

#include "base/mem.h"
#include "base/xml.h"

/* "<a x=1>text</a>" for each event, in short: +name[attr=value] -name 'text' */
static void events(struct cpf_buf *out, const char *text, struct cpf_err *e)
{
	struct cpf_input *in;
	struct cpf_xml x;
	size_t i;
	int event;

	cpf_buf_clear(out);
	cpf_buf_str(out, "");
	assert_int_equal(cpf_input_memory(&in, "test", text, strlen(text), NULL, e), 0);
	cpf_xml_init(&x, in);
	x.want_text = 1;
	while ((event = cpf_xml_next(&x, e)) > 0) {
		switch (event) {
		case CPF_XML_OPEN:
			cpf_buf_fmt(out, "+%s", x.name);
			for (i = 0; i < x.nattributes; i++)
				cpf_buf_fmt(out, "[%s=%s]", x.attributes[i].name,
					x.attributes[i].value);
			break;
		case CPF_XML_CLOSE:
			cpf_buf_fmt(out, "-%s", x.name);
			break;
		default:
			cpf_buf_char(out, '\'');
			cpf_buf_add(out, x.text, x.ntext);
			cpf_buf_char(out, '\'');
		}
	}
	cpf_xml_release(&x);
	cpf_input_close(in);
}

static void reads(const char *text, const char *want)
{
	struct cpf_buf out = {0};
	struct cpf_err e = {0};

	events(&out, text, &e);
	assert_string_equal(e.reason, "");
	assert_string_equal(out.s, want);
	cpf_buf_release(&out);
}

static void refuses(const char *text, uint64_t byte, const char *reason)
{
	struct cpf_buf out = {0};
	struct cpf_err e = {0};

	events(&out, text, &e);
	assert_string_equal(e.reason, reason);
	assert_int_equal(e.byte, byte);
	cpf_buf_release(&out);
}

static void test_elements(void **state)
{
	(void)state;
	reads("<a/>", "+a-a");
	reads("\xef\xbb\xbf <?xml version='1.0'?><!-- <x> --> <s:a  >t</s:a > ", "+a't'-a");
	reads("<a b='1' c = \"&lt;'&#x41;&#66;&amp;&quot;&apos;&gt;\"/>", "+a[b=1][c=<'AB&\"'>]-a");
	reads("<a b='>'><c x:d='&#x1F525;'/></a>", "+a[b=>]+c[x:d=\xf0\x9f\x94\xa5]-c-a");
	reads("<!DOCTYPE a [<!ENTITY b ']>'><!-- ]> ' -->]><a>&amp;lt;</a>", "+a'&lt;'-a");
	reads("<a>x<![CDATA[<&]]]]>y<!-- - -- z --></a>", "+a'x''<&]]''y'-a");
}

static void test_errors(void **state)
{
	(void)state;
	refuses("", 0, "no element");
	refuses(" x", 1, "this is no XML: it does not start with '<'");
	refuses("<a>", 3, "the file ends inside <a>");
	refuses("<a></b>", 3, "</b> where </a> is due");
	refuses("<a></a></a>", 7, "an end tag, and no element is open");
	refuses("<a/>x", 4, "text behind the last element");
	refuses("<a/><b/>", 4, "a second element behind the first one");
	refuses("<a b></a>", 4, "this is no XML tag");
	refuses("<a b=1/>", 5, "this is no XML tag");
	refuses("<a b='", 0, "the file ends inside a tag");
	refuses("<a>&x;</a>", 3, "unknown entity, or a bare '&'");
	refuses("<a>&#0;</a>", 3, "unknown entity, or a bare '&'");
	refuses("<a>&#xD800;</a>", 3, "unknown entity, or a bare '&'");
	refuses("<a>&#99999999999999999999;</a>", 3, "unknown entity, or a bare '&'");
	refuses("<a><!-- ", 3, "the file ends inside a comment");
	refuses("<a><![CDATA[x]]", 3, "the file ends inside CDATA");
	refuses("<!DOCTYPE a [", 0, "the file ends inside a document type");
}

/* Tokens that lie across blocks of the input, wherever they are cut. */
static void test_blocks(void **state)
{
	struct cpf_buf text = {0}, want = {0};
	int pad;

	(void)state;
	for (pad = 65500; pad < 65560; pad++) {
		cpf_buf_clear(&text);
		cpf_buf_clear(&want);
		cpf_buf_str(&text, "<a><!--");
		cpf_buf_pad(&text, 'x', (size_t)pad - 10);
		cpf_buf_str(&text, "--><b c='&lt;d'>e&gt;<![CDATA[f]]]>g</b></a>");
		reads(text.s, "+a+b[c=<d]'e>''f]''g'-b-a");
	}
	cpf_buf_release(&text);
	cpf_buf_release(&want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elements),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
