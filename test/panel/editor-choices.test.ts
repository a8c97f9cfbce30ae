import assert from 'node:assert/strict'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../harness/account.ts'
import { device, info, statusOf } from '../../harness/fixtures/samples.ts'
import { requestsTo } from '../../harness/simulator.ts'
import { day } from '../../src/duration.ts'
import {
  deviceChoices,
  eventTypeChoices,
  partitionChoices,
  readDeviceChoices,
  readEventTypeChoices,
  readPartitionChoices,
  recallDeviceChoices,
  recallEventTypeChoices,
  recallPartitionChoices,
} from '../../src/panel/editor-choices.ts'
import type { PanelInfo } from '../../src/service/responses/panel-info.ts'

const forAll = { times: Number.POSITIVE_INFINITY }

describe('The choices for the editor', () => {
  const house = { id: 1, name: 'House', active: true }
  const garage = { id: 2, name: 'Garage', active: false }
  const named = (...args: Parameters<typeof partitionChoices>) =>
    partitionChoices(...args).map(({ id, name }) => [id, name])

  it('include every partition with a reported state, by name, and every active configured one', () => {
    const status = statusOf({ id: 3, state: 'AWAY' }, { id: 1, state: 'HOME' })
    assert.deepEqual(named(info(house, garage, { id: -1, name: 'ALL' }), status), [
      [-1, 'ALL'],
      [1, 'House'],
      [3, ''],
    ])
    assert.deepEqual(named(info(house, garage), null), [[1, 'House']])
    assert.deepEqual(named(null, statusOf({ id: 2, state: 'AWAY' })), [[2, '']])
    assert.deepEqual(named(info(garage), statusOf({ id: 2, state: 'AWAY' })), [[2, 'Garage']])
  })

  // @spec 2.6
  it('include, for each partition, the states that can be requested with their options', () => {
    const ofHouse = (panel: PanelInfo | null) =>
      partitionChoices(panel, statusOf({ id: 1, state: 'DISARM' }))[0]?.states
    assert.deepEqual(ofHouse(info(house)), [
      { name: 'AWAY', options: ['NOENTRY', 'LATCHKEY'] },
      { name: 'HOME', options: ['NOENTRY'] },
      { name: 'DISARM', options: [] },
    ])
    assert.deepEqual(ofHouse(null), [])
  })

  it('include every device, with the label that it has in messages', () => {
    const named = device({ id: 7, name: 'Back door', traits: { location: { name: 'Kitchen' } } })
    const bare = device({ id: 8, name: '', device_type: 'PGM', device_number: 2, traits: {} })
    const [one, other] = deviceChoices([named, bare])
    assert.deepEqual([one?.id, one?.label, one?.location], [7, 'Back door', 'Kitchen'])
    assert.deepEqual([other?.id, other?.label, other?.location, other?.type], [8, 'PGM 2', '', 'PGM'])
  })

  it('include every event type that the service or this package knows, in the words of the service', () => {
    const known = eventTypeChoices()
    const ours = known.find(({ typeId }) => typeId === 1)
    assert.ok(ours)
    const row = { ...ours, vis: '', contactId: '', sia: '', descriptionOriginal: '' }
    const choices = eventTypeChoices([
      { ...row, description: 'Einbruch' },
      { ...row, typeId: 5000, description: 'Neu' },
    ])
    assert.equal(choices.length, known.length + 1)
    assert.deepEqual(
      choices.find(({ typeId }) => typeId === 1),
      { ...ours, description: 'Einbruch' },
    )
  })
})

