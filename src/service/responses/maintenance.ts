import {
  type Check,
  flagOrNull,
  integer,
  integerOrNull,
  list,
  record,
  textOrEmpty,
  withDefault,
} from '../schema.ts'

/** A finding of a test; all three members are empty if the test has nothing to report. */
export interface InspectionDetail {
  detail_name: string
  description: string
  /** `YYYY-MM-DD HH:MM:SS` without a zone, or the zero value `0000-00-00 00:00:00`. */
  timestamp: string
}

/** One test of a remote inspection. */
export interface InspectionTest {
  /** Seen: 1 to 6 and 8 to 10; their meaning is not known. */
  test_type: number | null
  /** `pass`, `fail`, `not_available`, or a word not known yet. */
  state: string
  details: InspectionDetail[]
}

/** The result of the last remote inspection of the panel (interface specification 2.13). */
export interface RemoteInspection {
  /** `YYYY-MM-DD HH:MM:SS` without a zone. */
  rri_timestamp: string
  tests: InspectionTest[]
}

const detail: Check<InspectionDetail> = record({
  detail_name: textOrEmpty,
  description: textOrEmpty,
  timestamp: textOrEmpty,
})

const test: Check<InspectionTest> = record({
  test_type: integerOrNull,
  state: textOrEmpty,
  details: withDefault(list(detail), []),
})

/** The answer to GET /rri_results (interface specification 4.9). */
export const rriResults: Check<RemoteInspection> = record({
  rri_timestamp: textOrEmpty,
  tests: withDefault(list(test), []),
})

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
