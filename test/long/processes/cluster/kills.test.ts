import assert from 'node:assert/strict'
import { setTimeout as pass } from 'node:timers/promises'
import { until } from '../../../../harness/clock/until.ts'
import { connectScripts, stepServerClock } from '../../../../harness/cluster/connected-scripts.ts'
import { measureLateness } from '../../../../harness/cluster/fleet/disturbed-fleet.ts'
import { InstanceFleet, mostWithin } from '../../../../harness/cluster/fleet/instance-fleet.ts'
import { repetitions } from '../../../../harness/mocha/depth.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'

const names = ['one', 'two', 'three', 'four']
const quiet = { blank: 0, other: 0 }
const short = { heartbeat: 120, lease: 1200, validity: 960 }

const oneOf = <T>(list: readonly T[]): T => {
  const one = list[Math.floor(Math.random() * list.length)]
  assert.ok(one !== undefined)
  return one
}

describeWithRedis(
  'Four processes of a cluster',
  (server) => {
    let fleet: InstanceFleet | undefined

    beforeEach(() => server.empty())
    afterEach(async () => {
      await fleet?.close()
      fleet = undefined
    })

    it('never make more attempts in any window than the cap, though they are killed and stopped and the clock of the server is set', async () => {
      const cap = 30
      const window = 6000
      const times = {
        quiet,
        membership: short,
        rateLimits: { window, margin: 1000, overdue: 1000, fresh: 1000 },
      }
      fleet = await InstanceFleet.start(names, (port, instance) => ({
        address: server.address,
        instance,
        times,
        port,
        cap,
      }))
      const driver = await connectScripts(server)
      const lateness = measureLateness()
      await until(() => (fleet?.arrivals.length ?? 0) > 0)
      for (let round = 1; round <= repetitions(20, 6); round += 1) {
        await pass(1500)
        if (round % 4 === 0) {
          const stopped = oneOf(names)
          fleet.signal(stopped, 'SIGSTOP')
          void pass(1.3 * window).then(() => fleet?.signal(stopped, 'SIGCONT'))
        } else fleet.replace(oneOf(names))
        if (round % 3 === 0) await stepServerClock(driver, oneOf([-1, 1]) * 3_600_000)
      }
      driver.close()
      // None of them hangs after all that.
      const before = fleet.arrivals.length
      await until(() => (fleet?.arrivals.length ?? 0) > before + cap)
      const arrived = fleet.arrivals.map(({ at }) => at)
      // An arrival may be noted late, when this process is busy.
      const most = mostWithin(arrived, window - lateness())
      const possible = (((arrived.at(-1) ?? 0) - (arrived[0] ?? 0)) / (window + 1000)) * cap
      console.log(
        `      ${most} of ${cap} in the fullest window, ${arrived.length} of ${Math.round(possible)} possible`,
      )
      assert.ok(most <= cap, `${most}`)
    })

    it('go on to poll every panel, though one is killed every three seconds', async () => {
      const panels = Array.from({ length: 100 }, (_, index) => `panel${index}`)
      const interval = 4000
      fleet = await InstanceFleet.start(names, (port, instance) => ({
        address: server.address,
        instance,
        times: { quiet, membership: short },
        port,
        panels,
        interval,
      }))
      await until(() => new Set(fleet?.arrivals.map(({ path }) => path)).size === panels.length)
      await pass(interval)
      const from = performance.now()
      for (let round = 1; round <= repetitions(10, 3); round += 1) {
        await pass(3000)
        fleet.replace(oneOf(names))
      }
      const spent = performance.now() - from
      const polls = fleet.arrivals.filter(({ at }) => at >= from)
      const gaps = panels.flatMap((panel) => {
        const times = polls.filter(({ path }) => path === `/poll?${panel}`).map(({ at }) => at)
        return times.slice(1).map((at, index) => (at - (times[index] ?? at)) / interval)
      })
      const due = (panels.length * spent) / interval
      const doubles = gaps.filter((gap) => gap < 0.4).length / polls.length
      const longest = Math.max(...gaps)
      console.log(
        `      ${(polls.length / due).toFixed(3)} of the due polls, ${(100 * doubles).toFixed(2)} % doubles, longest gap ${longest.toFixed(1)} intervals`,
      )
      const last = fleet.arrivals.length
      await until(() => new Set(fleet?.arrivals.slice(last).map(({ path }) => path)).size === panels.length)
    })
  },
  { isLong: true },
)
