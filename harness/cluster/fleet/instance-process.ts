import { get } from 'node:http'
import { allLanes } from '../../../src/account/service-user/rate-limit/budget.ts'
import { systemClock } from '../../../src/clock.ts'
import { Cluster, type ClusterOptions } from '../../../src/cluster/cluster.ts'
import { clusterSettings } from '../../../src/cluster/cluster-settings.ts'

/** The work of a test's process in its cluster; its only argument, as JSON. */
export interface InstanceTask {
  address: string
  instance: string
  times: NonNullable<ClusterOptions['times']>
  /** The port to which attempts and polls are reported, by HTTP on loopback. */
  port: number
  /** The cap, if the process is to make as many attempts as it may. */
  cap?: number
  /** The panels that the process polls while it holds their leases, and the interval in milliseconds. */
  panels?: readonly string[]
  interval?: number
}

/** Makes one request; resolves at its end, whatever it is. */
function report(port: number, path: string): Promise<void> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
      answer.resume()
      answer.once('close', resolve)
    })
    request.once('error', () => resolve())
  })
}

/** Makes attempts as long as there is room, several at a time. */
async function attempt(cluster: Cluster, { port, cap = 1 }: InstanceTask): Promise<never> {
  const limits = cluster.userStores('user').rateLimits
  limits.limit = cap
  for (;;) {
    const lane = allLanes[Math.floor(Math.random() * allLanes.length)] ?? 'poll'
    const taken = await limits.take(lane, 0).catch(() => undefined)
    if (taken !== undefined) void report(port, '/attempt').then(() => taken.end())
    const wait = Math.max(taken === undefined ? 20 : 1, limits.wait(lane))
    await new Promise<void>((resolve) => systemClock.after(Math.min(wait, 100), resolve))
  }
}

/** Polls a panel at multiples of the interval, and at once when its lease is gained. */
function poll(cluster: Cluster, panel: string, phase: number, { port, interval = 1000 }: InstanceTask): void {
  const lease = cluster.panels.leases.lease(panel)
  let cancel = () => {}
  let wasHeld = false
  let begunAt = Number.NEGATIVE_INFINITY
  const once = async () => {
    // The product would share the recent answer: estimates of the time differ by milliseconds.
    const isRecent = systemClock.monotonic() - begunAt < interval / 2
    if (!isRecent && (await lease.begin('state', interval / 2)) === 0) {
      begunAt = systemClock.monotonic()
      await report(port, `/poll?${panel}`)
      lease.end('state')
    }
    // After the poll, as the poller does: a timer may come a moment too early.
    cancel()
    if (!lease.isHeld) return
    const sinceMultiple = (systemClock.wall() - phase * interval) % interval
    cancel = systemClock.after(interval - sinceMultiple, () => void once())
  }
  lease.onChange(() => {
    if (lease.isHeld && !wasHeld) void once()
    if (!lease.isHeld) cancel()
    wasHeld = lease.isHeld
  })
  lease.want()
}

const task: InstanceTask = JSON.parse(process.argv[2] ?? '{}')
const settings = clusterSettings({
  address: task.address,
  clusterName: 'test',
  instance: task.instance,
})
const cluster = new Cluster(settings, { clock: systemClock, times: task.times })
cluster.open()
if (task.cap !== undefined) void attempt(cluster, task)
const { panels = [] } = task
// A phase for each panel, so that they are not polled at once; all processes share the clock of the machine.
for (const [index, panel] of panels.entries()) poll(cluster, panel, index / panels.length, task)
