/*
 * Calls of other dissectors for a part of a frame. Knows nothing of what they are called for.
 */
#include "epan/guarded.h"

#include <epan/exceptions.h>
#include <epan/show_exception.h>

void etl_call_guarded(dissector_handle_t dissector, tvbuff_t *bytes, packet_info *pinfo,
                      proto_tree *tree, void *data)
{
    TRY
    {
        call_dissector_with_data(dissector, bytes, pinfo, tree, data);
    }
    CATCH6(BoundsError, FragmentBoundsError, ReportedBoundsError, ContainedBoundsError,
           ScsiBoundsError, ReassemblyError)
    {
        show_exception(bytes, pinfo, tree, EXCEPT_CODE, GET_MESSAGE);
    }
    ENDTRY;
}
