/*
 * The one door to Wireshark's differences by version: every file of the adapters includes this first. CMake
 * names the header of the version that is built for; what they all share is here.
 */
#ifndef ETL_COMPAT_H
#define ETL_COMPAT_H

#include ETL_COMPAT_HEADER

#endif
