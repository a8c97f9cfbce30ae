import assert from 'node:assert/strict'
import { catalogue, event, source } from '../../harness/fixtures/samples.ts'
import { zoneOf } from '../../harness/home-assistant/setups.ts'
import { zoneClass } from '../../src/home-assistant/entities/device-class.ts'
import { diagnosticState } from '../../src/home-assistant/entities/diagnostics.ts'
import {
  type EventType,
  eventState,
  eventTypeOf,
  triggersOf,
  whoSet,
} from '../../src/home-assistant/entities/event-types.ts'
import { eventMessage } from '../../src/messages/event-message.ts'

const messageOf = (typeId: number, fields: object = {}) =>
  eventMessage(
    { event: event({ type_id: typeId, label: '', ...fields }), key: 'key' },
    catalogue,
    source,
    'UTC',
  )

describe('The class of a zone', () => {
  it('comes from the subtype of a detector of a hazard, then from the zone type', () => {
    const classOf = (subtype: string, zone_type: string) => zoneClass(zoneOf(1, { subtype, zone_type }))
    assert.equal(classOf('SMOKE_HEAT', 'FIRE'), 'smoke')
    assert.equal(classOf('S_CO_SENSOR', 'GAS'), 'carbon_monoxide')
    assert.equal(classOf('CO', 'GAS'), 'carbon_monoxide')
    assert.equal(classOf('CONTACT', 'GAS'), 'gas')
    assert.equal(classOf('FLOOD_PROBE', 'FLOOD'), 'moisture')
    assert.equal(classOf('CONTACT_V', 'DELAY_1'), 'door')
    assert.equal(classOf('CONTACT', 'PERIMETER'), 'window')
    assert.equal(classOf('CONTACT', 'INTERIOR'), 'opening')
    assert.equal(classOf('SOMETHING_NEW', 'CUSTOM_1'), 'opening')
  })

  it('does not exist for what the service does not report: motion, broken glass, and devices that are no zone', () => {
    for (const subtype of [
      'MOTION',
      'FLAT_PIR_SMART',
      'S_OUT_CURTAIN',
      'MOTION_CAMERA',
      'GLASS_BREAK',
      'S_CEILING_LR',
    ])
      assert.equal(zoneClass(zoneOf(1, { subtype, zone_type: 'INTERIOR' })), null, subtype)
    assert.equal(zoneClass(zoneOf(1, { device_type: 'KEYFOB' })), null)
  })
})

describe('The type of an event', () => {
  it('follows its group, its family and its Contact ID', () => {
    const expected: Record<EventType, readonly number[]> = {
      alarm: [1, 5, 13, 36, 39, 77, 81, 110, 147],
      alarm_restore: [19, 23, 31, 37, 78, 82, 148],
      duress: [15],
      tamper: [8, 9, 10, 128, 171],
      tamper_restore: [26, 27, 129],
      trouble: [12, 17, 43, 47, 51, 55, 116, 90],
      trouble_restore: [30, 33, 44, 48, 52, 56],
      battery: [45, 49, 60, 124],
      arm: [85, 86, 87, 93, 96],
      disarm: [41, 89, 173],
      online: [999, 992],
      offline: [998, 1000],
      // The service files the first three among the alarms.
      other: [18, 35, 997, 57, 97, 99, 102],
    }
    for (const [type, ids] of Object.entries(expected))
      for (const id of ids) assert.equal(eventTypeOf(messageOf(id).payload), type, `${id}`)
  })

  it('fires the triggers of an alarm and of its kind', () => {
    const fired = (id: number) => triggersOf(messageOf(id).payload)
    assert.deepEqual(fired(1), ['alarm'])
    assert.deepEqual(fired(36), ['alarm', 'fire'])
    assert.deepEqual(fired(77), ['alarm', 'gas'])
    assert.deepEqual(fired(81), ['alarm', 'flood'])
    assert.deepEqual(fired(13), ['alarm', 'panic'])
    assert.deepEqual(fired(8), ['tamper'])
    assert.deepEqual(fired(15), ['duress'])
    assert.deepEqual(fired(55), ['line'])
    for (const id of [18, 35, 997, 19, 45, 89, 999, 57]) assert.deepEqual(fired(id), [])
  })

  it('tells who armed and who disarmed, also who ended an alarm', () => {
    const who = (id: number, appointment: string) => whoSet(messageOf(id, { appointment }))
    assert.deepEqual(who(86, 'Anna'), { key: 'armed_by', name: 'Anna' })
    assert.deepEqual(who(89, 'Ben'), { key: 'disarmed_by', name: 'Ben' })
    assert.deepEqual(who(31, 'Ben'), { key: 'disarmed_by', name: 'Ben' })
    assert.equal(who(173, ''), undefined)
    const ofPanel = { appointment: 'Control Panel', device_type: 'CONTROL_PANEL' }
    for (const id of [31, 89, 173]) assert.equal(whoSet(messageOf(id, ofPanel)), undefined)
    assert.equal(who(1, 'Hall'), undefined)
  })
})

describe('The attributes of an event', () => {
  it('tell a user from a zone, which have numbers of their own', () => {
    const of = (device_type: string) => {
      const {
        user,
        zone,
        zone_name,
        device_type: type,
      } = eventState(messageOf(86, { device_type, zone: 1, zone_name: 'Anna' }))
      return [user, zone, zone_name, type]
    }
    assert.deepEqual(of('USER'), [1, null, '', 'USER'])
    assert.deepEqual(of('ZONE'), [null, 1, 'Anna', 'ZONE'])
    assert.deepEqual(of('WL_SIREN'), [null, null, 'Anna', 'WL_SIREN'])
  })
})

describe('The diagnostics', () => {
  const account = (usedLastMinute: number, heldUntil?: number) => ({
    apiVersion: '14.0',
    heldUntil,
    license: undefined,
    budget: { limit: 30, usedLastMinute, waiting: 0, wanted: 6, usedToday: 900 },
  })
  const facts = (used: number, age = 0) => ({ online: true, age, validFor: 90_000, account: account(used) })

  it('tell the requests that are left only after a large change, or when none is left', () => {
    const first = diagnosticState(facts(4), undefined)
    assert.equal(first.requests_left, 26)
    assert.equal(diagnosticState(facts(9), first).requests_left, 26)
    assert.equal(diagnosticState(facts(12), first).requests_left, 18)
    const few = diagnosticState(facts(27), first)
    assert.equal(diagnosticState(facts(30), few).requests_left, 0)
  })

  it('tell the age of the data in minutes once it is too old to rely on', () => {
    assert.equal(diagnosticState(facts(0, 89_000), undefined).age, 0)
    assert.equal(diagnosticState(facts(0, 150_000), undefined).age, 2)
  })

  it('tell the ways of the panel to the service, each unknown until a status tells it', () => {
    const transports = { broadband: false, mobile: true }
    const { broadband, mobile } = diagnosticState({ ...facts(0), transports }, undefined)
    assert.deepEqual([broadband, mobile], ['OFF', 'ON'])
    assert.equal(diagnosticState(facts(0), undefined).broadband, null)
  })

  it('tell until when requests are paused', () => {
    const held = { ...facts(0), account: account(0, Date.UTC(2026, 10, 20)) }
    assert.equal(diagnosticState(held, undefined).held_until, '2026-11-20T00:00:00.000Z')
    assert.equal(diagnosticState(facts(0), undefined).held_until, null)
  })
})
