import assert from 'node:assert/strict'
import { duressWords } from '../../../harness/fixtures/duress-words.ts'
import { catalogue, languages, sets } from '../../../harness/fixtures/locales.ts'
import { until, useFlowHarness } from '../../../harness/flow.ts'
import { requestsTo } from '../../../harness/simulator.ts'

/** Every node that shows something of a panel. */
const nodes = {
  state: { type: 'keyholder-state' },
  readings: { type: 'keyholder-readings' },
  events: { type: 'keyholder-events' },
  'events of a duress': { type: 'keyholder-events', groups: ['EP_DURESS', 'EP_OPEN_CLOSE'] },
  incident: { type: 'keyholder-incident' },
  conditions: { type: 'keyholder-conditions' },
  health: { type: 'keyholder-health' },
  'home assistant': { type: 'keyholder-home-assistant' },
}

const ordinaryDisarm = 89
const duress = 15

describe('A code that is entered under threat', () => {
  const harness = useFlowHarness()

  /** Plays a disarm without an alarm and one in a burglary, and returns the flow with its statuses. */
  const play = async (typeId: number, locale: string) => {
    const { home, flow, simulator } = await harness.start({ account: { locale }, nodes })
    await flow.status('incident').next(({ fill }) => fill === 'green')
    await flow.status('events').next(({ fill }) => fill === 'green')
    const anna = { appointment: 'Anna', device_type: 'USER', zone: 4, zone_name: 'Anna', partitions: [1] }
    const polled = async () => {
      const known = requestsTo(simulator, 'events')
      await until(() => requestsTo(simulator, 'events') > known + 3)
    }
    home.log({ type_id: typeId, ...anna })
    await polled()
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    await flow.output('incident').next(({ payload }) => payload.kind === 'burglary')
    await polled()
    home.close(2)
    home.log({ type_id: typeId, ...anna })
    home.disarm(1, { user: 'Anna' })
    await flow
      .output('incident')
      .next(({ payload }) => payload.disarmedBy?.name === 'Anna' && payload.zones[0])
    await polled()
    return flow
  }

  for (const locale of ['en_US', 'de_DE']) {
    it(`shows in every status what an ordinary disarm shows, with an account in ${locale}`, async () => {
      const texts = async (typeId: number) => {
        const flow = await play(typeId, locale)
        const statuses = flow.statuses
        await harness.close()
        return statuses.map(({ text }) => text.replace(/, \d\d:\d\d$/, ''))
      }
      const shown = await texts(duress)
      assert.deepEqual(
        shown.filter((text) => duressWords.test(text)),
        [],
      )
      assert.deepEqual(new Set(shown), new Set(await texts(ordinaryDisarm)))
      assert.ok(shown.some((text) => text.endsWith(', Anna')))
    })
  }

  it('is told by the event itself and by payload.duress, and by no title and no summary', async () => {
    const flow = await play(duress, 'en_US')
    assert.equal(flow.output('events').all.filter(({ topic }) => topic === 'Home/event/duress').length, 2)
    const incidents = flow.output('incident').all
    assert.ok(incidents.some(({ payload }) => payload.duress && payload.kind === 'burglary'))
    assert.deepEqual(
      incidents
        .map(({ payload }) => `${payload.title} ${payload.summary}`)
        .filter((text) => duressWords.test(text)),
      [],
    )
    const [alone] = incidents
    assert.deepEqual(
      [alone?.payload.duress, alone?.payload.kind, alone?.payload.news, alone?.payload.title],
      [true, 'duress', 'detail', 'Disarmed'],
    )
    assert.match(alone?.payload.summary, /^Disarmed by Anna /)
  })

  for (const language of languages) {
    it(`has no word in any text of a status, a title, a summary or a condition in ${language}`, () => {
      const texts = sets.flatMap((set) => [...catalogue(language, set)].map(([key, text]) => ({ key, text })))
      const isShown = /\.(status|summary|text|state)\./
      assert.ok(texts.some(({ key }) => isShown.test(key)))
      assert.deepEqual(
        texts.filter(({ key, text }) => isShown.test(key) && duressWords.test(text)),
        [],
      )
      // The words are those of the language: the dialogs have them.
      assert.ok(texts.some(({ key, text }) => key.startsWith('events.group.') && duressWords.test(text)))
    })
  }
})
