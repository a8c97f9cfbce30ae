import type { Wishes } from './membership/assignment.ts'
import type { Membership } from './membership/membership.ts'

/**
 * Returns a sentence for each setting of a panel and its account that is another one in another instance, with the field and the
 * name of the instance.
 */
export function differencesIn(wishes: Wishes, membership: Membership): string[] {
  const found = new Set<string>()
  for (const [panel, own] of wishes.get(`${membership.session}`) ?? []) {
    for (const [other, others] of wishes) {
      const elsewhere = others.get(panel)?.settings
      if (elsewhere === undefined || elsewhere === own.settings) continue
      const [here, there] = [new URLSearchParams(own.settings), new URLSearchParams(elsewhere)]
      for (const [field, value] of here) {
        const otherValue = there.get(field) ?? value
        if (otherValue !== value)
          found.add(difference(field, value, otherValue, membership.names.get(other) ?? ''))
      }
    }
  }
  return [...found]
}

function difference(field: string, here: string, there: string, instance: string): string {
  return `"${field}" is ${here} here and ${there} in the Node-RED instance "${instance}" of the same cluster. The lower limit and the shorter interval hold for both, and texts have the language of the instance that polls. Enter the same in both.`
}

/** Returns the sentence about another cluster that uses an account of this one through the same server. */
export function otherCluster(clusterName: string): string {
  return `Another cluster in the same Redis, "${clusterName}", uses an account of this one: each of them polls, and ends the sessions of the other, and both limits add up. Enter the same Cluster name in the cluster nodes of all instances.`
}

/** The sentence about another instance with the name of this one. */
export const namesake =
  'Another instance of the cluster has the same name as this one. A node with "each of them sends" then sends on one of them only. Enter another Instance name in the cluster node of one of them.'
