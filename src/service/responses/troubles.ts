import { integerOrNull, integers, textOrEmpty, textOrNull } from '../optional-fields.ts'
import { type Check, list, record } from '../schema.ts'

/** A malfunction. Field fact: the interface specification does not name the operation. */
export interface Trouble {
  /** `INACTIVE`, `LOW_BATTERY`, `1_WAY`, `AC_FAILURE` and others; an open set. */
  trouble_type: string
  device_type: string
  /** Null for the control panel, as for the next three members. */
  zone_type: string | null
  zone: number | null
  location: string | null
  zone_name: string | null
  /** Ids; empty means the whole panel. */
  partitions: number[]
}

const trouble: Check<Trouble> = record({
  trouble_type: textOrEmpty,
  device_type: textOrEmpty,
  zone_type: textOrNull,
  zone: integerOrNull,
  location: textOrNull,
  zone_name: textOrNull,
  partitions: integers,
})

/** The answer to GET /troubles (field fact). */
export const troubles: Check<Trouble[]> = list(trouble)
