import { type AccountHarness, neverAborted } from '../../harness/account.ts'
import { seed } from '../../harness/mocha/seed.ts'
import { operations } from '../../src/service/operations.ts'
import { latency } from '../../src/simulator/faults/network-faults.ts'
import { Random } from '../../src/simulator/random.ts'
import { type Comparison, quantile } from '../comparison.ts'
import { withFakeClock } from '../fake-clock-harness.ts'

const window = 60_000
const commands = 200
const pollers = 6

/** Disarming a disarmed panel, which can be repeated; and the path of its request. */
const command = {
  path: '/set_state',
  give: ({ account, panel }: AccountHarness) =>
    account.sendCommand(operations.setState, {
      panel,
      body: { partition: -1, state: 'DISARM' },
      signal: neverAborted(),
    }),
}

/**
 * Time that a command waits in the queue, compared with a window of a minute, while polls use the whole
 * default cap.
 */
export default async function commandWait(): Promise<Comparison[]> {
  const life = new AbortController()
  const waits = await withFakeClock({ maxLoggedRequests: 100 }, { requestsPerMinute: 30 }, async (at) => {
    at.simulator.faults.start(latency(200))
    try {
      for (let nth = 0; nth < pollers; nth += 1) poll(at, nth, life.signal).catch(() => {})
      return await waitsOf(at)
    } finally {
      life.abort()
    }
  })
  return [
    { what: 'median', ours: quantile(waits, 0.5), theirs: window, unit: 'ms', goal: 0.01 },
    { what: 'p99', ours: quantile(waits, 0.99), theirs: window, unit: 'ms', goal: 0.05 },
  ]
}

/** Sends the next request as soon as the last one is answered. */
async function poll({ account, panel }: AccountHarness, nth: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    await account.sendRead(operations.status, { lane: 'poll', maxAge: 0, panel, locale: `${nth}`, signal })
  }
}

/** Milliseconds of a fake clock from each command to its arrival at the simulator. */
async function waitsOf(at: AccountHarness): Promise<number[]> {
  const { simulator, clock } = at
  const random = new Random(seed)
  const pass = (ms: number) => at.time.pass(ms)
  // Wait until the polls have used up their burst.
  await pass(3 * window)
  const waits: number[] = []
  while (waits.length < commands) {
    // About one a minute: a tenth of the cap, which is three, is reserved for commands.
    await pass(window + random.between(0, window / 2))
    const from = clock.monotonic()
    const given = command.give(at)
    const arrival = () => simulator.requests.find((one) => one.at >= from && one.path.endsWith(command.path))
    while (arrival() === undefined) await pass(clock.untilNext ?? 0)
    waits.push((arrival()?.at ?? Number.NaN) - from)
    await pass(window / 10)
    await given
  }
  return waits
}
