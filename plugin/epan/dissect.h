/*
 * The dissector of link type 290 (ETW): one frame, one event.
 */
#ifndef ETL_EPAN_DISSECT_H
#define ETL_EPAN_DISSECT_H

/* All that is registered, and the take-over of the link type, which needs the others to be there.
 */
void etl_dissector_register(void);
void etl_dissector_hand_off(void);

#endif
