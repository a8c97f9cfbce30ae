import { formatDuration } from '../../../src/duration.ts'
import { usualOptions } from '../../../src/simulator/world/panel-options.ts'
import { createSites } from '../../../src/simulator/world/sample-sites.ts'
import { describe } from '../commands/wanted-command.ts'
import { isInstanceDeed, nameOfInstance } from '../instance/instances.ts'
import { type Deed, type House, usualHouse, type WrongClock } from '../life.ts'
import { serviceSentences } from './service-sentences.ts'

/** The deeds of a kind: a row of the type `Deed` can have several kinds. */
export type DeedOf<What extends Deed['what']> = Deed extends infer Row
  ? Row extends Deed
    ? What extends Row['what']
      ? Row
      : never
    : never
  : never

/** The sentence of each kind of deed, for a person who does not know the code. */
const sentences: { readonly [What in Deed['what']]: (deed: DeedOf<What>) => string } = {
  arm: ({ person, partition, state, exitDelay }) =>
    `${person} arms ${partitionName(partition)} ${state}${exitDelay > 0 ? `, with an exit delay of ${formatDuration(exitDelay * 1000)}` : ''}`,
  disarm: ({ person, partition, isThreatened }) =>
    `${person} disarms ${partitionName(partition)}${isThreatened ? ', under threat' : ''}`,
  open: ({ zone }) => `${zoneName(zone)} opens`,
  close: ({ zone }) => `${zoneName(zone)} closes`,
  'panic button': () => 'somebody presses the panic button',
  'alarms time out': () => 'the panel ends its alarms by itself',
  tamper: ({ zone }) => `the case of ${zoneName(zone)} is opened`,
  'tamper ends': ({ zone }) => `the case of ${zoneName(zone)} is closed`,
  'battery low': ({ zone }) => `the battery of ${zoneName(zone)} is low`,
  'battery replaced': ({ zone }) => `the battery of ${zoneName(zone)} is replaced`,
  'detector silent': ({ zone }) => `the panel no longer hears ${zoneName(zone)}`,
  'detector heard': ({ zone }) => `the panel hears ${zoneName(zone)} again`,
  'power fails': () => 'the mains power of the panel fails',
  'power returns': () => 'the mains power of the panel returns',
  'radio jammed': () => 'the radio of the panel is jammed',
  'radio free': () => 'the radio of the panel is free again',
  bypass: ({ zone, enabled }) => `${zoneName(zone)} is ${enabled ? 'bypassed' : 'no longer bypassed'}`,
  soak: ({ zone, enabled }) => `the soak test of ${zoneName(zone)} ${enabled ? 'begins' : 'ends'}`,
  temperature: ({ zone, value }) => `${zoneName(zone)} measures ${value} °C`,
  'alarms of detectors': ({ from, count }) =>
    `${count} of the further detectors, from number ${from + 1} on, raise an alarm together`,
  reports: ({ count, late }) =>
    `the panel reports ${count === 1 ? 'an event' : `${count} events`} of ${late === 0 ? 'this second' : `${formatDuration(late)} ago`}`,
  'events lost': ({ count }) =>
    `the service loses the newest ${count === 1 ? 'event' : `${count} events`}, and shows as many older ones again`,
  'installer menu': () => 'the installer opens the menu of the panel',
  'detector enrolled': ({ name }) => `the installer enrolls the detector ${name}`,
  'line fails': ({ line }) => `the ${line} line of the panel fails`,
  'line returns': ({ line }) => `the ${line} line of the panel works again`,
  'panel flaps': () => 'the service takes the panel for disconnected for a moment',
  'panel offline': ({ lasts }) => `the service does not hear the panel ${forTime(lasts)}`,
  'incomplete answer': ({ operation, lack }) =>
    `the next answer of the service to ${operation} ${lack === 'all' ? 'is empty' : `lacks entry ${lack}`}`,
  'thin session': ({ operation, lack }) =>
    `the session expires, and the first two answers of the next one to ${operation} ${lack === 'all' ? 'are empty' : `lack entry ${lack}`}`,
  'late events': ({ seconds, lasts }) =>
    `events come ${formatDuration(seconds * 1000)} late ${forTime(lasts)}`,
  'machine clock': (clock) => `the clock of the machine is ${wrongBy(clock)}`,
  'panel clock': (clock) => `the clock of the panel is ${wrongBy(clock)}`,
  restart: ({ lasts }) => (lasts === 0 ? 'the flows restart' : `the flows stop ${forTime(lasts)}`),
  kill: ({ lasts, when }) => `Node-RED is killed ${inTheMiddleOf(when)}, and starts ${after(lasts)}`,
  'power cut': ({ lasts, when }) =>
    `the machine loses its power ${inTheMiddleOf(when)}, and Node-RED starts ${after(lasts)}`,
  stall: ({ lasts }) => `a flow computes something ${forTime(lasts)}, and Node-RED does nothing else`,
  deploy: ({ kind, change, when }) =>
    `a deploy (${kind}) changes ${change === 'nothing' ? change : `the name of ${change}`}${when === undefined ? '' : ` ${inTheMiddleOf(when)}`}`,
  'node off': ({ how, lasts }) => `${offBy[how]} ${forTime(lasts)}`,
  ...serviceSentences,
  'disk full': ({ room, lasts }) => `the disk has room for ${room} bytes ${forTime(lasts)}`,
  'disk read-only': ({ lasts }) => `the disk is read-only ${forTime(lasts)}`,
  'disk slow': ({ delay, lasts }) => `each operation of the disk takes ${delay} ms ${forTime(lasts)}`,
  'file unreadable': ({ file, lasts }) => `the file of the ${file} cannot be read ${forTime(lasts)}`,
  'folder denied': ({ access, lasts }) =>
    `nothing in the folder of the files can be ${access === 'change' ? 'changed' : 'reached'} ${forTime(lasts)}`,
  ask: () => 'the flow asks each node that answers',
  command: ({ from, command }) => `${commanders[from]} commands ${describe(command)}`,
  rehearsal: ({ scene, faster, homeAssistant }) =>
    `a rehearsal of ${scene} begins${faster ? ', faster' : ''}${homeAssistant ? ', also in Home Assistant' : ''}`,
  'rehearsal stops': () => 'somebody stops the rehearsal',
  'rehearsed command': ({ mark, command }) =>
    `a flow commands ${describe(command)}, with the mark ${JSON.stringify(mark)} of a rehearsal`,
  'chain test': ({ from }) =>
    `${{ button: 'somebody presses the button of', flow: 'a flow begins', network: 'a request from a network asks for' }[from]} a test of the alarm chain`,
  'chain answer': ({ from, attempt }) =>
    `${{ person: 'a person answers', preview: 'a messenger shows the preview of', echo: 'a flow sends back' }[from]} message ${attempt} of the latest test of the alarm chain`,
  'late changes': ({ seconds, lasts }) =>
    `the service shows each change ${formatDuration(seconds * 1000)} late ${forTime(lasts)}`,
  'command fault': ({ fault, operation, times }) =>
    `the next ${times === 1 ? 'request' : `${times} requests`} of ${operation} ${times === 1 ? 'meets' : 'meet'} the fault "${fault}"`,
}

