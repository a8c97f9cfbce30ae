import assert from 'node:assert/strict'
import { device, panelDevices, partitionState } from '../../../harness/fixtures/samples.ts'
import { setupOf } from '../../../harness/home-assistant/setups.ts'
import { setState } from '../../../harness/panel/commanded-panel.ts'
import { stateStatus } from '../../../nodes/state/behavior.ts'
import {
  announcedDetector,
  detectorState,
  nameOfDevice,
} from '../../../src/home-assistant/entities/detector.ts'
import { zoneClass } from '../../../src/home-assistant/entities/device-class.ts'
import { panelPayload, partitionPayload } from '../../../src/home-assistant/entities/panel-state.ts'
import { describeReasons } from '../../../src/panel/commands/not-ready.ts'
import { deviceConditions } from '../../../src/panel/conditions/condition-evidence.ts'
import { readings } from '../../../src/panel/devices/readings.ts'
import type { StateView } from '../../../src/panel/state/partition-state.ts'
import { deviceWarnings } from '../../../src/service/catalogue/device-types.ts'
import type { Device } from '../../../src/service/responses/devices.ts'

const traitOf = (bypassed: boolean) => ({ bypass: { enabled: bypassed }, location: { name: 'Hall' } })

/** Zones that are odd in one way each, in the partition 1. */
const zones: Record<string, object> = {
  'a contact': { name: 'Door' },
  'a zone with spaces around its name': { name: ' Door ' },
  'a zone with a blank name': { name: '   ', traits: traitOf(false) },
  'a zone with a blank name and a blank location': { name: ' ', traits: { location: { name: '  ' } } },
  'a zone without a name': { name: '' },
  'a zone without a number': { name: 'Door', device_number: null },
  'a zone without a name and a number': { name: '', device_number: null },
  'a zone that its trait shows as bypassed': { name: 'Door', traits: traitOf(true) },
  'a zone that its trait shows as not bypassed': { name: 'Door', traits: traitOf(false) },
  'a zone in a soak test': { name: 'Door', traits: { soak: { enabled: true } } },
  'a tamper zone': { name: 'Box', zone_type: 'TAMPER' },
  'a detector of smoke': { name: 'Landing', subtype: 'SMOKE', zone_type: 'FIRE' },
  'a detector of heat': { name: 'Boiler', subtype: 'TEMPERATURE', zone_type: 'TEMPERATURE' },
  'a detector of water': { name: 'Cellar', subtype: 'FLOOD', zone_type: 'FLOOD' },
  'a detector of carbon monoxide': { name: 'Boiler', subtype: 'CO', zone_type: 'GAS' },
  'a detector of gas': { name: 'Stove', subtype: 'GAS', zone_type: 'GAS' },
}

/** Every warning word, a memory and a word that nobody knows; none is a zone without a warning. */
const words = ['', ...deviceWarnings, 'ALARM_MEMORY', 'SOMETHING_NEW']

const keys = ['open', 'tamper', 'battery', 'problem', 'bypassed']
const setup = setupOf({
  ...{ allowsCommands: false, groups: new Set(['zones', 'bypass']) },
  nameOf: (text, values) => `${text} ${values?.id ?? ''}`,
})
const nameOf = (one: Device) => nameOfDevice(setup, one)
const notReady = partitionState({ id: 1, name: 'House', ready: false })

/** Returns the part of a refusal behind the word that begins a sentence, as far as its end; empty without such a sentence. */
const sentenceOf = (refusal: string, begin: RegExp) =>
  new RegExp(`${begin.source}([^.]*)\\.`).exec(refusal)?.[1] ?? ''

function refusalOf(...devices: Device[]): string {
  const partition = { ...{ id: 1, name: 'House', state: 'DISARM', status: '', ready: false }, isInUse: true }
  const partitions = [{ ...partition, options: [], settable: [], definitions: [] }]
  return describeReasons(
    { partitions, command: setState('AWAY'), bypassMode: 'manual_bypass' },
    { devices },
  ).replace('House (partition 1) is not ready to arm. ', '')
}

