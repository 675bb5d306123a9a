/*
 * What is different in Wireshark 4.6. Included through compat.h and nowhere else.
 */
