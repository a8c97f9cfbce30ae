import { delay } from '../../../clock.ts'
import { minute, second } from '../../../duration.ts'
import { isClosed, type KeyholderError } from '../../../service/error.ts'
import type { Device } from '../../../service/responses/devices.ts'
import { concerns } from '../../../service/responses/status.ts'
import { hasZoneNumber, zonesOf, zoneTitle } from '../../devices/device.ts'
import { commandError, type SetState } from '../command.ts'
import { type CommandedPanel, CurrentState, targets } from '../current-state.ts'
import { isDoor } from './bypass-policy.ts'
import { isArmed } from './taking-back.ts'

/** Milliseconds after the exit delay until the look at what is left out: a service may show a change some seconds late. */
const lookDelay = 10 * second

/** Milliseconds until the next look, if the exit delay still runs or nothing can be read. */
const lookInterval = 20 * second

/** Milliseconds after the exit delay in which it can be looked at: a door can make the delay begin again. */
const maxLookTime = 5 * minute

/**
 * Returns the doors on the way in and out that a panel in the mode force arm has left out of an arming, because they were open at
 * the end of the exit delay (makers' guides: D-303222 p. 78). The list of devices is read once for all subscribers, so
 * that these tell what else is left out. Empty if there is none, if somebody has disarmed, or if nothing can be read. Never rejects.
 * @param isLatest returns false after a later arming, which looks itself
 * @param signal aborted when the flow stops
 */
export async function doorsLeftOut(
  { partition }: SetState,
  panel: CommandedPanel,
  isLatest: () => boolean,
  signal: AbortSignal,
): Promise<readonly Device[]> {
  const { clock } = panel.account
  const state = new CurrentState(panel, signal)
  const look = async (): Promise<readonly Device[] | undefined> => {
    const { value: situation } = await state.situation(clock.monotonic())
    if (targets(situation, partition).some(({ status }) => status === 'EXIT')) return undefined
    if (!isArmed([partition], situation) || !isLatest()) return []
    const { view } = await panel.polls.devices.read(signal)
    const { bypassed } = zonesOf([{ id: partition }], view.listed)
    return bypassed.filter((zone) => hasZoneNumber(zone) && isDoor(zone))
  }
  try {
    const exitDelay = await exitDelayOf(partition, state)
    const until = clock.monotonic() + exitDelay + maxLookTime
    await delay(clock, exitDelay + lookDelay, signal)
    while (isLatest() && clock.monotonic() < until) {
      const doors = await look().catch((thrown) => {
        if (isClosed(thrown)) throw thrown
        return undefined
      })
      if (doors !== undefined) return doors
      await delay(clock, lookInterval, signal)
    }
  } catch {
    // The flow has stopped.
  }
  return []
}

/** Returns the milliseconds that people have to leave; 0 if the setup of the panel does not say. */
async function exitDelayOf(partition: number, state: CurrentState): Promise<number> {
  const { partitions } = await state.info()
  const times = partitions
    .filter(({ id }) => concerns([id], partition))
    .map((one) => one.exit_delay_time ?? 0)
  return second * Math.max(0, ...times)
}

/** Returns the error about doors that a panel has left out. */
export function leftOutError(doors: readonly Device[], panel: string): KeyholderError {
  const names = doors.map(zoneTitle).join(', ')
  const types = [...new Set(doors.map(({ zone_type }) => zone_type))].join(', ')
  const [was, is, it, them] =
    doors.length === 1
      ? ['it was', 'It is a door', 'it', 'the door']
      : ['they were', 'They are doors', 'them', 'the doors']
  return commandError(
    'COMMAND_FAILED',
    `${panel}: The panel is armed without ${names}, because ${was} open at the end of the exit delay. ${is} through which people leave and enter (${types}), so until the disarm anybody can open ${it} without an alarm. Disarm, close ${them}, and arm again.`,
    'DoorLeftOut',
  )
}
