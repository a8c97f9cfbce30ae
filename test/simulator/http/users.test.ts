import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { type ApiClient, signedIn } from '../../../harness/simulator/api-client.ts'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'

describe('the users of the simulator', () => {
  let simulator: Simulator
  let caller: ApiClient

  beforeEach(async () => {
    simulator = await startSimulator({ clock: new FakeClock(), versions: ['8.0', '14.0'] })
    caller = await signedIn(simulator)
  })

  afterEach(async () => {
    assert.deepEqual(simulator.defects, [])
    await simulator.close()
  })

  const asSecond = async () => {
    const second = await signedIn(simulator)
    await second.logIn('A1B2C3', simulator.secondUserCode)
    return second
  }

  it('are all listed for the master user', async () => {
    const { body } = await caller.get('users')
    assert.deepEqual(Object.keys(body), ['max_users_count', 'users', 'reserved_ids'])
    assert.equal(body.users.length, 4)
    assert.deepEqual(body.users[0], {
      id: 1,
      name: 'Anna',
      email: simulator.email,
      partitions: [1, 2, 3],
      role: 'MASTER_USER',
    })
    assert.deepEqual(body.users[2].partitions, [1])
  })

  it('see only themselves unless they are the master user', async () => {
    const second = await asSecond()
    const { users } = (await second.get('users')).body
    assert.deepEqual(
      users.map(({ name }: { name: string }) => name),
      ['Ben'],
    )
    assert.equal((await second.get('panel_info')).body.current_user, 'user')
    assert.equal((await caller.get('panel_info')).body.current_user, 'master_user')
  })

  it('have no roles before version 14', async () => {
    const old = await signedIn(simulator, 'A1B2C3', '8.0')
    assert.ok(!('role' in (await old.get('users')).body.users[0]))
  })

  it('can arm and disarm only their own partitions', async () => {
    simulator.accounts.codes.set(simulator.world.panel('A1B2C3'), 3, '3333')
    await caller.logIn('A1B2C3', '3333')
    assert.equal((await caller.post('set_state', { partition: 1, state: 'AWAY' })).status, 200)
    for (const partition of [2, -1]) {
      const { status, body } = await caller.post('set_state', { partition, state: 'AWAY' })
      assert.equal(status, 403)
      assert.equal(body.error, 10010)
      assert.equal(body.error_reason_code, 'NotAllowed')
    }
  })
})