/** Returns what each teller says of a zone: a member for each fact, with a member for each teller that tells it. */
function told(zone: Device): Record<string, Record<string, unknown>> {
  const all = readings({ listed: [zone], gone: [] }, 'UTC')
  const reading = (kind: string) => all.find((one) => one.kind === kind)?.value === true
  const conditions = deviceConditions(panelDevices([zone]), [], 0)
  const isCondition = (...kinds: string[]) => conditions.some(({ kind }) => kinds.includes(kind))
  const announced = announcedDetector(setup, zone, keys) ?? assert.fail()
  const state = detectorState(announced, zone, { isAlarmed: false, timeZone: 'UTC' })
  const payload = panelPayload({ partitions: [notReady] } as StateView, [zone], null, nameOf) as Record<
    string,
    unknown
  >
  const { ready_attributes } = partitionPayload(notReady, [zone], nameOf) as {
    ready_attributes: { open_zones: string[] }
  }
  const refusal = refusalOf(zone)
  const [closing, repair, detected, bypassed] = [
    /Close[^:]*: /,
    /Repair[^:]*: /,
    /Detected: /,
    /Bypassed[^:]*: /,
  ].map((begin) => sentenceOf(refusal, begin))
  const status = (stateStatus([notReady], [zone]) as { detail?: string }).detail ?? ''
  const isHazard = ['smoke', 'heat', 'moisture', 'gas', 'carbon_monoxide'].includes(zoneClass(zone) ?? '')
  const isBypassed = reading('bypassed')
  const name = all[0]?.device.label.toLowerCase() ?? ''
  const number = zone.device_number
  const titles = ['', name, `${name} (zone ${number})`]
  const titleOf = (sentence = '') => sentence.split(':')[0]?.toLowerCase()
  return {
    open: {
      readings: reading('open'),
      conditions: isCondition('open'),
      ...(!isHazard && { homeAssistant: state.open === 'ON' }),
    },
    'open and not bypassed': {
      readings: reading('open') && !isBypassed,
      homeAssistant: ready_attributes.open_zones.length > 0,
      ...(!isHazard && { refusal: closing !== '' }),
    },
    bypassed: {
      readings: isBypassed,
      device: all[0]?.device.bypassed === true,
      conditions: isCondition('bypassed'),
      homeAssistant: state.bypassed === 'ON',
      panelOfHomeAssistant: payload.bypassed_zones === 'ON',
      refusal: bypassed !== '',
    },
    faulty: {
      conditions: isCondition('tamper', 'battery', 'lost', 'trouble'),
      homeAssistant: [state.tamper, state.battery, state.problem].includes('ON'),
      panelOfHomeAssistant: payload.problem === 'ON',
      ...(!isBypassed && { refusal: repair !== '' }),
    },
    ...(isHazard &&
      !isBypassed &&
      !/PANIC|EMERGENCY/.test(zone.warnings[0]?.type ?? '') && {
        detects: { homeAssistant: state.open === 'ON', refusal: detected !== '' },
      }),
    'prevents arming': { status: status !== '', refusal: `${closing}${repair}${detected}` !== '' },
    name: {
      readings: name,
      homeAssistant: announced.device.name?.toString().toLowerCase(),
      ...(status !== '' && { status: status.toLowerCase() }),
      ...(conditions[0] && { conditions: conditions[0].name.toLowerCase() }),
    },
    'title of the refusal': {
      isKnown: [closing, repair, detected, bypassed].every((one) => titles.includes(titleOf(one) ?? '')),
      expected: true,
    },
  }
}

describe('What is told of a zone', () => {
  for (const [what, fields] of Object.entries(zones))
    it(`is the same for every teller and warning: ${what}`, () => {
      const warnings = words.flatMap((type) => [false, true].map((in_memory) => ({ type, in_memory })))
      const differing = warnings.flatMap((warning) => {
        const zone = device({ ...fields, warnings: warning.type === '' ? null : [warning] })
        const facts = Object.entries(told(zone))
        return facts
          .filter(([, by]) => new Set(Object.values(by)).size > 1)
          .map(([fact, by]) => ({ warning, fact, by }))
      })
      assert.deepEqual(differing, [])
    })
})
