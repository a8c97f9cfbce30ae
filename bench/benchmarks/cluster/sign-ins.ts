import { userOf } from '../../../harness/cluster/fleet/disturbed-fleet.ts'
import { PanelFleet } from '../../../harness/cluster/fleet/panel-fleet.ts'
import { WatchedService } from '../../../harness/cluster/fleet/watched-service.ts'
import type { BenchmarkOptions } from '../../benchmark.ts'
import { withRedisServer } from '../../cluster/prepared-redis.ts'
import type { Comparison } from '../../comparison.ts'

const instances = ['one', 'two', 'three', 'four']
const expiries = 5
const calls = 50
const tries = 10

/** Sign-ins of four processes after each expiry during fifty requests of each, and with a wrong password. */
export default async function signInsOfACluster({ progress }: BenchmarkOptions): Promise<Comparison[]> {
  progress(`${expiries} expiries`)
  const one = await withFleet({}, async (fleet, service) => {
    const call = () => Promise.all(instances.map((name) => fleet.call(name, calls)))
    await call()
    const before = service.of('auth').length
    let answered = 0
    for (let expiry = 0; expiry < expiries; expiry += 1) {
      service.simulator.accounts.expireUserTokens()
      answered += (await call()).reduce((sum, count) => sum + count, 0)
    }
    return { signIns: service.of('auth').length - before, answered }
  })
  const asked = expiries * instances.length * calls
  progress('a wrong password')
  const wrong = await withFleet({ password: 'wrong' }, async (fleet, service) => {
    for (let round = 0; round < tries; round += 1) {
      await Promise.all(instances.map((name) => fleet.call(name, 1)))
    }
    return service.of('auth').length
  })
  return [
    {
      what: `sign-ins / expiries, with ${calls} calls of each of four`,
      ours: one.signIns,
      theirs: expiries,
      unit: '',
      goal: 1,
    },
    { what: 'of those calls, failed', ours: asked - one.answered, theirs: asked, unit: '', goal: 0 },
    {
      what: `tries of a wrong password in ${tries} calls of each`,
      ours: wrong,
      theirs: 1,
      unit: '',
      goal: 1,
    },
  ]
}

function withFleet<T>(
  changed: { password?: string },
  work: (fleet: PanelFleet, service: WatchedService) => Promise<T>,
): Promise<T> {
  return withRedisServer(async (server) => {
    const service = await WatchedService.start({ panels: 1 }, 20)
    const account = { ...userOf(service), ...changed, requestsPerMinute: 1_000_000 }
    const fleet = new PanelFleet((instance) => ({ redis: server.address, instance, accounts: [account] }))
    try {
      await Promise.all(instances.map((name) => fleet.launch(name)))
      return await work(fleet, service)
    } finally {
      await fleet.close()
      await service.close()
    }
  })
}
