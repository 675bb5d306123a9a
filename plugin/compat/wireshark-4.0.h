/*
 * What is different in Wireshark 4.0. Included through compat.h and nowhere else.
 */
