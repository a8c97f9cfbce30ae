import { type Check, integer, list, or, record } from './check.ts'
import { integerOrNull, integers, textOrEmpty, textOrNull } from './fallbacks.ts'

/** A user of the panel. */
export interface PanelUser {
  /** Number of the user on the panel. */
  id: number
  name: string
  /** Null where the user has no account at the service. */
  email: string | null
  role: string
  /** Ids of the partitions that the user's code works in. */
  partitions: number[]
}

/**
 * Who has a code at the panel. Field fact: the interface specification does not name the operation; the list is
 * complete for the master user only.
 */
export interface PanelUsers {
  max_users_count: number | null
  users: PanelUser[]
  /** Numbers that no user can have. */
  reserved_ids: number[]
}

const panelUser: Check<PanelUser> = record({
  id: integer,
  name: textOrEmpty,
  email: textOrNull,
  role: textOrEmpty,
  partitions: integers,
})

/** The answer to GET /users (field fact). */
export const users: Check<PanelUsers> = record({
  max_users_count: integerOrNull,
  users: or(list(panelUser), []),
  reserved_ids: integers,
})
