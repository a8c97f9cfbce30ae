import type { Panel } from '../../world/panel.ts'
import { listUsers } from '../../world/users.ts'
import type { Service, SessionRequest } from '../operation.ts'

const maxUsers = 8

/**
 * GET users (field fact): all users for the master user, only themselves for others; roles since version 14.
 */
export function users({ panel, session, version }: SessionRequest, { accounts }: Service) {
  const panelUsers = listUsers(panel.plan)
  const sessionUser = panelUsers.find(({ name }) => name === session.user)
  return {
    max_users_count: maxUsers,
    users: panelUsers
      .filter((user) => sessionUser?.isMaster || user === sessionUser)
      .map(({ number, name, isMaster, partitions }) => ({
        id: number,
        name,
        email: isMaster ? accounts.email : `${name.toLowerCase()}@keyholder.example`,
        partitions,
        ...(version >= 14 ? { role: isMaster ? 'MASTER_USER' : 'USER' } : {}),
      })),
    reserved_ids: [],
  }
}

/** GET users for the installer (field fact). */
export function installerUsers({ plan }: Panel) {
  return {
    max_users_count: maxUsers,
    user_names: Object.fromEntries(listUsers(plan).map(({ number, name }) => [number, name])),
  }
}
