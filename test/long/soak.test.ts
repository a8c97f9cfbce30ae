import assert from 'node:assert/strict'
import { countObjects, slope } from '../../harness/metrics/memory-footprint.ts'
import { isDeep } from '../../harness/mocha/depth.ts'
import { seed } from '../../harness/mocha/seed.ts'
import { cap, type DayReport, quietDay, Week } from '../../harness/week/week.ts'

/** Milliseconds between polls. */
const intervals = { state: 30_000, events: 60_000, devices: 300_000 }

/**
 * Two panels with three polls each, of which each has a timer for the next one and one for its staleness; and one for the attempts
 * that are noted ahead.
 */
const timersOfTwoPanels = 2 * 3 * 2 + 1

/** Bytes of heap from day to day that are noise: ten for each attempt. A request kept for each came to 200 million. */
const heapNoise = 150_000

/** Living objects more than on the second day that are noise; whatever is lost at each deploy comes to more. */
const objectNoise = { Promise: 20, AbortSignal: 4, ClientRequest: 2, Function: 100 }

/** Bytes: the catalogue of all events takes half of it, and nothing else comes near. */
const largestFile = 64_000

// The promises of each part have plain tests; what a week adds is time.
const describeDeep = isDeep ? describe : describe.skip

describeDeep('A week of polls with all kinds of problems of service, panel and process', () => {
  const days: DayReport[] = []
  let week: Week
  /** At the end of the second day, and of the last one: what is kept only becomes more. */
  const objects: Record<string, number>[] = []
  const warnings: string[] = []
  const noteWarning = ({ name }: Error) => {
    if (name !== 'ExperimentalWarning') warnings.push(name)
  }

  before(async function () {
    // Two minutes of the processor, of which `.ci/run` leaves it a twentieth while all else runs.
    this.timeout(70 * 60_000)
    process.on('warning', noteWarning)
    console.log(`    SEED=${seed}`)
    week = await Week.start(seed)
    while (days.length < 7) {
      days.push(await week.passDay())
      if (days.length === 2 || days.length === 7) objects.push(countObjects())
    }
    console.log(`    ${week.service.attempts} attempts, ${week.service.mostInAMinute} at most in a minute`)
  })
  after(async () => {
    process.off('warning', noteWarning)
    await week?.close()
  })

  it('delivers each event once to each node, repeats events only with a flag, and reports each gap', () => {
    const right = { told: 0, redelivered: 0, gaps: 0 }
    for (const { figures } of week.audits.values()) {
      const { told, redelivered, gaps, ...wrong } = figures
      assert.deepEqual(wrong, { lost: 0, repeated: 0, invented: 0, wrongGaps: 0 })
      right.told += told
      right.redelivered += redelivered
      right.gaps += gaps
    }
    console.log(`      ${right.told} told, ${right.redelivered} of them flagged, ${right.gaps} gaps`)
    assert.ok(right.told > 1000 && right.redelivered > 0 && right.gaps > 0)
  })

  it('signs in only when tokens have expired or were lost', () => {
    for (const { signIns } of days) assert.deepEqual(signIns.made, signIns.needed)
    assert.equal(week.service.needlessSignIns, 0)
    assert.ok((days.at(-1)?.signIns.made.signIns ?? 0) > 20)
  })

  it('never exceeds the cap in any sliding minute', () => {
    assert.ok(week.service.mostInAMinute <= cap, `${week.service.mostInAMinute}`)
  })

  it('has recovered at the end of each day', () => {
    for (const { unhealthyPolls: ailing } of days) assert.deepEqual(ailing, [])
  })

  it('polls at its intervals, within 2 %, while nothing happens', () => {
    const snapshot = Object.entries(days[quietDay]?.snapshot ?? {})
    assert.equal(snapshot.length, 6)
    for (const [name, { count, shortest, longest }] of snapshot) {
      const [, what] = name.split(' ')
      const interval = intervals[what as keyof typeof intervals]
      assert.equal(count, 86_400_000 / interval, name)
      assert.ok(
        shortest >= interval * 0.98 && longest <= interval * 1.02,
        `${name}: ${shortest} to ${longest}`,
      )
    }
  })

  it('does not use more memory from day to day, nor over a day without a deploy', () => {
    const heaps = days.map(({ footprint }) => footprint.heap)
    const growth = slope(heaps.slice(1))
    const quietGrowth = (heaps[quietDay] ?? 0) - (heaps[quietDay - 1] ?? 0)
    assert.ok(growth < heapNoise && quietGrowth < heapNoise, `${growth} bytes a day, ${quietGrowth} in quiet`)
  })

  it('keeps no objects of past deploys, restarts, polls and attempts', () => {
    const [settled, last] = objects
    assert.ok(settled && last)
    for (const { Panel, Account, AccountRegistry } of objects)
      assert.deepEqual({ Panel, Account, AccountRegistry }, { Panel: 2, Account: 1, AccountRegistry: 1 })
    for (const [name, noise] of Object.entries(objectNoise)) {
      const more = (last[name] ?? 0) - (settled[name] ?? 0)
      assert.ok(more <= noise, `${more} more ${name}`)
    }
    assert.deepEqual(warnings, [])
  })

  it('leaks no timer, socket or other handle', () => {
    for (const { timers, footprint } of days) {
      assert.deepEqual(timers, { process: timersOfTwoPanels, world: days[0]?.timers.world })
      for (const [kind, count] of Object.entries(footprint.handles)) {
        // A lane of the budget has a connection, and the service the other end of it.
        const before = days[0]?.footprint.handles[kind] ?? 0
        assert.ok(
          count <= Math.max(before, kind === 'TCPSocketWrap' ? 4 : 0),
          `${count} ${kind}, ${before} before`,
        )
      }
    }
  })

  it('keeps the same few small files', () => {
    for (const { footprint } of days) {
      assert.deepEqual(Object.keys(footprint.files), Object.keys(days[0]?.footprint.files ?? {}))
      for (const [name, size] of Object.entries(footprint.files))
        assert.ok(size < largestFile, `${name} ${size}`)
    }
  })

  it('finds no defect in the simulator', () => {
    assert.deepEqual(week.simulator.defects, [])
  })
})
