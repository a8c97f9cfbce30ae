import type { Panel } from '../../world/panel.ts'
import { peopleOf } from '../../world/people.ts'
import type { Service, SessionQuestion } from '../operation.ts'

const mostUsers = 8

/** GET users (field fact): all of them for the master user, for the others themselves; roles since version 14. */
export function users({ panel, session, version }: SessionQuestion, { accounts }: Service) {
  const people = peopleOf(panel.plan)
  const asking = people.find(({ name }) => name === session.user)
  return {
    max_users_count: mostUsers,
    users: people
      .filter((person) => asking?.isMaster || person === asking)
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

/** GET users as the installer gets it (field fact). */
export function installerUsers({ plan }: Panel) {
  return {
    max_users_count: mostUsers,
    user_names: Object.fromEntries(peopleOf(plan).map(({ number, name }) => [number, name])),
  }
}
