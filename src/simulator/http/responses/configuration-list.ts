import { day, hour, second } from '../../../duration.ts'
import { isoT, type WorldTime } from '../../world/world-time.ts'

const offset = hour

/** Configuration downloads of every panel: days ago, and if it is kept as a backup. */
const downloads: readonly (readonly [daysAgo: number, backup: boolean])[] = [
  [249.9, false],
  [120.4, true],
  [9.3, false],
]
const firstId = 39

/** GET configuration_list (interface specification 2.14), oldest first (field fact). */
export function configurationList({ start }: WorldTime) {
  return downloads.map(([daysAgo, backup], index) => ({
    id: firstId + index,
    date: isoWithOffset(start - daysAgo * day),
    verified_at: isoWithOffset(start - daysAgo * day + 40 * second),
    backup,
  }))
}

/** Formats a time as `YYYY-MM-DDTHH:MM:SS+HHMM`, one hour east of Greenwich. */
function isoWithOffset(time: number): string {
  return `${isoT(time + offset)}+0100`
}