describe('Reading the choices from the service', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness()
  })
  afterEach(() => at.close())

  const failNext = (operation: string, status: number) =>
    at.simulator.respondOnce(operation, { status, ...forAll })

  it('reuses answers to other readers within the last minute', async () => {
    await readDeviceChoices(at.account, at.panel, neverAborted())
    const requests = at.simulator.requests.length
    at.clock.advance(59_000)
    await readDeviceChoices(at.openTrialAccount(), at.panel, neverAborted())
    assert.equal(at.simulator.requests.length, requests)
    at.clock.advance(2000)
    await readDeviceChoices(at.openTrialAccount(), at.panel, neverAborted())
    assert.equal(requestsTo(at.simulator, 'devices'), 2)
  })

  it('needs only the state or the panel information for the partitions', async () => {
    const names = async () =>
      (await readPartitionChoices(at.account, at.panel, neverAborted())).map(({ name }) => name)
    const whole = await names()
    assert.ok(whole.includes('House'))
    failNext('status', 404)
    at.clock.advance(61_000)
    assert.deepEqual(await names(), whole)
    failNext('panel_info', 404)
    at.clock.advance(3_600_000)
    await assert.rejects(names(), { code: 'NOT_FOUND' })
  })

  it('returns partitions without names if the panel information cannot be read', async () => {
    failNext('panel_info', 500)
    const partitions = await readPartitionChoices(at.account, at.panel, neverAborted())
    assert.ok(partitions.length > 0)
    assert.ok(partitions.every(({ name }) => name === ''))
  })

  it('sends neither a wrong code twice nor the serial of a panel that the account does not have', async () => {
    const { accounts } = at.simulator
    for (const read of [readPartitionChoices, readDeviceChoices, readPartitionChoices]) {
      await assert.rejects(read(at.openTrialAccount(), { ...at.panel, userCode: '0000' }, neverAborted()), {
        code: 'WRONG_USER_CODE',
      })
    }
    assert.equal(accounts.panelLogins, 1)
    await assert.rejects(readDeviceChoices(at.account, { ...at.panel, serial: 'NOWHERE' }, neverAborted()), {
      code: 'BAD_SETTING',
    })
    assert.equal(accounts.panelLogins, 1)
  })

  it('finds a panel that was added to the account later', async () => {
    at.simulator.respondOnce('panels', { status: 200, body: [{ panel_serial: 'OTHER' }] })
    const read = () => readDeviceChoices(at.account, at.panel, neverAborted())
    await assert.rejects(read(), { code: 'BAD_SETTING' })
    at.clock.advance(601_000)
    assert.ok((await read()).length > 0)
  })

  describe('for the event types', () => {
    const disarm = async (locale: string, account = at.account) => {
      const types = await readEventTypeChoices(account, locale, neverAborted())
      return types.find(({ typeId }) => typeId === 89)?.description
    }

    it('uses the requested language, or else that of the account', async () => {
      assert.equal(await disarm('de_DE'), 'Unscharf')
      assert.equal(await disarm('en_US'), 'Disarm')
      assert.equal(await disarm('fr_FR', at.openAccount({ locale: 'de_DE' })), 'Unscharf')
    })

    it('uses that of the account also if the answer in the requested one cannot be read', async () => {
      at.simulator.respondOnce('had/rules/event-profiles', { status: 200, body: { nothing: true } })
      assert.equal(await disarm('fr_FR', at.openAccount({ locale: 'de_DE' })), 'Unscharf')
    })

    it('uses English if the service has no catalogue', async () => {
      failNext('had/rules/event-profiles', 404)
      assert.equal(await disarm('de_DE'), 'Disarm')
    })

    it('reports the cause if the service fails, after a single request', async () => {
      failNext('auth', 503)
      await assert.rejects(disarm('de_DE'), { code: 'SERVER_ERROR' })
      assert.equal(requestsTo(at.simulator, 'auth'), 1)
    })
  })
})

describe('The choices that are known without a request', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness()
  })
  afterEach(() => at.close())

  const disarm = (locale: string, account = at.account) =>
    recallEventTypeChoices(account, locale).find(({ typeId }) => typeId === 89)?.description

  it('are none before the panel was read, except the event types in English', () => {
    assert.deepEqual(recallDeviceChoices(at.account, at.panel), [])
    assert.deepEqual(recallPartitionChoices(at.account, at.panel), [])
    assert.equal(disarm('de_DE'), 'Disarm')
    assert.equal(at.simulator.requests.length, 0)
  })

  it('are those of the latest answers to any account of the sign-in, also after days', async () => {
    const reader = at.openTrialAccount()
    const devices = await readDeviceChoices(reader, at.panel, neverAborted())
    const partitions = await readPartitionChoices(reader, at.panel, neverAborted())
    const requests = at.simulator.requests.length
    at.clock.advance(3 * day)
    assert.deepEqual(recallDeviceChoices(at.account, at.panel), devices)
    assert.deepEqual(recallPartitionChoices(at.account, at.panel), partitions)
    assert.deepEqual(recallDeviceChoices(at.account, { ...at.panel, serial: 'OTHER' }), [])
    assert.equal(at.simulator.requests.length, requests)
  })

  it('have the language that is wanted, else that of the account', async () => {
    const german = at.openAccount({ locale: 'de_DE' })
    await readEventTypeChoices(german, 'de_DE', neverAborted())
    assert.equal(disarm('de_DE'), 'Unscharf')
    assert.equal(disarm('fr_FR', german), 'Unscharf')
    assert.equal(disarm('fr_FR'), 'Disarm')
  })
})
