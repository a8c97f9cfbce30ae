import type { RehearsalScene } from '../../src/simulator/scenarios/rehearsal-scenes.ts'
import type { PanelOptions } from '../../src/simulator/world/panel-options.ts'
import type { Lack, ListOperation } from '../disturbances/incomplete-answer.ts'
import type { CommandFault } from './commands/command-faults.ts'
import type { CommandSource, WantedCommand } from './commands/wanted-command.ts'
import type { LifeRecord } from './life-record.ts'
import type { DeployKind } from './node-red/node-red.ts'
import type { ServiceFault } from './service/service-faults.ts'

/** The people who have a code of the simulated panel. */
export const people = ['Anna', 'Ben', 'Chiara'] as const

/** A person who has a code. */
export type Person = (typeof people)[number]

/** The house, its service and the machine of a life. */
export interface House {
  /** The begin, in milliseconds since 1970. */
  startsAt: number
  /** The zone in which the service writes the times of events and alarms. */
  timeZone: 'UTC' | 'Europe/Berlin'
  /** False for a service without a list of alarms, such as that of an installer. */
  hasAlarmList: boolean
  /** Minutes for which a window must be open before it is told; 0 for at once. */
  openAfter: number
  /** Minutes after which the list of conditions is told again. */
  remindAfter: number
  /** Detectors besides those of the sample house. */
  moreDetectors: number
  /** The options that the installer has set in the panel, besides the usual ones. */
  panelOptions: Partial<PanelOptions>
  /** False without the nodes Incident and Conditions, whose notes are saved before each event. */
  hasNotes: boolean
  /** True if the first list of events lacks all of them, as it may right after a sign-in. */
  isFirstListEmpty: boolean
  /** True if the winter garden is in the partitions House and Workshop: it guards only when both are armed. */
  hasSharedZone: boolean
  /** False without a Home Assistant node, which costs the most. */
  hasHomeAssistant: boolean
  /** True with a node that tests the alarm chain and calls a watcher outside. */
  hasChainTest: boolean
  /** False for a house that is polled at the panel's own pace. */
  hasFixedIntervals: boolean
  /** The error of the first machine's clock when the nodes start for the first time; null for none. */
  clockAtStart: WrongClock | null
  /** The number of machines with a Node-RED each, which share the account and the panel, and nothing else. */
  instances: number
  /** The attempts that the account of each machine allows in a minute. */
  requestsPerMinute: number
}

/** A usual house on a day without a change of the clocks: what a story does not tell of a house. */
export const usualHouse: House = {
  startsAt: Date.UTC(2026, 10, 20, 12),
  timeZone: 'UTC',
  hasAlarmList: true,
  openAfter: 0,
  remindAfter: 60,
  moreDetectors: 0,
  panelOptions: {},
  hasNotes: true,
  isFirstListEmpty: false,
  hasSharedZone: false,
  hasHomeAssistant: false,
  hasChainTest: false,
  hasFixedIntervals: true,
  clockAtStart: null,
  instances: 1,
  requestsPerMinute: 60,
}

/** Returns true if events tell each arming and disarm of a panel. */
export function reportsArmings({ panelOptions: { reports = 'all' } }: House): boolean {
  return reports === 'all'
}

/** A clock that is wrong: milliseconds by which it is ahead, and for how long; Infinity for ever. */
export interface WrongClock {
  offset: number
  lasts: number
}

/** Something that happens in a life: at the panel, on its way to the nodes, or to the nodes themselves. */
export type Deed = OutsideDeed | InstanceDeed

type OutsideDeed =
  | { what: 'arm'; partition: number; state: 'AWAY' | 'HOME'; person: Person; exitDelay: number }
  | { what: 'disarm'; partition: number; person: Person; isThreatened: boolean }
  | { what: 'open' | 'close'; zone: number }
  | { what: 'panic button' }
  /** The panel ends its alarms by itself and keeps them in its memory. */
  | { what: 'alarms time out' }
  | { what: 'tamper' | 'tamper ends' | 'battery low' | 'battery replaced'; zone: number }
  | { what: 'detector silent' | 'detector heard'; zone: number }
  | { what: 'power fails' | 'power returns' }
  /** The radio of the panel, which cannot be armed meanwhile. */
  | { what: 'radio jammed' | 'radio free' }
  | { what: 'bypass' | 'soak'; zone: number; enabled: boolean }
  | { what: 'temperature'; zone: number; value: number }
  /** Many detectors raise an alarm, and are at rest again a moment later. */
  | { what: 'alarms of detectors'; from: number; count: number }
  /** Events that change nothing, with a time that is so many milliseconds ago. */
  | { what: 'reports'; count: number; late: number }
  /** The service loses the newest events if they are such reports, and shows as many older ones than before. */
  | { what: 'events lost'; count: number }
  /** The installer opens the menu of the panel, which ends with the next disarm. */
  | { what: 'installer menu' }
  | { what: 'detector enrolled'; name: string }
  /** One of the two lines of the panel to the service. */
  | { what: 'line fails' | 'line returns'; line: 'broadband' | 'mobile' }
  /** The service takes the panel for disconnected for a moment, although it hears it. */
  | { what: 'panel flaps' }
  | { what: 'panel offline'; lasts: number }
  | { what: 'incomplete answer'; operation: ListOperation; lack: Lack }
  /** The session expires, and the first two answers of the next one to an operation lack something. */
  | { what: 'thin session'; operation: ListOperation; lack: Lack }
  | { what: 'late events'; seconds: number; lasts: number }
  | ServiceFault
  | ({ what: 'panel clock' } & WrongClock)
  /** The service shows each change of the panel late. */
  | { what: 'late changes'; seconds: number; lasts: number }
  /** A fault meets the next requests of an operation that belongs to commands. */
  | { what: 'command fault'; fault: CommandFault; operation: string; times: number }

