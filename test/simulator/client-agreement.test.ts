import assert from 'node:assert/strict'
import { FakeClock } from '../../harness/clock/fake-clock.ts'
import { type ApiClient, installerAt, signedIn } from '../../harness/simulator/api-client.ts'
import { operations } from '../../src/service/operations.ts'
import { type Check, parse } from '../../src/service/schema.ts'
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts'

/** The read operations of the client. */
const reads = Object.values(operations).filter(
  ({ method, path }) => method === 'GET' && !/rest_api|token/.test(path),
)
const missing: ReadonlySet<string> = new Set(['alarms', 'alerts', 'troubles', 'locations'])

describe('the client and the simulator, which share no code', () => {
  let simulator: Simulator
  let user: ApiClient
  let installer: ApiClient

  before(async () => {
    simulator = await startSimulator({ clock: new FakeClock() })
    const [panel] = simulator.world.panels
    panel?.arm(1, 'HOME', { exitDelay: 0 })
    panel?.open(2)
    panel?.tamper(4)
    user = await signedIn(simulator)
    installer = await installerAt(simulator)
  })

  after(() => simulator.close())

  for (const { name, path, check } of reads) {
    const assertReadable = async (caller: ApiClient) => {
      const { status, body } = await caller.get(path.slice(1).replace('{locale}', 'en_US'))
      assert.equal(status, 200)
      const read = parse<unknown>(check as Check<unknown>, body)
      assert.ok(read, 'the answer does not fit')
      assert.equal(read.dropped, 0)
    }
    // @spec 1
    it(`agree on ${name} of the end-user service`, () => assertReadable(user))
    if (!missing.has(name))
      // @spec 1
      it(`agree on ${name} of the installer service`, () => assertReadable(installer))
  }

  it('agree on the sign-in of both services', async () => {
    const { email, password } = simulator
    for (const [caller, device] of [
      [user, { app_id: 'app' }],
      [installer, { device_id: 'device', device_info: 'test' }],
    ] as const) {
      const { body } = await caller.post('auth', { email, password, ...device })
      assert.equal(parse(operations.signIn.check, body)?.dropped, 0)
    }
  })
})
