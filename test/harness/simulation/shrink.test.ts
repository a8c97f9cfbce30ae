import assert from 'node:assert/strict'
import { type Deed, type Life, type Step, usualHouse } from '../../../harness/simulation/life.ts'
import { shrink } from '../../../harness/simulation/stories/shrink.ts'

const minute = 60_000
const arm: Deed = { what: 'arm', partition: 3, state: 'HOME', person: 'Chiara', exitDelay: 30 }
const open: Deed = { what: 'open', zone: 8 }
const restart: Deed = { what: 'restart', lasts: 4 * minute }

function life(...steps: (readonly [after: number, deed: Deed])[]): Life {
  return { house: usualHouse, steps: steps.map(([after, deed]) => ({ after, deed })) }
}

function has({ steps }: Life, what: Deed['what']): boolean {
  return steps.some(({ deed }) => deed.what === what)
}

/** Milliseconds from the begin of a life until a deed. */
function timeOf({ steps }: Life, what: Deed['what']): number {
  const end = steps.findIndex(({ deed }) => deed.what === what) + 1
  return steps.slice(0, end).reduce((sum, { after }) => sum + after, 0)
}

/** Shrinks a life that fails as long as something holds; returns the lives that were tried, too. */
async function shrinkWhile(first: Life, holds: (life: Life) => boolean, most?: number) {
  const tried: Life[] = []
  const simplest = await shrink(
    first,
    async (simpler) => {
      tried.push(simpler)
      return holds(simpler)
    },
    most,
  )
  return { simplest, tried }
}

describe('A failing life that is shrunk', () => {
  it('keeps only the steps without which it does not fail', async () => {
    const first = life([0, arm], [0, { what: 'ask' }], [0, open], [0, { what: 'panic button' }], [0, restart])
    const { simplest } = await shrinkWhile(first, (one) => has(one, 'ask') && has(one, 'restart'))
    assert.deepEqual(
      simplest.steps.map(({ deed }) => deed.what),
      ['ask', 'restart'],
    )
  })

  it('keeps the time until a step when those before it are left out', async () => {
    const first = life([minute, arm], [2 * minute, { what: 'ask' }], [minute, open])
    const { simplest } = await shrinkWhile(first, (one) => timeOf(one, 'open') >= 4 * minute)
    assert.deepEqual(simplest.steps, [
      { after: 4 * minute, deed: { what: 'open', zone: 2 } },
    ] satisfies Step[])
  })

  it('gets plain deeds and the shortest round pauses', async () => {
    const first = life([80_000, arm], [170_000, restart])
    const { simplest } = await shrinkWhile(
      first,
      (one) => has(one, 'arm') && has(one, 'restart') && timeOf(one, 'restart') >= 100_000,
    )
    assert.deepEqual(simplest.steps, [
      { after: 0, deed: { what: 'arm', partition: 1, state: 'AWAY', person: 'Anna', exitDelay: 0 } },
      { after: 2 * minute, deed: { what: 'restart', lasts: 0 } },
    ] satisfies Step[])
  })

  it('keeps what of its house and of its deeds it fails by', async () => {
    const house = {
      ...usualHouse,
      hasAlarmList: false,
      hasHomeAssistant: true,
      panelOptions: { reports: 'alarms', abortTime: 120 } as const,
    }
    const { simplest } = await shrinkWhile(
      { house, steps: [{ after: 0, deed: arm }] },
      (one) =>
        !one.house.hasAlarmList &&
        one.house.panelOptions.reports === 'alarms' &&
        one.steps.some(({ deed }) => deed.what === 'arm' && deed.state === 'HOME'),
    )
    assert.deepEqual(simplest, {
      house: { ...usualHouse, hasAlarmList: false, panelOptions: { reports: 'alarms' } },
      steps: [{ after: 0, deed: { what: 'arm', partition: 1, state: 'HOME', person: 'Anna', exitDelay: 0 } }],
    } satisfies Life)
  })

  it('is the first one if no simpler one fails', async () => {
    const first = life([minute, arm], [minute, open])
    const { simplest } = await shrinkWhile(first, () => false)
    assert.equal(simplest, first)
  })

  it('is lived a limited number of times, and each simpler life once', async () => {
    const first = life(...Array.from({ length: 40 }, (_, zone) => [7000, { what: 'open', zone }] as const))
    const { tried } = await shrinkWhile(first, ({ steps }) => steps.length > 30, 25)
    assert.equal(tried.length, 25)
    assert.equal(new Set(tried.map((one) => JSON.stringify(one))).size, 25)
  })
})
