#ifndef CARES_H
#define CARES_H

#include <ares.h>
#include <arpa/nameser.h>

#endif
