import { type Check, integer, list, record } from './check.ts'
import { flagOrNull, textOrEmpty } from './fallbacks.ts'

/** A place that devices can be in. Field fact: the interface specification does not name the operation. */
export interface PanelLocation {
  hel_id: number
  name: string
  /** Whether the user may rename it; null where the service does not say. */
  is_editable: boolean | null
}

const panelLocation: Check<PanelLocation> = record({
  hel_id: integer,
  name: textOrEmpty,
  is_editable: flagOrNull,
})

/** The answer to GET /locations (field fact). */
export const locations: Check<PanelLocation[]> = list(panelLocation)
