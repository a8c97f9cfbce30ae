import {
  type Check,
  id,
  integerOrNull,
  list,
  partitionIds,
  record,
  textOrEmpty,
  textOrNull,
  withDefault,
} from '../schema.ts'

/** A user of the panel. */
export interface PanelUser {
  /** Number of the user on the panel. */
  id: number
  name: string
  /** Null if the user has no account at the service. */
  email: string | null
  role: string
  /** Ids of the partitions in which the user's code works. */
  partitions: number[]
}

/**
 * The users with a code at the panel. Field fact: the interface specification does not name the operation;
 * the list is complete only for the master user.
 */
export interface PanelUsers {
  max_users_count: number | null
  users: PanelUser[]
  /** Numbers that are not available to users. */
  reserved_ids: number[]
}

const panelUser: Check<PanelUser> = record({
  id,
  name: textOrEmpty,
  email: textOrNull,
  role: textOrEmpty,
  partitions: partitionIds,
})

/** The answer to GET /users (field fact). */
export const users: Check<PanelUsers> = record({
  max_users_count: integerOrNull,
  users: withDefault(list(panelUser), []),
  reserved_ids: partitionIds,
})
