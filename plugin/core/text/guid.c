/* GUIDs to text and back. */
#include "etl/guid.h"

/* Position in the on-disk bytes of each pair of hex digits of the text, in the text's order. */
static const uint8_t byte_of_pair[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};

static bool dash_before_pair(size_t pair)
{
    return pair == 4 || pair == 6 || pair == 8 || pair == 10;
}

/* The value of a hex digit, or -1. Not <ctype.h>, which depends on the locale. */
static int digit_value(char character)
{
    if (character >= '0' && character <= '9') {
        return character - '0';
    }
    if (character >= 'a' && character <= 'f') {
        return character - 'a' + 10;
    }
    if (character >= 'A' && character <= 'F') {
        return character - 'A' + 10;
    }
    return -1;
}

bool etl_guid_parse(const char *text, struct etl_guid *ret_guid)
{
    struct etl_guid guid;
    bool braces = *text == '{';
    text += braces;
    for (size_t pair = 0; pair < 16; pair++) {
        if (dash_before_pair(pair) && *text++ != '-') {
            return false;
        }
        int high = digit_value(text[0]);
        int low = high >= 0 ? digit_value(text[1]) : -1;
        if (low < 0) {
            return false;
        }
        guid.bytes[byte_of_pair[pair]] = (uint8_t)(high << 4 | low);
        text += 2;
    }
    if (braces && *text++ != '}') {
        return false;
    }
    if (*text != '\0') {
        return false;
    }
    *ret_guid = guid;
    return true;
}

void etl_guid_format(const struct etl_guid *guid, char text[ETL_GUID_TEXT_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t pair = 0; pair < 16; pair++) {
        uint8_t byte = guid->bytes[byte_of_pair[pair]];
        if (dash_before_pair(pair)) {
            *text++ = '-';
        }
        *text++ = digits[byte >> 4];
        *text++ = digits[byte & 15];
    }
    *text = '\0';
}
