import assert from 'node:assert/strict'
import { storyEventOf } from '../../../harness/incidents/story-events.ts'
import { eventTypeOf, triggersOf } from '../../../src/home-assistant/entities/event-types.ts'
import { eventMessage } from '../../../src/messages/event-message.ts'
import { kindOfStart } from '../../../src/panel/conditions/condition-evidence.ts'
import { withDefaults } from '../../../src/panel/events/event-catalogue.ts'
import { roleOf } from '../../../src/panel/incidents/story-event.ts'
import { evidenceOf } from '../../../src/panel/state/state-changes.ts'
import { alarmKindOf, isDuress, kindOfCode } from '../../../src/service/catalogue/alarm-kind.ts'
import { catalogueEnUs } from '../../../src/service/catalogue/en-us.ts'
import type { PanelEvent } from '../../../src/service/responses/events.ts'

/** A type that only the service has. */
const ownType = (typeId: number, group: string, contactId: string) => ({
  ...{ typeId, group, contactId },
  ...{ vis: '', sia: '', label: '', description: '', descriptionOriginal: '' },
})

const groups = ['EP_ALARM', 'EP_ALERT', 'EP_DURESS', 'EP_RESTORE', 'EP_NOTICE']
const codes = ['', '0000', '220', ...Array.from({ length: 100 }, (_, at) => `1${100 + at}`), '1383', '1601']
const ownTypes = groups.flatMap((group, nth) =>
  codes.map((code, at) => ownType(2000 + 1000 * nth + at, group, code)),
)
const catalogue = withDefaults(ownTypes)
const types = [...catalogue.values()]

const source = {
  name: 'Home',
  panel: { serial: 'A1', alias: '', online: true },
  fetchedAt: '2026-11-22T03:15:00.000Z',
  stale: false,
}
const eventOf = (typeId: number): PanelEvent => ({
  ...{
    event: 1,
    type_id: typeId,
    label: '',
    description: '',
    appointment: '',
    datetime: '2026-11-22 03:15:00',
  },
  ...{ video: false, device_type: 'ZONE', zone: 1, zone_name: 'Hall', partitions: [1] },
})
const payloadOf = (typeId: number) =>
  eventMessage({ event: eventOf(typeId), key: 'k' }, catalogue, source, 'UTC').payload

describe('The kind of alarm', () => {
  it('of a type is the same for incidents, conditions, Home Assistant and an inferred state', () => {
    // Alarms for Home Assistant only: temperatures, which nobody disarms.
    const temperatures = new Set([108, 110, 112, 114])
    for (const type of types) {
      const { typeId, group, contactId } = type
      const kind = alarmKindOf(type)
      const name = `${typeId} ${group} ${contactId}: ${kind}`
      assert.equal(roleOf({ typeId }, catalogue).ending?.incident ?? null, kind, name)
      const payload = payloadOf(typeId)
      const triggers = triggersOf(payload).filter((trigger) => trigger !== 'line')
      const isTemperature =
        temperatures.has(typeId) || (group === 'EP_ALERT' && /^115[2389]$/.test(contactId))
      if (kind === null) assert.deepEqual(triggers, isTemperature ? ['alarm'] : [], name)
      else if (kind === 'duress' || kind === 'tamper') assert.deepEqual(triggers, [kind], name)
      else {
        const own = kind === 'medical' ? 'panic' : kind
        const hasOwn = own !== 'burglary' && own !== 'alarm'
        assert.deepEqual(triggers, hasOwn ? ['alarm', own] : ['alarm'], name)
        assert.equal(eventTypeOf(payload), 'alarm', name)
      }
      const condition = kindOfStart(storyEventOf(typeId, 0), catalogue)
      if (kind === 'tamper') assert.equal(condition, 'tamper', name)
      else if (kind !== null) assert.equal(condition, undefined, name)
      const isInAlarm = evidenceOf(eventOf(typeId), catalogue) === 'ALARM'
      assert.equal(isInAlarm, group === 'EP_ALARM' && kind !== null && kind !== 'duress', name)
    }
  })

  it('is known of a type that only the service has by group and Contact ID', () => {
    const kind = (group: string, contactId: string) => alarmKindOf(ownType(9999, group, contactId))
    assert.deepEqual(
      ['1101', '1111', '120', '1131', '1137', '1151', '1154', '1142', '0000', ''].map((code) =>
        kind('EP_ALARM', code),
      ),
      ['medical', 'fire', 'panic', 'burglary', 'tamper', 'gas', 'flood', 'alarm', 'alarm', 'alarm'],
    )
    assert.deepEqual([kind('EP_ALERT', '1162'), kind('EP_ALERT', '1131')], ['gas', null])
    assert.deepEqual([kind('EP_RESTORE', '3131'), kind('EP_NOTICE', '1110')], [null, null])
  })

  it('is duress also if a service files it among the alarms', () => {
    assert.deepEqual(
      types.filter((type) => isDuress(type) && catalogueEnUs.includes(type)).map(({ typeId }) => typeId),
      [15],
    )
    assert.ok(isDuress(ownType(9999, 'EP_DURESS', '')))
    assert.ok(isDuress(ownType(9999, 'EP_ALARM', '1121')))
  })

  it('of a Contact ID does not depend on its qualifier', () => {
    assert.deepEqual(['1110', '3110', '110'].map(kindOfCode), ['fire', 'fire', 'fire'])
    assert.deepEqual(['', '0000', '1301', '3406'].map(kindOfCode), [null, null, null, null])
  })
})
