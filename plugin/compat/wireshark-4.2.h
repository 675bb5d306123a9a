/*
 * What is different in Wireshark 4.2. Included through compat.h and nowhere else.
 */
