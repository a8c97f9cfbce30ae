import { flagOrNull, textOrEmpty } from '../optional-fields.ts'
import { type Check, integer, list, record } from '../schema.ts'

/** A location of devices. Field fact: the interface specification does not name the operation. */
export interface PanelLocation {
  hel_id: number
  name: string
  /** True if the user can rename it; null if the service leaves it out. */
  is_editable: boolean | null
}

const panelLocation: Check<PanelLocation> = record({
  hel_id: integer,
  name: textOrEmpty,
  is_editable: flagOrNull,
})

/** The answer to GET /locations (field fact). */
export const locations: Check<PanelLocation[]> = list(panelLocation)
