import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../harness/fixtures/any-json.ts'
import { catalogue, event, source } from '../../harness/fixtures/samples.ts'
import { type EventFilter, eventMessage, gapMessage, matches } from '../../src/messages/event-message.ts'
import { panelEvents } from '../../src/service/responses/events.ts'
import { parse } from '../../src/service/schema.ts'

const messageOf = (fields: Parameters<typeof event>[0] = {}, marks = {}) =>
  eventMessage({ event: event(fields), key: 'key-1' }, catalogue, source, 'UTC', marks)

describe('An event message', () => {
  it('of an unknown event type has the topic other, and null for fields that only the catalogue provides', () => {
    const { topic, payload } = messageOf({ type_id: 4711, label: 'EL_NEW', description: 'Something new' })
    assert.equal(topic, 'House/event/other')
    assert.deepEqual([payload.known, payload.typeId, payload.group], [false, 4711, null])
    assert.deepEqual([payload.contactId, payload.sia, payload.vis], [null, null, null])
    assert.deepEqual(
      [payload.label, payload.description, payload.descriptionOriginal],
      ['NEW', 'Something new', ''],
    )
  })

  it('without an event type has the topic other', () => {
    const { topic, payload } = messageOf({ type_id: null, label: '', description: '' })
    assert.equal(topic, 'House/event/other')
    assert.deepEqual(
      [payload.typeId, payload.known, payload.label, payload.description],
      [null, false, '', ''],
    )
  })

  it('prefers the description and label of the event to those of the catalogue', () => {
    const own = messageOf({ description: 'Scharf', label: 'EL_OWN' }).payload
    assert.deepEqual([own.description, own.descriptionOriginal, own.label], ['Scharf', 'Arm Home', 'OWN'])
    const silent = messageOf({ description: '', label: '' }).payload
    assert.deepEqual([silent.description, silent.label], ['Arm Home', 'ARM'])
  })

  // @spec 6.3
  it('has null for the codes 000 and 0000, with which the catalogue reports a missing one', () => {
    const codesOf = (type_id: number) => {
      const { contactId, sia } = messageOf({ type_id }).payload
      return [contactId, sia]
    }
    assert.deepEqual(codesOf(68), ['1319', null])
    assert.deepEqual(codesOf(69), [null, null])
    assert.deepEqual(codesOf(132), [null, null])
    assert.deepEqual(codesOf(1), ['1132', 'NBA'])
  })

  // @spec 6.3
  it('has restore true for the Contact ID qualifier 3, and false for any other and for none', () => {
    const restore = (contactId: string) => {
      const type = catalogue.get(1) ?? assert.fail()
      const own = new Map([[1, { ...type, contactId }]])
      return eventMessage({ event: event({ type_id: 1 }), key: 'k' }, own, source, 'UTC').payload.restore
    }
    assert.deepEqual(['3130', '1130', '6130', '313', '0000', ''].map(restore), [
      true,
      false,
      false,
      false,
      false,
      false,
    ])
    assert.equal(messageOf({ type_id: 4711 }).payload.restore, false)
    assert.equal(messageOf({ type_id: null }).payload.restore, false)
  })

  // @spec 2.12, 6.2
  it('has the delivery counters of an event of shape B, and no such field in shape A', () => {
    const delivery = { queue: 1, success: 2, failed: 3, retry: 4, processing: 5 }
    assert.deepEqual(messageOf({ delivery }).payload.delivery, delivery)
    assert.equal('delivery' in messageOf().payload, false)
  })

  it('has zone null for the server and 0 for the control panel', () => {
    assert.equal(messageOf({ zone: null }).payload.zone, null)
    assert.equal(messageOf({ zone: 0 }).payload.zone, 0)
  })

  it('has the id of the service, even if it is 0, and null if the service sends none', () => {
    assert.equal(messageOf({ event: null }).payload.id, null)
    assert.equal(messageOf({ event: 0 }).payload.id, 0)
  })

  it('converts the time from the configured time zone, and keeps text that is not a time', () => {
    const berlin = eventMessage({ event: event(), key: 'k' }, catalogue, source, 'Europe/Berlin')
    assert.equal(berlin.payload.time, '2026-01-02T02:04:05.000Z')
    const { time, timeRaw } = messageOf({ datetime: '0000-00-00 00:00:00' }).payload
    assert.deepEqual([time, timeRaw], [null, '0000-00-00 00:00:00'])
  })

  it('has late and redelivered only if they are true', () => {
    const { late, redelivered } = messageOf({}, { late: true, redelivered: true })
    assert.deepEqual([late, redelivered], [true, true])
    const punctual = messageOf({}, { late: false, redelivered: false })
    assert.equal('late' in punctual || 'redelivered' in punctual, false)
  })

  it('can be edited without changing the event', () => {
    const delivery = { queue: 0, success: 1, failed: 0, retry: 0, processing: 0 }
    const original = event({ partitions: [1], delivery })
    const message = eventMessage({ event: original, key: 'k' }, catalogue, source, 'UTC')
    message.payload.partitions.push(9)
    Object.assign(message.payload.delivery ?? assert.fail(), { success: 9 })
    message.panel.serial = 'mine'
    assert.deepEqual([original.partitions, original.delivery?.success], [[1], 1])
    assert.equal(source.panel.serial, '00C0DE')
  })

  it('is built for any JSON that parses as events, and building never throws', () => {
    fc.assert(
      fc.property(fc.array(anyJson(Object.keys(event()))), (answer) => {
        for (const any of parse(panelEvents, answer)?.value ?? assert.fail()) {
          const { topic, payload } = eventMessage({ event: any, key: 'k' }, catalogue, source, 'UTC')
          assert.match(topic, /^House\/event\/[a-z_]+$/)
          assert.equal(payload.known, payload.group !== null)
        }
      }),
    )
  })
})

