import assert from 'node:assert/strict'
import { type News, newsOf, type Told, toldNext } from '../../../src/panel/incidents/incident-news.ts'
import type { IncidentView, IncidentZone } from '../../../src/panel/incidents/incident-view.ts'

const zone = (number: number, restored: number | null = null): IncidentZone => ({
  ...{ zone: number, name: `Zone ${number}`, first: 0, restored },
})

/** A burglary in the zone 1 that is not over. */
const burglary: IncidentView = {
  ...{ id: 'b', kind: 'burglary', status: 'open', since: 0, until: null, partitions: [1], zones: [zone(1)] },
  ...{ place: zone(1), armedBy: null, disarmedBy: null, threat: null, contact: null, timeline: [] },
  ...{ confirmed: true, leftOut: [], alarms: 1, reported: 1 },
}
const view = (change: Partial<IncidentView> = {}): IncidentView => ({ ...burglary, ...change })
const closed = { status: 'closed', until: 60_000 } as const
const unconfirmed = { confirmed: false } as const
const byState: Partial<IncidentView> = { ...unconfirmed, kind: 'alarm', zones: [], place: null }
const lost = { lostAt: 5, backAt: null }

/** Returns the news of a view after others, each of which was told. */
function newsAfter(...views: IncidentView[]): News {
  let told: Told | undefined
  for (const one of views) told = toldNext(told, one, false) ?? told
  return told?.news ?? assert.fail()
}

describe('The news of a message about an incident', () => {
  const anna = { name: 'Anna', at: 0 }
  const cases: readonly [title: string, news: News, ...views: IncidentView[]][] = [
    ['an alarm', 'alarm', view()],
    ['an alarm that begins again after its end', 'alarm', view(), view(closed), view()],
    ['an alarm that becomes more serious in the same zone', 'alarm', view(), view({ kind: 'fire' })],
    ['an alarm after a duress', 'alarm', view({ kind: 'duress', zones: [] }), view()],
    ['an alarm that no event has told', 'alarm', view(unconfirmed)],
    ['the event of an alarm that was told without it', 'detail', view(unconfirmed), view()],
    ['the event of an alarm of which only the state was told', 'detail', view(byState), view()],
    ['a fire of which only the state was told', 'alarm', view(byState), view({ kind: 'fire' })],
    ['a further zone beside the first event', 'zone', view(unconfirmed), view({ zones: [zone(1), zone(2)] })],
    ['a zone that the panel has left out', 'detail', view(), view({ leftOut: [1] })],
    ['a further zone', 'zone', view(), view({ zones: [zone(1), zone(2)] })],
    [
      'a zone that begins again after all were restored',
      'zone',
      view({ status: 'restored', zones: [zone(1, 9)] }),
      view(),
    ],
    ['contact that is lost', 'contact', view(), view({ contact: lost })],
    [
      'contact that is lost once more',
      'contact',
      view({ contact: { lostAt: 5, backAt: 6 } }),
      view({ contact: { lostAt: 7, backAt: null } }),
    ],
    ['a loss of the contact alone', 'contact', view({ kind: 'contact', zones: [], contact: lost })],
    [
      'a zone that is restored',
      'restore',
      view({ zones: [zone(1), zone(2)] }),
      view({ zones: [zone(1), zone(2, 9)] }),
    ],
    ['an alarm that is restored', 'restore', view(), view({ status: 'restored', zones: [zone(1, 9)] })],
    ['the end', 'over', view(), view(closed)],
    ['the end with a further zone', 'over', view(), view({ ...closed, zones: [zone(1), zone(2)] })],
    ['what is over when it is first told', 'over', view(closed)],
    [
      'an alarm that becomes known after the end',
      'alarm',
      view(closed),
      view({ ...closed, alarms: 2, reported: 2 }),
    ],
    ['a threat after the end', 'detail', view(closed), view({ ...closed, threat: anna })],
    ['who armed', 'detail', view(), view({ armedBy: anna })],
    [
      'contact that is back',
      'detail',
      view({ contact: lost }),
      view({ contact: { ...lost, backAt: 60_000 } }),
    ],
    ['a duress', 'detail', view({ kind: 'duress', zones: [], disarmedBy: anna })],
  ]
  for (const [title, news, ...views] of cases) {
    it(`is "${news}" for ${title}`, () => {
      assert.equal(newsAfter(...views), news)
    })
  }

  it('is none after the end, whatever is restored or disarmed then', () => {
    const told = toldNext(undefined, view(closed), false)
    const later = view({ ...closed, disarmedBy: anna, zones: [zone(1, 9)], confirmed: false })
    assert.equal(toldNext(told, later, false), undefined)
    assert.equal(toldNext(told, later, true)?.news, 'over')
  })

  it('is none for a zone that is left out and stands beyond those that the summary names', () => {
    const zones = Array.from({ length: 10 }, (_, at) => zone(at + 1))
    const leftOut = Array.from({ length: 9 }, (_, at) => at + 1)
    const told = toldNext(undefined, view({ zones, leftOut: leftOut.slice(0, 8) }), false)
    assert.equal(toldNext(told, view({ zones, leftOut }), false), undefined)
    assert.equal(toldNext(told, view({ zones, leftOut: [1] }), false)?.news, 'detail')
  })

  it('is an alarm after the end also for notes of an earlier version, if its zone is new', () => {
    const { alarms: _, ...told } = toldNext(undefined, view(closed), false) ?? assert.fail()
    const old: Told = { ...told, alarms: null, hasThreat: null }
    assert.equal(toldNext(old, view({ ...closed, alarms: 2 }), false), undefined)
    const further = view({ ...closed, alarms: 2, zones: [zone(1), zone(2)] })
    assert.equal(toldNext(old, further, false)?.news, 'alarm')
  })

  it('is the same whatever else was told before, as far as zones, status and contact are the same', () => {
    const told = {
      kind: 'burglary',
      status: 'open',
      confirmed: true,
      zones: 1,
      restored: 0,
      lostAt: null,
      alarms: 1,
      hasThreat: false,
    } as const
    assert.equal(newsOf(told, view({ armedBy: { name: 'Anna', at: 7 } })), 'detail')
  })
})
