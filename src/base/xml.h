/*
 * xml.h - a pull reader for XML 1.0: elements, attributes and text, from a stream.
 *
 * UTF-8 (or ASCII) only, which is not checked here: bytes of names and texts pass as they are.
 * Comments, processing instructions and a document type are stepped over; entities are those of XML
 * itself and numbers, others are errors. Element names come without their prefix ("svg:rect" is
 * "rect"), names of attributes with it. Nothing is read twice and no text is kept that nobody asked
 * for; how long a tag or a wanted text may be, and how deep elements nest, say the input's limits.
 *
 * Errors carry the byte.
 */
#ifndef CPF_XML_H
#define CPF_XML_H

#include "base/buf.h"
#include "base/input.h"

enum cpf_xml_event {
	CPF_XML_END,    /* of the document */
	CPF_XML_OPEN,   /* an element: name, attributes */
	CPF_XML_CLOSE,  /* its end: name */
	CPF_XML_TEXT    /* text, only while want_text is set; may come in parts */
};

struct cpf_xml_attribute {
	const char *name, *value; /* NUL-terminated; value with its entities replaced */
	size_t n;                 /* bytes of value, which may hold a NUL if the file does */
};

struct cpf_xml {
	struct cpf_input *in;
	int want_text;            /* set by the caller */

	/* Valid until the next call. */
	const char *name;         /* OPEN, CLOSE; NUL-terminated */
	const char *text;         /* TEXT */
	size_t ntext;
	struct cpf_xml_attribute *attributes; /* OPEN */
	size_t nattributes, attributes_cap;
	uint32_t depth;           /* elements that are open: with OPEN this one, with CLOSE no more */
	uint64_t byte;            /* where the event begins */

	/* private */
	char *buf;
	size_t at, n, cap;
	uint64_t base;            /* offset of buf[0] in the document */
	int eof, seen_root, pending_close, begun;
	struct cpf_buf open;      /* names of open elements, each with its NUL */
	size_t *starts;           /* of each in open */
	size_t starts_cap;
};

void cpf_xml_init(struct cpf_xml *x, struct cpf_input *in);
void cpf_xml_release(struct cpf_xml *x);
/* An enum cpf_xml_event, or -1. */
int cpf_xml_next(struct cpf_xml *x, struct cpf_err *e) CPF_MUST_CHECK;
/* The value of an attribute of the element, or NULL. */
const char *cpf_xml_get(const struct cpf_xml *x, const char *name);

#endif
