import { type Check, record, text } from './check.ts'

/** What a command is answered with; how far it has come is asked with it (field fact). */
export interface ProcessToken {
  process_token: string
}

/** The answer to every command, such as POST /set_state (field fact). */
export const processToken: Check<ProcessToken> = record({ process_token: text })
