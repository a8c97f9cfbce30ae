import { onAbort } from '../../../clock.ts'
import { second } from '../../../duration.ts'
import { hasZoneNumber, nameOfZone, zonesOf } from '../../devices/device.ts'
import type { SetState } from '../command.ts'
import type { BypassedZone } from '../command-queue.ts'
import { type CommandedPanel, CurrentState } from '../current-state.ts'

/** Milliseconds for which the answer to an arming waits for the list of devices. */
const maxListWait = 3 * second

/**
 * Returns the zones that an arming leaves out, whoever has bypassed them: those that the list of devices shows in its
 * partitions, and those that the command has bypassed, which the list may not show yet. Null if the list cannot be read in
 * time. Never rejects.
 * @param proved the zones that the command has bypassed
 * @param cancellation ends the wait, because a disarm waits or the flow stops
 */
export async function readBypassedZones(
  { partition }: SetState,
  proved: readonly BypassedZone[],
  panel: CommandedPanel,
  cancellation: AbortSignal,
): Promise<readonly BypassedZone[] | null> {
  const { clock } = panel.account
  const waiting = new AbortController()
  const stay = onAbort(cancellation, () => waiting.abort())
  const cancelTimer = clock.after(maxListWait, () => waiting.abort())
  try {
    const { value: devices } = await new CurrentState(panel, waiting.signal).devices(clock.monotonic())
    const { bypassed } = zonesOf([{ id: partition }], devices)
    const shown = bypassed.filter(hasZoneNumber).map(({ device_number }) => device_number as number)
    const zones = new Set([...proved.map(({ zone }) => zone), ...shown])
    return [...zones]
      .sort((one, other) => one - other)
      .map((zone) => ({ zone, name: nameOfZone(zone, devices) }))
  } catch {
    return null
  } finally {
    stay()
    cancelTimer()
  }
}
