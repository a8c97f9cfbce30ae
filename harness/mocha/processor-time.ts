import { readFileSync } from 'node:fs'

/** The fields of /proc/<pid>/stat with times of a process and of its children, counted behind the name of its program. */
const fields = { first: 11, last: 14 }

/** Linux counts the times of that file in ticks of a hundredth of a second, on every processor. */
const ticksPerSecond = 100

/**
 * Returns the seconds of processor time of this process and of all processes that it has started and that have ended. On
 * other systems than Linux, where no file tells the latter, only its own.
 */
export function processorSeconds(): number {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
  // The name, in parentheses, may have spaces.
  const behindName = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1) ?? ''
  const ticks = behindName.split(' ').slice(fields.first, fields.last + 1)
  return ticks.reduce((sum, more) => sum + Number(more), 0) / ticksPerSecond
}
