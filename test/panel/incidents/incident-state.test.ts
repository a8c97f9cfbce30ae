import assert from 'node:assert/strict'
import { storyEventOf } from '../../../harness/incidents/story-events.ts'
import {
  type IncidentBook,
  newBook,
  viewsOf,
  withEvents,
} from '../../../src/panel/incidents/incident-book.ts'
import { withContact } from '../../../src/panel/incidents/incident-state.ts'
import { bundled } from '../../../src/service/catalogue/en-us.ts'

const start = Date.parse('2026-11-22T03:00:00Z')
const at = (minute: number) => start + 60_000 * minute
const user = (minute: number, typeId: number, actor: string) =>
  storyEventOf(typeId, at(minute), { zone: 5, deviceType: 'USER', zoneName: '', actor })
const told = (...events: ReturnType<typeof storyEventOf>[]) =>
  withEvents(newBook(start), events, bundled, at(60))

/** Reads the state of a panel whose partitions have these values. */
const read = (book: IncidentBook, minute: number, online: boolean, ...values: string[]) =>
  withContact(
    book,
    { online, partitions: values.map((value) => ({ active: true, value })) },
    bundled,
    at(minute),
  )
const views = (book: IncidentBook, minute = 60) => viewsOf(book, bundled, at(minute))

describe('Contact with the panel', () => {
  for (const value of ['AWAY', 'HOME', 'NIGHT', 'ARMING', 'ENTRY_DELAY', 'ALARM']) {
    it(`that is lost in the state ${value} is an incident, which is over when the panel is back`, () => {
      const lost = read(told(user(1, 86, 'Anna')), 10, false, 'DISARM', value)
      const [one, ...others] = views(lost)
      assert.deepEqual(others, [])
      assert.deepEqual([one?.kind, one?.status, one?.since, one?.until], ['contact', 'open', at(10), null])
      assert.equal(one?.armedBy?.name, 'Anna')
      const later = read(lost, 11, false, 'DISARM', value)
      assert.equal(later, lost)
      const [back] = views(read(later, 12, true, value))
      assert.deepEqual([back?.id, back?.status, back?.until], [one?.id, 'closed', at(12)])
    })
  }

  it('that is lost while nothing is armed is no incident', () => {
    for (const value of ['DISARM', 'PROGRAMMING', 'NOTREADY', 'UNKNOWN'])
      assert.deepEqual(views(read(told(), 10, false, value)), [])
    const inactive = { online: false, partitions: [{ active: false, value: 'AWAY' }] }
    assert.deepEqual(views(withContact(told(), inactive, bundled, at(10))), [])
  })

  it('that is lost in an incident is a part of it, also if the panel is not armed', () => {
    const fire = storyEventOf(36, at(5))
    const lost = read(told(fire), 10, false, 'DISARM')
    assert.deepEqual(
      views(lost).map(({ id, kind, status, contact }) => [id, kind, status, contact]),
      [[fire.key, 'fire', 'open', { lostAt: at(10), backAt: null }]],
    )
    const over = withEvents(lost, [user(12, 31, 'Anna')], bundled, at(60))
    const [back] = views(read(over, 13, true, 'DISARM'))
    assert.deepEqual([back?.status, back?.until, back?.contact?.backAt], ['closed', at(12), at(13)])
  })

  it('that is lost after a duress says nothing of it', () => {
    const duress = user(5, 15, 'Anna')
    assert.deepEqual(
      views(read(told(duress), 10, false, 'DISARM')).map(({ kind, contact }) => [kind, contact]),
      [['duress', null]],
    )
  })

  it('that is lost again is another incident, and takes no alarm in', () => {
    const once = read(read(told(), 10, false, 'AWAY'), 12, true, 'AWAY')
    const twice = read(once, 20, false, 'AWAY')
    const alarm = withEvents(twice, [storyEventOf(2, at(21))], bundled, at(60))
    assert.deepEqual(
      views(alarm).map(({ kind, status, zones }) => [kind, status, zones.length]),
      [
        ['contact', 'closed', 0],
        ['contact', 'open', 0],
        ['burglary', 'open', 1],
      ],
    )
  })
})
