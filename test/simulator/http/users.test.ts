import assert from 'node:assert/strict'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { type Caller, signedIn } from '../caller.ts'

describe('the users of the simulator', () => {
  let clock: FakeClock
  let simulator: Simulator
  let caller: Caller

  beforeEach(async () => {
    clock = new FakeClock()
    simulator = await startSimulator({ clock, versions: ['8.0', '14.0'] })
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
  const setCode = (user: Caller, user_id: number, user_code: string) =>
    user.post('set_user_code', { user_id, user_code })

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

  it('see themselves alone when they are not the master user', async () => {
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

  it('get codes from the master user, at that panel alone', async () => {
    assert.equal((await setCode(caller, 2, '2222')).status, 200)
    clock.advance(2000)
    const second = await signedIn(simulator)
    assert.equal((await second.logIn('A1B2C3', '2222')).status, 200)
    assert.equal((await second.logIn('A1B2C3', '1728')).status, 400)
    assert.equal((await second.logIn('012345', '2222')).status, 400)
  })

  it('may arm and disarm their own partitions only', async () => {
    await setCode(caller, 3, '3333')
    clock.advance(2000)
    await caller.logIn('A1B2C3', '3333')
    assert.equal((await caller.post('set_state', { partition: 1, state: 'AWAY' })).status, 200)
    for (const partition of [2, -1]) {
      const { status, body } = await caller.post('set_state', { partition, state: 'AWAY' })
      assert.equal(status, 403)
      assert.equal(body.error, 10010)
      assert.equal(body.error_reason_code, 'NotAllowed')
    }
  })

  it('lose their code with 0000, the master user aside', async () => {
    await setCode(caller, 2, '0000')
    clock.advance(2000)
    const second = await signedIn(simulator)
    assert.equal((await second.logIn('A1B2C3', '1728')).status, 400)
    assert.equal((await setCode(caller, 1, '0000')).status, 400)
  })

  it('share no code', async () => {
    const { body } = await setCode(caller, 3, simulator.secondUserCode)
    clock.advance(2000)
    const [process] = (await caller.get(`process_status?process_tokens=${body.process_token}`)).body
    assert.equal(process.message, 'CodeInUse')
  })

  it('get no codes from others, no wrong ones, and none where there is nobody', async () => {
    assert.equal((await setCode(await asSecond(), 2, '2222')).status, 403)
    for (const [user, code, key] of [
      [2, '22', 'user_code'],
      [2, 'abcd', 'user_code'],
      [9, '2222', 'user_id'],
    ] as const) {
      const { status, body } = await setCode(caller, user, code)
      assert.equal(status, 400)
      assert.deepEqual(body.extras, [{ key, value: 'incorrect' }])
    }
  })
})