/** A deed that happens to one Node-RED or its machine: the others go on. `instance` is its number, 0 by default. */
export type InstanceDeed = { instance?: number } & (
  | ({ what: 'machine clock' } & WrongClock)
  /** The flows stop and start again. */
  | { what: 'restart'; lasts: number }
  /** Node-RED, or its machine, ends after some more steps in the middle of what it does. */
  | ({ what: 'kill' | 'power cut'; lasts: number } & WorkDone)
  /** Node-RED does nothing, because a flow computes something. */
  | { what: 'stall'; lasts: number }
  | ({ what: 'deploy'; kind: DeployKind; change: DeployedChange } & Partial<WorkDone>)
  | DiskDeed
  /** The Home Assistant node is off: disabled, or its panel cannot be opened. */
  | { what: 'node off'; how: 'disabled' | 'no credentials' | 'no serial'; lasts: number }
  | { what: 'ask' }
  /** Somebody commands the panel through the nodes. */
  | { what: 'command'; from: CommandSource; command: WantedCommand }
  /** Somebody starts a rehearsal in the editor. */
  | { what: 'rehearsal'; scene: RehearsalScene; faster: boolean; homeAssistant: boolean }
  | { what: 'rehearsal stops' }
  /** A flow sends back a command of a rehearsal, whose mark may have become another one on its way. */
  | { what: 'rehearsed command'; mark: true | 1 | 'true'; command: WantedCommand }
  /** A test of the alarm chain is wanted, or a request from a network asks for one. */
  | { what: 'chain test'; from: 'button' | 'flow' | 'network' }
  /** Something comes back for the latest test: an answer, the preview of its link, or its own message. */
  | { what: 'chain answer'; from: 'person' | 'preview' | 'echo'; attempt: 1 | 2 }
)

/** The work that Node-RED does before something happens to it. */
export interface WorkDone {
  /** The steps are counted from the next list of events on; from now on by default. */
  when?: 'events come'
  steps: number
}

/** The disk of the machine fails for a time. */
export type DiskDeed =
  /** So many bytes still fit. */
  | { what: 'disk full'; room: number; lasts: number }
  | { what: 'disk read-only'; lasts: number }
  /** Each operation takes some milliseconds. */
  | { what: 'disk slow'; delay: number; lasts: number }
  | { what: 'file unreadable'; file: KeptFile; lasts: number }
  /** The folder of the files belongs to another user: nothing can be changed in it, or nothing reached. */
  | { what: 'folder denied'; access: 'change' | 'access'; lasts: number }

/** The files that the product keeps, each with the form of its path. */
export const keptFiles = {
  // A rehearsal has a folder of its own.
  cursor: /\/keyholder\/events-[^/]*\.json$/,
  'previous cursor': /\/keyholder\/events-[^/]*\.previous$/,
  'cursor and its copy': /\/keyholder\/events-[^/]*\.(json|previous)$/,
  rejections: /\/keyholder\/[^/]*\.rejected\.json$/,
  'accepted secrets': /\/keyholder\/[^/]*\.accepted\.json$/,
  attempts: /\/keyholder\/user-[^/]*\.log$/,
  destinations: /\/keyholder\/stored-for\.json$/,
  'chain test': /\/keyholder\/chain-test-[^/]*\.json$/,
  catalogue: /\/keyholder\/catalogue-[^/]*\.json$/,
} as const satisfies Readonly<Record<string, RegExp>>

/** A file that the product keeps. */
export type KeptFile = keyof typeof keptFiles

/** The things that a deploy can change: the name of a node, which starts it anew, or nothing. */
export const deployedChanges = [
  'nothing',
  'panel',
  'account',
  'state',
  'events',
  'incident',
  'conditions',
] as const

type DeployedChange = (typeof deployedChanges)[number]

/** A deed and the milliseconds that pass before it. */
export interface Step {
  after: number
  deed: Deed
}

/** A house in which things happen one after another. */
export interface Life {
  house: House
  steps: readonly Step[]
  /** The seed of the order of all that can happen at the same moment; 1 by default. */
  order?: number
}

/** Something that was told in a life and is not true. */
export interface Untruth {
  /** The claim: the first untruth of a life about it stands for those that follow. */
  readonly subject: string
  readonly sentence: string
  /** Milliseconds since the nodes started for the first time. */
  readonly at: number
}

/** A life that was lived. */
export interface Lived {
  readonly untrue: readonly Untruth[]
  /** The moment of each step, in milliseconds since the nodes started for the first time. */
  readonly times: readonly number[]
  readonly record: LifeRecord
}
