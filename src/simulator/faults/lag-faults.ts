import type { Lag } from '../world/service/service-view.ts'
import type { Fault } from './active-faults.ts'

/**
 * Shows each change of a panel late, in the list of an operation by its own seconds of the simulated world. The progress of a
 * command is not late: it says `succeeded` while the lists still show what was before the command.
 */
export function showsLate(lag: Lag): Fault {
  const parts = Object.entries(lag).map(([operation, seconds]) => `${operation} ${seconds} s`)
  return {
    name: `changes shown late: ${parts.join(', ')}`,
    begin: ({ panels }, operation) => {
      const own = Object.fromEntries(
        Object.entries(lag).filter(([name]) => operation === undefined || name === operation),
      )
      const ends = panels.map((panel) => panel.lag(own))
      return () => {
        for (const end of ends) end()
      }
    },
  }
}
