/* Includes that cmocka wants, in its order, and the prefix every unit test shares. */
#ifndef TEST_H
#define TEST_H

#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#endif
