import { type Check, list, record, text } from './check.ts'
import { textOrEmpty } from './fallbacks.ts'

/** How far a command has come. Field fact: the interface specification does not name the operation. */
export interface ProcessStatus {
  /** The `process_token` that the command was answered with. */
  token: string
  /** `start`, `handled`, `succeeded`, `failed`, or another word; some services stop at `handled`. */
  status: string
  /** Why it failed, such as `Replaced` by a later command. */
  message: string
  /** Such as `PMAX_ERROR`. */
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
