/*
 * What is different in Wireshark 4.4. Included through compat.h and nowhere else.
 */
