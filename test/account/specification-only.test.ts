import assert from 'node:assert/strict'
import { type AccountHarness, startAccountHarness } from '../../harness/account.ts'
import { requestsTo } from '../../harness/simulator.ts'
import { operations } from '../../src/service/operations.ts'
import type { SimulatorOptions } from '../../src/simulator/simulator.ts'

const alone = ['standardLog', 'rriResults', 'configurationList', 'events'] as const

describe('A service that is the specification and no more', () => {
  let at: AccountHarness
  const start = async (options: SimulatorOptions = {}, settings = {}) => {
    at = await startAccountHarness({ onlySpecified: true, panels: 1, ...options }, settings)
  }
  const pinned = { apiVersion: '14.0' }
  afterEach(() => at.close())

  for (const key of alone) {
    // @spec 4.7, 4.8, 4.9, 4.10, 5.4, which-panel
    it(`answers ${key} to the user token alone, for a panel and for an account without one`, async () => {
      await start({}, pinned)
      at.simulator.world.panel('A1B2C3').addEvents(3)
      const { panel, ...request } = at.createRequest()
      const forPanel = await at.account.sendRead<unknown>(operations[key], { ...request, panel })
      const forAccount = await at.account.sendRead<unknown>(operations[key], request)
      assert.deepEqual(forAccount.value, forPanel.value)
      assert.equal(requestsTo(at.simulator, 'panel/login'), 1)
      assert.equal(at.simulator.accounts.signIns, 1)
    })
  }

  it('is asked again only after a pause if it opens panels now', async () => {
    await start({}, pinned)
    for (let times = 0; times < 20; times += 1)
      await at.account.sendRead(operations.standardLog, at.createRequest())
    assert.equal(requestsTo(at.simulator, 'panel/login'), 1)
    at.clock.advance(9 * 60_000)
    await at.account.sendRead(operations.standardLog, at.createRequest())
    assert.equal(requestsTo(at.simulator, 'panel/login'), 2)
  })

  // @spec 5.3
  it('cannot answer what needs the token of a panel', async () => {
    await start({}, pinned)
    const read = at.account.sendRead(operations.devices, at.createRequest())
    await assert.rejects(read, { code: 'NOT_FOUND' })
    assert.equal(requestsTo(at.simulator, 'devices'), 0)
  })

  // @spec which-panel
  it('is not asked about one of several panels, since its answer could be about any', async () => {
    await start({ panels: 2 }, pinned)
    const { panel, ...request } = at.createRequest()
    const { value } = await at.account.sendRead(operations.panels, request)
    at.account.knowledge.notePanels(value)
    const read = at.account.sendRead(operations.events, { ...request, panel })
    await assert.rejects(read, { code: 'NOT_FOUND', message: /has 2 panels/ })
    assert.equal(requestsTo(at.simulator, 'events'), 0)
  })

  for (const status of [404, 405]) {
    it(`is recognized by the answer ${status} to the request to open a panel`, async () => {
      await start({ onlySpecified: false })
      at.simulator.respondOnce('panel/login', { status })
      const { value } = await at.account.sendRead(operations.standardLog, at.createRequest())
      assert.ok(value.length > 0)
    })
  }
})

describe('A service that opens panels', () => {
  let at: AccountHarness
  afterEach(() => at.close())

  // @spec which-panel
  it('is asked with both tokens, and not with the user token alone while it cannot open the panel', async () => {
    at = await startAccountHarness()
    await at.account.sendRead(operations.events, at.createRequest())
    at.simulator.accounts.expireSessions()
    at.simulator.respondOnce('panel/login', { status: 404 })
    const before = requestsTo(at.simulator, 'events')
    await assert.rejects(at.account.sendRead(operations.events, at.createRequest()), { code: 'NOT_FOUND' })
    assert.equal(requestsTo(at.simulator, 'events'), before + 1)
  })

  it('may refuse the user token alone hours after the sign-in: no new one, and the sessions of all panels stay', async () => {
    at = await startAccountHarness({ panels: 2 })
    const { panel, ...request } = at.createRequest()
    const other = { ...panel, serial: at.simulator.serials[1] ?? '' }
    const polls = async () => {
      for (const one of [panel, other])
        await at.account.sendRead(operations.status, { ...request, panel: one })
    }
    await polls()
    at.clock.advance(3 * 3_600_000)
    const read = at.account.sendRead(operations.standardLog, request)
    await assert.rejects(read, { code: 'NOT_CONFIGURED' })
    await polls()
    assert.deepEqual([at.simulator.accounts.signIns, requestsTo(at.simulator, 'panel/login')], [1, 2])
  })

  it('may refuse the user token alone and its list of panels too: its error is told, and no sign-in follows', async () => {
    at = await startAccountHarness({ panels: 2 })
    const { panel, ...request } = at.createRequest()
    for (const serial of at.simulator.serials)
      await at.account.sendRead(operations.status, { ...request, panel: { ...panel, serial } })
    at.clock.advance(3 * 3_600_000)
    at.simulator.respondOnce('panels', { status: 500 })
    await assert.rejects(at.account.sendRead(operations.standardLog, request), { code: 'SERVER_ERROR' })
    assert.equal(at.simulator.accounts.signIns, 1)
  })

  it('is asked again with a new user token if the one before has expired', async () => {
    at = await startAccountHarness({ panels: 1, onlySpecified: true }, { apiVersion: '14.0' })
    const { panel, ...request } = at.createRequest()
    await at.account.sendRead(operations.standardLog, request)
    at.clock.advance(3 * 3_600_000)
    at.simulator.accounts.expireUserTokens()
    assert.ok((await at.account.sendRead(operations.standardLog, request)).value.length >= 0)
    assert.equal(at.simulator.accounts.signIns, 2)
  })

  it('may refuse the user token alone: no sign-in, no pause, and not asked again for an hour', async () => {
    at = await startAccountHarness()
    const { panel, ...request } = at.createRequest()
    const ask = () => at.account.sendRead(operations.standardLog, request)
    await assert.rejects(ask(), { code: 'NOT_CONFIGURED', message: /^Panel: .*only for a panel/ })
    assert.equal(at.simulator.accounts.signIns, 1)
    assert.equal(at.account.phase, 'ready')
    const sent = at.simulator.requests.length
    await assert.rejects(ask(), { code: 'NOT_CONFIGURED' })
    assert.equal(at.simulator.requests.length, sent)
    const { value } = await at.account.sendRead(operations.standardLog, { ...request, panel })
    assert.ok(value.length > 0)
    at.clock.advance(3_600_000)
    // This service then takes the user token alone for the panel that it has opened.
    assert.deepEqual((await ask()).value.length, value.length)
  })
})
