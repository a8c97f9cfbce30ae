import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../../harness/account.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import type { Account } from '../../../src/account/account.ts'
import { EventCatalogue, withDefaults } from '../../../src/panel/events/event-catalogue.ts'
import { bundled } from '../../../src/service/catalogue/en-us.ts'

const forAll = { times: Number.POSITIVE_INFINITY }

describe('The event catalogue', () => {
  let at: AccountHarness
  let path: string
  beforeEach(async () => {
    at = await startAccountHarness({}, { locale: 'de_DE' })
    path = join(at.folder, 'catalogue.json')
  })
  afterEach(() => at.close())

  const catalogueOf = (account: Account) => new EventCatalogue(account, path)
  const read = (catalogue: EventCatalogue) =>
    catalogue.read({ lane: 'poll', maxAge: 0, signal: neverAborted() })
  const disarm = 89

  it('is in the language of the account, with English rows for types that the service does not list', async () => {
    const catalogue = await read(catalogueOf(at.account))
    assert.equal(catalogue.get(disarm)?.descriptionOriginal, 'Disarm')
    assert.notEqual(catalogue.get(disarm)?.description, 'Disarm')
    assert.ok(catalogue.size >= 117)
  })

  it('is requested once a day', async () => {
    const catalogue = catalogueOf(at.account)
    for (let hour = 0; hour < 24; hour += 1) {
      await read(catalogue)
      at.clock.advance(3_600_000)
    }
    assert.equal(requestsTo(at.simulator, 'de_DE'), 1)
    await read(catalogue)
    assert.equal(requestsTo(at.simulator, 'de_DE'), 2)
  })

  it('is available after a restart without the service', async () => {
    const expected = (await read(catalogueOf(at.account))).get(disarm)
    at.simulator.respondOnce('had/rules/event-profiles', { status: 500, ...forAll })
    const catalogue = await read(catalogueOf(at.openAfterRestart({ locale: 'de_DE' })))
    assert.deepEqual(catalogue.get(disarm), expected)
  })

  it('stays in the language of the account if its cache cannot be written', async () => {
    await mkdir(path)
    const catalogue = catalogueOf(at.account)
    const expected = (await read(catalogue)).get(disarm)
    assert.notEqual(expected?.description, 'Disarm')
    assert.deepEqual((await read(catalogue)).get(disarm), expected)
  })

  // @spec locales, unknown-locale
  it('is English if the service refuses the language, which one line for the account says', async () => {
    const account = at.openAccount({ locale: 'sv_SE' })
    const panels = ['one', 'two'].map((name) => new EventCatalogue(account, join(at.folder, name)))
    for (let hour = 0; hour < 3; hour += 1) {
      for (const catalogue of panels) assert.equal((await read(catalogue)).get(disarm)?.description, 'Disarm')
      at.clock.advance(3_600_000)
    }
    const lines = at.notices.filter((line) => line.includes('sv_SE'))
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /^Language: the service does not have "sv_SE"\. .*English texts\.$/)
  })

  it('logs nothing of a language that the service cannot translate at the moment, or that is bundled', async () => {
    at.simulator.respondOnce('had/rules/event-profiles', { status: 503 })
    await read(catalogueOf(at.account))
    at.simulator.respondOnce('had/rules/event-profiles', { status: 404 })
    await read(catalogueOf(at.openAccount({ locale: 'en_US' })))
    assert.deepEqual(
      at.notices.filter((line) => /language/i.test(line)),
      [],
    )
  })

  // @spec locales
  it('is the bundled one, which all panels share, if the cache is missing or unreadable', async () => {
    at.simulator.respondOnce('had/rules/event-profiles', { status: 404, ...forAll })
    await writeFile(path, '[{"typeId":')
    assert.equal(await read(catalogueOf(at.account)), bundled)
  })

  it('has a type that several groups list in the first of them that is known, else in the first that is not that of all types', () => {
    const alarm = bundled.get(1) ?? assert.fail()
    const groupOf = (typeId: number, ...groups: string[]) =>
      withDefaults(groups.map((group) => ({ ...alarm, typeId, group }))).get(typeId)?.group
    assert.equal(groupOf(1, 'EP_ALARM', 'EP_ALL'), 'EP_ALARM')
    assert.equal(groupOf(1, 'EP_ALL', 'EP_ALARM', 'EP_ALERT'), 'EP_ALARM')
    assert.equal(groupOf(1, 'EP_ALL'), 'EP_ALARM')
    assert.equal(groupOf(2001, 'EP_ALL', 'EP_WEATHER', 'EP_RRI'), 'EP_WEATHER')
    assert.equal(groupOf(2001, 'EP_ALL'), 'EP_ALL')
  })

  it('does not delay an event for more than two seconds', async () => {
    at.simulator.hang('had/rules/event-profiles')
    const pending = read(catalogueOf(at.account))
    while (requestsTo(at.simulator, 'de_DE') === 0) await new Promise(setImmediate)
    at.clock.advance(2000)
    assert.equal((await pending).get(disarm)?.description, 'Disarm')
  })
})
