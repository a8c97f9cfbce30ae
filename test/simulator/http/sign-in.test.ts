import assert from 'node:assert/strict'
import { ApiClient, signedIn } from '../../../harness/simulator/api-client.ts'
import { useSimulatorHarness } from '../../../harness/simulator.ts'

describe('the sign-in of the simulator', () => {
  const at = useSimulatorHarness((simulator) => new ApiClient(simulator))

  it('lists its versions without credentials', async () => {
    const { status, body } = await at.caller.request('GET', '/rest_api/version')
    assert.equal(status, 200)
    assert.deepEqual(body.rest_versions, ['13.0', '14.0'])
    for (const member of ['installer_versions', 'push_format_versions', 'dls_versions']) {
      assert.ok(Array.isArray(body[member]), member)
    }
  })

  // @spec 4.2
  it('returns a user token and the look of the app', async () => {
    const { status, body } = await at.caller.signIn()
    assert.equal(status, 200)
    assert.match(body.user_token, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    assert.equal(body.customization.data.customization.themes[0].colors.gradient.length, 3)
  })

  // @spec 5.6
  it('returns a session token for reading one panel', async () => {
    await at.caller.signIn()
    assert.equal((await at.caller.logIn(at.simulator.serials[1])).status, 200)
    assert.equal((await at.caller.get('panel_info')).body.serial, at.simulator.serials[1])
  })

  it('answers a wrong password with 400 WrongCombination and names both fields', async () => {
    const { status, body } = await at.caller.signIn('wrong')
    assert.equal(status, 400)
    assert.equal(body.error, 10004)
    assert.equal(body.error_reason_code, 'WrongCombination')
    assert.deepEqual(body.extras, [
      { key: 'email', value: 'wrong_combination' },
      { key: 'password', value: 'wrong_combination' },
    ])
  })

  // @spec 4.2
  it('names every missing field of a sign-in', async () => {
    const { status, body } = await at.caller.post('auth', { email: 'a@b.example' })
    assert.equal(status, 400)
    assert.equal(body.error_reason_code, 'BadRequestParams')
    assert.deepEqual(body.extras, [
      { key: 'password', value: 'required' },
      { key: 'app_id', value: 'required' },
    ])
  })

  it('answers an unknown serial with 400 panel_serial incorrect', async () => {
    await at.caller.signIn()
    const { status, body } = await at.caller.logIn('FFFFFF')
    assert.equal(status, 400)
    assert.equal(body.error, 10001)
    assert.deepEqual(body.extras, [{ key: 'panel_serial', value: 'incorrect' }])
  })

  it('refuses a panel login without a user token', async () => {
    assert.equal((await at.caller.logIn()).status, 401)
  })

  it('answers a missing user code with 400 BadRequestParams', async () => {
    await at.caller.signIn()
    const { status, body } = await at.caller.post('panel/login', { panel_serial: 'A1B2C3', app_id: 'app' })
    assert.equal(status, 400)
    assert.deepEqual(body.extras, [{ key: 'user_code', value: 'required' }])
  })

  // @spec panel-login
  it('rejects a code sent as a number as too short, because its leading zero is lost', async () => {
    await at.caller.signIn()
    const code = Number(at.simulator.userCode)
    const { body } = await at.caller.post('panel/login', {
      panel_serial: 'A1B2C3',
      user_code: code,
      app_id: 'a',
    })
    assert.deepEqual(body.extras, [{ key: 'user_code', value: 'minLength:4' }])
  })

  it('logs every third wrong user code as event 105', async () => {
    await at.caller.signIn()
    const panel = at.simulator.world.panel('A1B2C3')
    for (const events of [0, 0, 1]) {
      const { status, body } = await at.caller.logIn('A1B2C3', '9999')
      assert.equal(status, 400)
      assert.equal(body.error, 10021)
      assert.equal(body.error_reason_code, 'WrongUserCode')
      assert.equal(panel.events.filter((event) => event.type_id === 105).length, events)
    }
    assert.equal(panel.events[0]?.description, 'Wrong Password')
  })

  it('is blocked after five failures for a reported time', async () => {
    for (let failure = 0; failure < 5; failure += 1) assert.equal((await at.caller.signIn('no')).status, 400)
    at.clock.advance(15_500)
    const { status, body } = await at.caller.signIn()
    assert.equal(status, 420)
    assert.equal(body.error, 10020)
    assert.equal(body.error_reason_code, 'LoginTemporaryBlocked')
    assert.deepEqual(body.extras, [{ key: 'timeout', value: 45 }])
    at.clock.advance(44_500)
    assert.equal((await at.caller.signIn()).status, 200)
  })

  it('resets the failures after a success', async () => {
    for (let round = 0; round < 3; round += 1) {
      for (let failure = 0; failure < 4; failure += 1) await at.caller.signIn('no')
      assert.equal((await at.caller.signIn()).status, 200)
    }
  })

  it('can be blocked by a test, with the panel login', async () => {
    await at.caller.signIn()
    at.simulator.accounts.block(30)
    assert.equal((await at.caller.logIn()).status, 420)
    assert.equal((await at.caller.signIn()).status, 420)
  })

  it('measures a block on the monotonic clock, even if the wall clock steps', async () => {
    at.simulator.accounts.block(30)
    at.clock.stepWall(3_600_000)
    assert.equal((await at.caller.signIn()).status, 420)
  })

  it('counts sign-ins and panel logins, including refused ones', async () => {
    await at.caller.signIn('no')
    await signedIn(at.simulator)
    assert.equal(at.simulator.accounts.signIns, 2)
    assert.equal(at.simulator.accounts.panelLogins, 1)
  })

  it('accepts a changed password and a changed code', async () => {
    const { password, userCode } = at.simulator
    at.simulator.accounts.setPassword('new')
    at.simulator.accounts.setUserCode('000111')
    assert.equal((await at.caller.signIn(password)).status, 400)
    assert.equal((await at.caller.signIn('new')).status, 200)
    assert.equal((await at.caller.logIn('A1B2C3', userCode)).status, 400)
    assert.equal((await at.caller.logIn('A1B2C3', '000111')).status, 200)
    assert.equal(at.simulator.password, 'new')
  })

  it('answers a missing or expired user token with 401 and accepts a new one', async () => {
    assert.equal((await at.caller.get('panels')).status, 401)
    await at.caller.signIn()
    assert.equal((await at.caller.get('panels')).status, 200)
    at.simulator.accounts.expireUserTokens()
    const { status, body } = await at.caller.get('panels')
    assert.equal(status, 401)
    assert.equal(body.error_message, 'Wrong user token')
    await at.caller.signIn()
    assert.equal((await at.caller.get('panels')).status, 200)
  })

  const faces = [
    ['440', 440, 'SessionTokenNotFound', 'Session token not found'],
    ['400', 400, 'InvalidRequestFormat', 'Unable to recognize session token'],
    ['401', 401, 'Unauthorized', 'Wrong user token'],
    ['403', 403, 'UserAuthRequired', 'User authentication required'],
  ] as const
  for (const [answer, code, reason, message] of faces) {
    it(`can report an expired session as ${answer}`, async () => {
      at.caller = await signedIn(at.simulator)
      at.simulator.accounts.expiryStatus = answer
      assert.equal((await at.caller.get('status')).status, 200)
      at.simulator.accounts.expireSessions()
      const { status, body } = await at.caller.get('status')
      assert.equal(status, code)
      assert.equal(body.error_reason_code, reason)
      assert.equal(body.error_message, message)
      await at.caller.logIn()
      assert.equal((await at.caller.get('status')).status, 200)
    })
  }

  it('binds a session to the user token that opened it', async () => {
    at.caller = await signedIn(at.simulator)
    await at.caller.signIn()
    assert.equal((await at.caller.get('status')).status, 440)
  })

  it('keeps older tokens valid, unless set to end them', async () => {
    const older = await signedIn(at.simulator)
    await signedIn(at.simulator)
    assert.equal((await older.get('status')).status, 200)
    at.simulator.accounts.endsOlderTokens = true
    await signedIn(at.simulator)
    assert.equal((await older.get('status')).status, 401)
  })

  it('ends only older sessions of the same panel, if set to end them', async () => {
    at.simulator.accounts.endsOlderTokens = true
    const home = await signedIn(at.simulator)
    const cottage = new ApiClient(at.simulator)
    cottage.userToken = home.userToken
    await cottage.logIn(at.simulator.serials[1])
    assert.equal((await home.get('status')).status, 200)
    const again = new ApiClient(at.simulator)
    again.userToken = home.userToken
    await again.logIn(at.simulator.serials[0])
    assert.equal((await home.get('status')).status, 440)
  })
})
