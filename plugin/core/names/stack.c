/* Stack, StackKeyKernel and StackKeyUser begin alike: i64 raw time, u32 process, u32 thread. */
#include "etl/stack.h"

enum { HOOK_STACK = 0x1820, HOOK_KEY_KERNEL = 0x1825, HOOK_KEY_USER = 0x1826 };

bool etl_stack_owner(const struct etl_event *event, struct etl_stack_owner *ret_owner)
{
    uint16_t hook = event->has_hook ? event->hookid : 0;
    if (hook != HOOK_STACK && hook != HOOK_KEY_KERNEL && hook != HOOK_KEY_USER) {
        return false;
    }
    struct etl_bytes bytes = etl_bytes_of(event->payload.at, event->payload.size);
    ret_owner->raw_time = (int64_t)etl_bytes_u64(&bytes);
    ret_owner->process_id = etl_bytes_u32(&bytes);
    ret_owner->thread_id = etl_bytes_u32(&bytes);
    return !bytes.failed;
}
