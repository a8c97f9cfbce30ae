import assert from 'node:assert/strict'
import { device } from '../../../harness/fixtures/samples.ts'
import { storyEventOf } from '../../../harness/incidents/story-events.ts'
import {
  type IncidentBook,
  newBook,
  viewsOf,
  withEvents,
} from '../../../src/panel/incidents/incident-book.ts'
import { type ListedZones, withLeftOutZones } from '../../../src/panel/incidents/left-out-zones.ts'
import type { StoryEvent } from '../../../src/panel/incidents/story-event.ts'
import { bundled } from '../../../src/service/catalogue/en-us.ts'

const now = 10_000
const alarmOf = (zone: number, fields: Partial<StoryEvent> = {}) =>
  storyEventOf(2, 1000, { zone, partitions: [1], readAt: 2000, ...fields })
const bookOf = (...events: StoryEvent[]) => withEvents(newBook(0), events, bundled, now)
const burglary = bookOf(alarmOf(2), alarmOf(3))
const zone = (device_number: number, enabled: boolean, fields: object = {}) =>
  device({ device_number, partitions: [1], traits: { bypass: { enabled } }, ...fields })
const armed = [{ id: 1, isArmed: true }]
const read = (book: IncidentBook, list: Partial<ListedZones>) =>
  withLeftOutZones(book, { listed: [], partitions: armed, requestedAt: 5000, ...list }, bundled, now)
const leftOut = (book: IncidentBook) => viewsOf(book, bundled, now).map((view) => view.leftOut)

// @spec swinger-stop
describe('A zone of an incident', () => {
  it('was left out by the panel if a list shows it bypassed while its partition is armed', () => {
    const listed = [zone(1, true), zone(2, true), zone(3, false)]
    assert.deepEqual(leftOut(read(burglary, { listed })), [[2]])
    for (const other of [
      { partitions: [{ id: 1, isArmed: false }] },
      { partitions: [{ id: 2, isArmed: true }] },
    ])
      assert.deepEqual(leftOut(read(burglary, { listed, ...other })), [[]])
    assert.deepEqual(leftOut(read(burglary, { listed: [zone(2, true, { device_type: 'PGM' })] })), [[]])
    assert.deepEqual(leftOut(read(bookOf(alarmOf(2, { deviceType: 'KEYFOB' })), { listed })), [[]])
  })

  it('was bypassed before its alarm if an older list shows it so', () => {
    const listed = [zone(2, true)]
    const ofList = (requestedAt: number) => leftOut(read(burglary, { listed, requestedAt }))
    assert.deepEqual([ofList(1999), ofList(2000)], [[[]], [[2]]])
    const known = bookOf(alarmOf(2, { readAt: null }))
    const ofEvent = (requestedAt: number) => leftOut(read(known, { listed, requestedAt }))
    assert.deepEqual([ofEvent(999), ofEvent(1000)], [[[]], [[2]]])
  })

  it('stays left out while a list lacks it, until one shows it without a bypass or the incident is closed', () => {
    const begun = read(burglary, { listed: [zone(2, true)] })
    assert.equal(read(begun, {}), begun, 'nothing is written without a change')
    assert.deepEqual(leftOut(read(begun, { listed: [zone(2, false)] })), [[]])
    const closed = withEvents(begun, [storyEventOf(89, 6000, { partitions: [1] })], bundled, now)
    assert.deepEqual(leftOut(closed), [[]])
    assert.deepEqual(read(closed, {}).incidents[0]?.leftOut, [])
  })
})