const commanders: Readonly<Record<DeedOf<'command'>['from'], string>> = {
  flow: 'a flow',
  dashboard: 'a dashboard',
  'home assistant': 'Home Assistant',
  stranger: 'somebody with a wrong code at Home Assistant',
}

const offBy: Readonly<Record<DeedOf<'node off'>['how'], string>> = {
  disabled: 'the Home Assistant node is disabled',
  'no credentials': 'the panel node has no user code',
  'no serial': 'the panel node has no panel',
}

/** The words for each way in which a house can differ from the usual one. */
const differences: { readonly [Name in keyof House]: (value: House[Name]) => string } = {
  startsAt: (time) => `it begins on ${new Date(time).toISOString().slice(0, 16).replace('T', ' at ')} UTC`,
  timeZone: (zone) => `the service writes the times of ${zone}`,
  hasAlarmList: () => 'the service has no list of alarms',
  openAfter: (minutes) => `an open window is told after ${formatDuration(minutes * 60_000)}`,
  remindAfter: (minutes) => `conditions are told again after ${formatDuration(minutes * 60_000)}`,
  moreDetectors: (count) => `${count} further detectors`,
  panelOptions: (options) => `panel options ${optionsOf(options) || 'as usual'}`,
  hasNotes: () => 'no nodes Incident and Conditions',
  isFirstListEmpty: () => 'the first list of events is empty',
  hasSharedZone: () => 'the winter garden is in House and in Workshop',
  hasHomeAssistant: () => 'a Home Assistant node',
  hasChainTest: () => 'a node that tests the alarm chain',
  hasFixedIntervals: () => "polls at the panel's own pace",
  clockAtStart: (clock) =>
    `at the start the clock of the machine is ${clock === null ? 'right' : wrongBy(clock)}`,
  instances: (count) => `${count} machines with a Node-RED each`,
  requestsPerMinute: (count) => `the account allows ${count} requests a minute`,
}

