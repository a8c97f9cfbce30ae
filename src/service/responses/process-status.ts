import { type Check, type Checked, list, record, text, textOrEmpty } from '../schema.ts'

/** The progress of a command. Field fact: the interface specification does not name the operation. */
export interface ProcessStatus {
  /** The `process_token` in the answer to the command. */
  token: string
  /** `start`, `handled`, `succeeded`, `failed`, or another word; some services never go beyond `handled`. */
  status: string
  /** The reason of a failure, such as `Replaced` by a later command. */
  message: string
  /** The error, such as `PMAX_ERROR`. */
  error: string
}

const progress: Check<ProcessStatus> = record({
  token: text,
  status: textOrEmpty,
  message: textOrEmpty,
  error: textOrEmpty,
})

/** The answer to GET /process_status (field fact). */
export const processStatus: Check<ProcessStatus[]> = list(progress)

/** The answer to a command. Its token is used to request the progress (field fact). */
export type ProcessToken = Checked<typeof processToken>

/** Check of the answer to every command, such as POST /set_state (field fact). */
export const processToken = record({ process_token: text })
