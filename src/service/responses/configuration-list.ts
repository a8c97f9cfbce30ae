import { type Check, integer, list, record } from './check.ts'
import { flagOrNull, textOrEmpty } from './fallbacks.ts'

/** A configuration that was downloaded from the panel (interface specification 2.14). */
export interface ConfigurationRecord {
  id: number
  /** `YYYY-MM-DDTHH:MM:SS+HHMM`, with an offset of its own. */
  date: string
  /** The same. */
  verified_at: string
  /** Null where the service does not say. */
  backup: boolean | null
}

const configuration: Check<ConfigurationRecord> = record({
  id: integer,
  date: textOrEmpty,
  verified_at: textOrEmpty,
  backup: flagOrNull,
})

/** The answer to GET /configuration_list (interface specification 4.10). */
export const configurationList: Check<ConfigurationRecord[]> = list(configuration)
