import type { FlowMessage } from '../../recorder.ts'

/** A command that somebody wants a panel to carry out. */
export type WantedCommand =
  | {
      action: 'set_state'
      /** -1 is the whole panel. */
      partition: number
      state: 'AWAY' | 'HOME' | 'NIGHT' | 'DISARM'
      openZones?: 'refuse' | 'bypass'
    }
  | { action: 'bypass'; zone: number; enabled: boolean }
  | { action: 'siren_on' | 'siren_off' }

/** An arming or a disarm. */
export type WantedState = Extract<WantedCommand, { action: 'set_state' }>

/** The places from which commands come: a flow, the buttons of a dashboard, Home Assistant, or Home Assistant with a wrong code. */
export const commandSources = ['flow', 'dashboard', 'home assistant', 'stranger'] as const

/** A place from which commands come. */
export type CommandSource = (typeof commandSources)[number]

/** Returns the topic of a command below the one of the panel in Home Assistant. */
function topicOf(command: WantedCommand, idOf: (zone: number) => number): string {
  switch (command.action) {
    case 'set_state':
      return `partition_${command.partition}/set`
    case 'bypass':
      return `d${idOf(command.zone)}/bypass/set`
    default:
      return 'siren/set'
  }
}

function wordOf(command: WantedCommand): string {
  if (command.action === 'bypass') return command.enabled ? 'ON' : 'OFF'
  if (command.action !== 'set_state') return command.action === 'siren_on' ? 'ON' : 'OFF'
  if (command.state === 'DISARM') return 'DISARM'
  return pastOpenZones(command) ? 'ARM_CUSTOM_BYPASS' : `ARM_${command.state}`
}

/** Returns true for the arming past open zones that Home Assistant has a word for. */
function pastOpenZones({ state, openZones }: WantedState): boolean {
  return state === 'AWAY' && openZones === 'bypass'
}

/** The facts about a panel that its commands need. */
export interface CommandedHouse {
  readonly serial: string
  /** The user code that the product has. */
  readonly code: string
  /** Returns the id of the detector with a number. */
  idOf(zone: number): number
}

/**
 * Returns the message in which a command comes to its node: with all fields from a flow, as the example of a dashboard sends it, or
 * as Home Assistant writes it to the broker.
 */
export function messageOf(
  from: CommandSource,
  command: WantedCommand,
  { serial, code, idOf }: CommandedHouse,
): FlowMessage {
  switch (from) {
    case 'flow':
      return { payload: { ...command } }
    case 'dashboard': {
      if (command.action !== 'set_state') return { payload: { ...command } }
      const { partition, state, openZones } = command
      const pressed = { partition, state }
      return {
        command: pressed,
        payload: { ...pressed, ...(openZones === 'bypass' && { openZones }) },
      }
    }
    default: {
      const word = wordOf(command)
      const entered = from === 'stranger' ? `${code}0` : code
      const payload = command.action === 'set_state' ? JSON.stringify({ action: word, code: entered }) : word
      return { topic: `keyholder/${serial}/${topicOf(command, idOf)}`, payload, retain: false }
    }
  }
}

/** Returns true for a command that arms. */
export function isArming(command: WantedCommand): command is WantedState {
  return command.action === 'set_state' && command.state !== 'DISARM'
}

/** Returns true for a command that disarms. */
export function isDisarm(command: WantedCommand): command is WantedState {
  return command.action === 'set_state' && command.state === 'DISARM'
}

/** Returns the command in words. */
export function describe(command: WantedCommand): string {
  switch (command.action) {
    case 'set_state': {
      const past = command.openZones === 'bypass' ? ' past open zones' : ''
      return `${command.state} of partition ${command.partition}${past}`
    }
    case 'bypass':
      return `${command.enabled ? 'bypass' : 'end of the bypass'} of zone ${command.zone}`
    default:
      return command.action
  }
}