describe('The event filter', () => {
  const all: EventFilter = { groups: [], typeIds: [], labels: [], partitions: [] }
  const chosen = (choice: Partial<EventFilter>, fields: Parameters<typeof event>[0] = {}) => {
    const candidate = event(fields)
    return matches(candidate, catalogue.get(candidate.type_id ?? -1), { ...all, ...choice })
  }

  it('matches every event if it is empty', () => {
    assert.equal(chosen({}), true)
    assert.equal(chosen({}, { type_id: null, label: '' }), true)
  })

  it('matches groups in upper and lower case, with and without EP_', () => {
    for (const group of ['EP_OPEN_CLOSE', 'open_close', 'Open_Close', 'ep_open_close']) {
      assert.equal(chosen({ groups: ['alarm', group] }), true, group)
    }
    assert.equal(chosen({ groups: ['EP_ALARM'] }), false)
  })

  it('matches events that are not in the catalogue with the group other', () => {
    assert.equal(chosen({ groups: ['other'] }, { type_id: 4711 }), true)
    assert.equal(chosen({ groups: ['other'] }), false)
    assert.equal(chosen({ groups: ['alarm'] }, { type_id: 4711 }), false)
  })

  it('matches type ids', () => {
    assert.equal(chosen({ typeIds: [86, 85] }), true)
    assert.equal(chosen({ typeIds: [86] }), false)
    assert.equal(chosen({ typeIds: [86] }, { type_id: null }), false)
  })

  it('matches labels with and without EL_, using the label of the catalogue if the event has none', () => {
    assert.equal(chosen({ labels: ['DISARM', 'EL_ARM'] }), true)
    assert.equal(chosen({ labels: ['arm'] }, { label: 'EL_ARM' }), true)
    assert.equal(chosen({ labels: ['ARM'] }, { label: '' }), true)
    assert.equal(chosen({ labels: ['DISARM'] }), false)
  })

  it('matches partitions; an event without partitions or about the whole panel concerns all of them', () => {
    assert.equal(chosen({ partitions: [2, 3] }, { partitions: [1, 2] }), true)
    assert.equal(chosen({ partitions: [2] }, { partitions: [1] }), false)
    assert.equal(chosen({ partitions: [2] }, { partitions: [] }), true)
    assert.equal(chosen({ partitions: [2] }, { partitions: [-1] }), true)
    assert.equal(chosen({ partitions: [-1] }, { partitions: [1] }), true)
  })

  it('matches only events that satisfy every list', () => {
    const choice = { groups: ['open_close'], typeIds: [85], labels: ['ARM'], partitions: [1] }
    assert.equal(chosen(choice, { partitions: [1] }), true)
    assert.equal(chosen(choice, { partitions: [2] }), false)
    assert.equal(chosen({ ...choice, labels: ['DISARM'] }, { partitions: [1] }), false)
  })
})

describe('A gap message', () => {
  it('has the times from the configured time zone, and null for a missing one', () => {
    const gap = {
      lastKnown: { id: 700, typeId: 85, time: '2026-01-02 03:04:05' },
      oldestShown: { id: 900, typeId: 89, time: '' },
    }
    const { lastKnown, oldestShown } = gapMessage(gap, source, 'Europe/Berlin').payload
    assert.deepEqual([lastKnown?.time, oldestShown?.time], ['2026-01-02T02:04:05.000Z', null])
  })

  it('has null for a missing event and for a missing id', () => {
    const gap = { lastKnown: { id: 0, typeId: null, time: '' }, oldestShown: null }
    assert.deepEqual(gapMessage(gap, source, 'UTC').payload, {
      lastKnown: { id: null, typeId: null, time: null, timeRaw: '' },
      oldestShown: null,
    })
  })
})
