import { type Check, record, text } from '../schema.ts'

/** The answer to a command. Its token is used to request the progress (field fact). */
export interface ProcessToken {
  process_token: string
}

/** Check of the answer to every command, such as POST /set_state (field fact). */
export const processToken: Check<ProcessToken> = record({ process_token: text })
