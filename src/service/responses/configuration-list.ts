import { flagOrNull, textOrEmpty } from '../optional-fields.ts'
import { type Check, integer, list, record } from '../schema.ts'

/** A configuration that was downloaded from the panel (interface specification 2.14). */
export interface ConfigurationRecord {
  id: number
  /** `YYYY-MM-DDTHH:MM:SS+HHMM`, with its own offset. */
  date: string
  /** The same format as `date`. */
  verified_at: string
  /** Null if the service leaves it out. */
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