/** Returns the sentence of a deed; with the name of the instance to which it happens, except of the first. */
export function sentenceOf(deed: Deed): string {
  const sentence = (sentences[deed.what] as (deed: Deed) => string)(deed)
  const { instance = 0 } = isInstanceDeed(deed) ? deed : {}
  return instance === 0 ? sentence : `${nameOfInstance(instance)}: ${sentence}`
}

/** Returns true if there are deeds of a kind. */
export function isKnown(what: string): boolean {
  return Object.hasOwn(sentences, what)
}

/** Returns in what a house differs from the usual one, in words; the empty text if in nothing. */
export function differencesOf(house: House): string {
  const names = (Object.keys(usualHouse) as (keyof House)[]).filter((name) => isUnusual(house, name))
  const words = names.map((name) => (differences[name] as (value: unknown) => string)(house[name]))
  return words.join('; ')
}

/** Returns true if a house differs from the usual one in a field. */
export function isUnusual(house: House, name: keyof House): boolean {
  return JSON.stringify(house[name]) !== JSON.stringify(usualHouse[name])
}

function optionsOf(options: House['panelOptions']): string {
  const unusual = Object.entries({ ...usualOptions, ...options }).filter(
    ([name, value]) => value !== usualOptions[name as keyof typeof usualOptions],
  )
  return unusual.map(([name, value]) => `${name} ${value}`).join(', ')
}

function wrongBy({ offset, lasts }: WrongClock): string {
  return `${formatDuration(Math.abs(offset))} ${offset < 0 ? 'behind' : 'ahead'} ${forTime(lasts)}`
}

function after(ms: number): string {
  return ms === 0 ? 'at once' : `after ${formatDuration(ms)}`
}

function inTheMiddleOf(when: 'events come' | undefined): string {
  return when === undefined ? 'in the middle of its work' : 'when the next events have come'
}

function forTime(ms: number): string {
  return Number.isFinite(ms) ? `for ${formatDuration(ms)}` : 'for ever'
}

const [sample] = createSites(1, '')

function partitionName(id: number): string {
  return sample?.partitions.find((partition) => partition.id === id)?.name ?? `partition ${id}`
}

function zoneName(zone: number): string {
  const device = sample?.devices.find(
    ({ device_type, device_number }) => device_type === 'ZONE' && device_number === zone,
  )
  const name = device?.name || device?.traits.location?.name
  return name === undefined ? `zone ${zone}` : `${name} (zone ${zone})`
}
