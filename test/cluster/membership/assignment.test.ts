import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  assign,
  formatWishes,
  parseWishes,
  type Wish,
  type Wishes,
} from '../../../src/cluster/membership/assignment.ts'

const sessions = ['900', '1000', '1100', '1200']

const wish = fc.record({ isHeld: fc.constant(false), rank: fc.nat(2), settings: fc.constant('') })

/** Wishes of some instances, of which one at most holds each panel. */
const wishes = fc
  .array(
    fc.record({
      wanted: fc.array(fc.option(wish, { nil: undefined }), { minLength: 4, maxLength: 4 }),
      holder: fc.option(fc.nat(3), { nil: undefined }),
    }),
    { maxLength: 12 },
  )
  .map((panels): Wishes => {
    const own = (index: number) =>
      panels.flatMap(({ wanted, holder }, panel): [string, Wish][] => {
        const one = wanted[index]
        return one === undefined ? [] : [[`panel${panel}`, { ...one, isHeld: holder === index }]]
      })
    return new Map(sessions.map((session, index) => [session, new Map(own(index))]))
  })

/** Returns the wishes after each instance has given up and taken what is assigned. */
function afterwards(before: Wishes): Wishes {
  const assigned = assign(before)
  const moved = ([panel, one]: [string, Wish], session: string): [string, Wish] => [
    panel,
    { ...one, isHeld: assigned.get(panel) === session },
  ]
  return new Map(
    [...before].map(([session, own]) => [session, new Map([...own].map((one) => moved(one, session)))]),
  )
}

describe('The assignment of panels to instances', () => {
  it('gives each wanted panel to one of the instances that want it and whose polls fail least', () => {
    fc.assert(
      fc.property(wishes, (all) => {
        const assigned = assign(all)
        const wanted = new Set([...all.values()].flatMap((own) => [...own.keys()]))
        assert.deepEqual(new Set(assigned.keys()), wanted)
        for (const [panel, session] of assigned) {
          const ranks = [...all.values()].flatMap((own) => own.get(panel)?.rank ?? [])
          assert.equal(all.get(session)?.get(panel)?.rank, Math.min(...ranks))
        }
      }),
    )
  })

  it('is the same for all instances, in whatever order they read the wishes', () => {
    fc.assert(
      fc.property(wishes, (all) => {
        const turned = [...all].reverse().map(([one, own]) => [one, new Map([...own].reverse())] as const)
        assert.deepEqual(assign(new Map(turned)), assign(all))
      }),
    )
  })

  it('comes to rest: what one has given up does not go back to it, and nothing moves without a reason', () => {
    fc.assert(
      fc.property(wishes, (all) => {
        const target = assign(all)
        // Each instance gives up before another one has taken.
        const between = new Map(
          [...all].map(([session, own]) => [
            session,
            new Map(
              [...own].map(([panel, one]) => [
                panel,
                { ...one, isHeld: one.isHeld && target.get(panel) === session },
              ]),
            ),
          ]),
        )
        for (const [panel, session] of assign(between)) {
          const holder = [...all.keys()].find((one) => all.get(one)?.get(panel)?.isHeld)
          if (holder !== undefined && target.get(panel) !== holder) assert.notEqual(session, holder)
        }
        let present = all
        for (let round = 0; round < 20; round += 1) present = afterwards(present)
        assert.deepEqual(afterwards(present), present)
      }),
    )
  })

  it('is even where all want the same panels', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.integer({ min: 1, max: 4 }), fc.nat(3), (count, live, holder) => {
        const names = Array.from({ length: count }, (_, index) => `panel${index}`)
        const own = (index: number) =>
          new Map(
            names.map((name): [string, Wish] => [name, { isHeld: index === holder, rank: 0, settings: '' }]),
          )
        const assigned = assign(
          new Map(sessions.slice(0, live).map((session, index) => [session, own(index)])),
        )
        const counts = sessions
          .slice(0, live)
          .map((session) => [...assigned.values()].filter((one) => one === session).length)
        assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, `${counts}`)
      }),
    )
  })

  it('leaves a panel with the instance that holds it when another one joins', () => {
    const one = (isHeld: boolean) => new Map<string, Wish>([['panel', { isHeld, rank: 0, settings: '' }]])
    const all = new Map([
      ['900', one(false)],
      ['1000', one(true)],
    ])
    assert.equal(assign(all).get('panel'), '1000')
  })

  it('is computed from texts that say the same as the wishes', () => {
    const own = new Map<string, Wish>([
      ['panel1', { isHeld: true, rank: 2, failure: 'BAD_CREDENTIALS', settings: 'Language=en_US' }],
      ['panel2', { isHeld: false, rank: 0, failure: undefined, settings: '' }],
    ])
    const read = parseWishes(['900', formatWishes(own), '1000', ''])
    assert.deepEqual([read.get('900'), read.get('1000')], [own, new Map()])
  })
})
