import { wholePanel } from '../../service/partition.ts'

/** The states that a flow can request. */
export const requestedStates = ['AWAY', 'HOME', 'DISARM'] as const

/** A state that a flow can request. */
export type RequestedState = (typeof requestedStates)[number]

/** Arm or disarm. */
export interface SetState {
  action: 'set_state'
  /** -1 is the whole panel. */
  partition: number
  state: RequestedState
  /** Words of the panel, such as `NOENTRY`. */
  options: readonly string[]
}

/** Leave a zone out of arming, or take it in again. */
export interface Bypass {
  action: 'bypass'
  /** The device number of the zone. */
  zone: number
  enabled: boolean
}

/** Let all sirens sound, or silence them. */
export interface Siren {
  action: 'siren_on' | 'siren_off'
}

/** What a flow wants a panel to do. */
export type Command = SetState | Bypass | Siren

/** Whether a command makes the premises safe to enter: it must not wait for others. */
export function isDisarm(command: Command): boolean {
  return command.action === 'set_state' && command.state === 'DISARM'
}

/** Whether a disarm undoes what an earlier command would do: that one is better not sent at all any more. */
export function undoes(disarm: Command, earlier: Command): boolean {
  if (!isDisarm(disarm) || disarm.action !== 'set_state') return false
  if (isDisarm(earlier) || earlier.action !== 'set_state') return false
  const ids = [disarm.partition, earlier.partition]
  return ids.includes(wholePanel) || disarm.partition === earlier.partition
}

/** A command as the log names it; it can begin a sentence. */
export function inWords(command: Command): string {
  switch (command.action) {
    case 'set_state': {
      const { state, partition } = command
      return `${state} of ${partition === wholePanel ? 'the whole panel' : `partition ${partition}`}`
    }
    case 'bypass':
      return `${command.enabled ? 'The bypass' : 'The end of the bypass'} of zone ${command.zone}`
    case 'siren_on':
      return 'The sounding of the siren'
    case 'siren_off':
      return 'The silencing of the siren'
  }
}
