/*
 * scope.h - what a function's name says of where it belongs, and names without their generics.
 *
 * Works on demangled names of C++, Rust, Go, Java, JavaScript, Objective-C and what looks like them;
 * nothing here can fail: a name that fits no rule belongs nowhere.
 */
#ifndef CPF_SCOPE_H
#define CPF_SCOPE_H

#include "base/buf.h"

/*
 * Appends the namespace of a name and returns 1, or appends nothing and returns 0 if it has none (C
 * functions).
 *   C++   enclosing namespaces: what has template arguments, and what begins with a capital behind
 *         another part, is taken for a class; "std::vector<int>::push_back(int)" is in std
 *   Rust  crate and modules, by the same rule; closures belong where they stand; "<T as U>::f" to
 *         the module of T, or of U if T is built in or a parameter
 *   Go    the package path: "net/http.(*conn).serve" is in net/http
 *   dots  Java, JavaScript, C#: what stands before the class, or the class if nothing does
 *   Objective-C  "-[NSString length]" is in NSString
 */
int cpf_name_scope(const char *name, size_t n, struct cpf_buf *out);

/*
 * Appends a name without template and type arguments, so that instances of one function have one
 * name: "a::Map<K, V>::get" is a::Map::get; C++ parameters and the result type go as well where
 * arguments went; "main.Map[go.shape.int]" is main.Map[...]. Of "<T as U>::f" both sides stay.
 */
void cpf_name_merge_generics(const char *name, size_t n, struct cpf_buf *out);

#endif
