/*
 * The rows of plugin/layouts/facts.def by name: fields that no header or payload holds.
 */
#ifndef ETL_FACTS_H
#define ETL_FACTS_H

#include "etl/layout.h"

enum etl_fact {
#define LAYOUT(id, class_name)
#define FIELD(type, label, ...) ETL_FACT_##label,
#define END
#include "layouts/facts.def"
#undef LAYOUT
#undef FIELD
#undef END
    ETL_FACT_COUNT
};

static inline const struct etl_field *etl_fact(enum etl_fact fact)
{
    return &etl_layout(ETL_LAYOUT_facts)->fields[fact];
}

#endif
