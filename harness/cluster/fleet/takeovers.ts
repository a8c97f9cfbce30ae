import { setTimeout as pause } from 'node:timers/promises'
import type { RedisServer } from '../../redis-server.ts'
import { userOf } from './disturbed-fleet.ts'
import { PanelFleet } from './panel-fleet.ts'
import { WatchedService } from './watched-service.ts'

/** The number of clusters, kills and panels for a measurement of takeovers. */
export interface TakeoverPlan {
  /** The number of clusters of two processes each, side by side. */
  pairs: number
  /** The number of kills in each. */
  rounds: number
  panels: number
}

/**
 * Kills one of two processes again and again, with the times of the product.
 * @returns the milliseconds from each kill until the other process holds all leases
 */
export async function measureTakeovers(
  server: RedisServer,
  { pairs, rounds, panels }: TakeoverPlan,
): Promise<number[]> {
  const intervals = { stateEvery: 30, eventsEvery: 30, devicesEvery: 3600 }
  const measurePair = async (pair: number) => {
    const service = await WatchedService.start({ panels })
    const account = { ...userOf(service), requestsPerMinute: 6000, intervals }
    const fleet = new PanelFleet((instance) => ({
      redis: server.address,
      clusterName: `pair${pair}`,
      times: { quiet: { blank: 0, other: 0 } },
      instance,
      accounts: [account],
    }))
    /** Waits until a process holds this many leases of panels. */
    const untilHeld = async (name: string, isEnough: (held: number, wanted: number) => boolean) => {
      for (;;) {
        const { held, wanted } = (await fleet.report(name))?.leases ?? { held: 0, wanted: 0 }
        if (wanted > 0 && isEnough(held, wanted)) return
        await pause(20)
      }
    }
    const untilShared = (names: string[]) =>
      Promise.all(names.map((name) => untilHeld(name, (held, wanted) => held === wanted / 2)))
    const taken: number[] = []
    try {
      await Promise.all([fleet.launch('one'), fleet.launch('two')])
      for (let round = 0; round < rounds; round += 1) {
        await untilShared(['one', 'two'])
        const [killed, other] = round % 2 === 0 ? (['one', 'two'] as const) : (['two', 'one'] as const)
        // At any time between two heartbeats.
        await pause(500 * Math.random())
        const from = performance.now()
        fleet.kill(killed)
        await untilHeld(other, (held, wanted) => held === wanted)
        taken.push(performance.now() - from)
        await fleet.launch(killed)
      }
      return taken
    } finally {
      await fleet.close()
      await service.close()
    }
  }
  const all = await Promise.all(Array.from({ length: pairs }, (_, pair) => measurePair(pair)))
  return all.flat()
}
