import assert from 'node:assert/strict'
import { RandomResponses } from '../../../harness/fixtures/random-responses.ts'
import { repetitions } from '../../../harness/mocha/depth.ts'
import { seed } from '../../../harness/mocha/seed.ts'
import type { DeployKind, NodeRedProcess } from '../../../harness/node-red/node-red-process.ts'
import { withRecorder } from '../../../harness/node-red/recorded-flow.ts'
import { type NodeRedHarness, startNodeRedHarness } from '../../../harness/node-red.ts'
import {
  isSameAnswer,
  type SiteAnswer,
  type SiteHarness,
  type SiteOptions,
  startSiteHarness,
} from '../../../harness/site.ts'
import { queryable } from '../../../src/service/operations.ts'
import { faultCatalogue } from '../../../src/simulator/faults/fault-catalogue.ts'
import { versionWithdrawn } from '../../../src/simulator/faults/service-faults.ts'

const sitesAtOnce = 16
const enoughBodies = repetitions(2000, 500)

/** Bodies within which chance has each operation asked. */
const mostBodies = 2000

/** Milliseconds that a fault lasts before and after a deploy: a few polls, and longer than a request may take. */
const spell = 2000

/** The fault after which an account pauses for a minute. */
const refusedSignIn = 'status 401'

/** Faults after which an account pauses, by design: for that minute, or for hours. */
const lasting = [refusedSignIn, 'status 429, Retry-After 1000000000', 'status 442']

const statusOf = (site: SiteHarness): string => site.from('health').at(-1)?.payload.status

/** Tests whether the account of a site pauses, or waits for other settings. */
const isStopped = (site: SiteHarness) => /^(held|rejected)$/.test(statusOf(site))

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

describe('A real Node-RED survives all faults, and every node answers correctly afterwards', () => {
  let harness: NodeRedHarness
  let nodeRed: NodeRedProcess
  let sites: SiteHarness[] = []

  before(async () => {
    console.log(`    SEED=${seed}`)
    harness = await startNodeRedHarness({}, { hasEditor: true })
    await harness.writeFlowFile([])
    nodeRed = harness.startNodeRed()
    await nodeRed.url
  })

  afterEach(async () => {
    await Promise.all(sites.map((site) => site.close()))
    assert.ok(nodeRed.isRunning, nodeRed.output)
    assert.doesNotMatch(nodeRed.output, /^\s+at |unhandled|uncaught|Warning:/im)
    for (const { simulator } of sites) assert.deepEqual(simulator.defects, [])
    // The secrets of a node stay bound to their address until it is deleted.
    sites = []
    await deploy('full')
  })

  after(async () => {
    assert.equal(await nodeRed.stop(), 0)
    await harness.close()
  })

  const deploy = (kind: DeployKind) =>
    nodeRed.deploy(
      withRecorder(
        sites.flatMap(({ flows }) => flows),
        harness.messages.url,
      ),
      kind,
    )

  /** Presses the buttons until all of these sites are as expected; the log names those that take long. */
  const untilWell = async (
    of: readonly SiteHarness[],
    isWell: (site: SiteHarness) => boolean,
    names: readonly string[] = [],
  ) => {
    let left = of
    for (let looks = 1; left.length > 0; looks += 1) {
      await press(left)
      await pause(500)
      left = left.filter((site) => !isWell(site))
      if (looks % 120 === 0)
        console.log(`    not as expected after ${looks} looks: ${namesOf(left, names).join(', ')}`)
    }
  }

  const press = (of: readonly SiteHarness[] = sites) => Promise.all(of.map((site) => site.press(nodeRed)))

  /** Opens sites, waits until they are well, and answers with what their nodes said then. */
  const begin = async (options: readonly SiteOptions[]) => {
    const opening = options.map((option, place) => startSiteHarness(`${place}`, harness.messages, option))
    sites = await Promise.all(opening)
    const start = Date.now()
    await deploy('full')
    const truth = new Map<string, SiteAnswer | undefined>()
    const learn = (site: SiteHarness) => {
      truth.set(site.name, site.answerSince(start))
      return truth.get(site.name) !== undefined
    }
    await untilWell(sites, learn)
    return truth
  }

  /** Ends all faults; answers with the test that a site tells the truth, and an event that happened after them. */
  const endFaults = (truth: ReadonlyMap<string, SiteAnswer | undefined>) => {
    const end = Date.now()
    for (const { simulator, panel } of sites) {
      simulator.faults.clear()
      panel.log({ type_id: 97 })
    }
    return (site: SiteHarness) => {
      const { event } = site.panel.events.at(-1) ?? {}
      const isTold = site.from('events').some(({ payload }) => payload.id === event)
      const [before, now] = [truth.get(site.name), site.answerSince(end)]
      return isTold && before !== undefined && now !== undefined && isSameAnswer(before, now)
    }
  }

  it('with every node type', async () => {
    await begin([{}])
    const sets = await nodeRed.nodeSets()
    const ours = sets.flatMap(({ types }) => types).filter((type) => type.startsWith('keyholder-'))
    const missing = ours.filter((type) => !sites[0]?.types.includes(type))
    assert.deepEqual(missing, [])
  })

  const namesOf = (of: readonly SiteHarness[], names: readonly string[]) =>
    of.map((site) => `${names[Number(site.name)] ?? site.name} (${statusOf(site)})`)

  for (const faults of inPortions(faultCatalogue.map((make) => make()))) {
    const names = faults.map(({ name }) => name)
    it(`after the faults from "${names[0]}" to "${names.at(-1)}", each at all operations`, async () => {
      const truth = await begin(faults.map(() => ({})))
      faults.forEach((fault, place) => void sites[place]?.simulator.faults.start(fault))
      await press()
      await pause(spell)
      await deploy('full')
      await press()
      await pause(spell)
      // On a busy machine a site may not have met its fault by then, and one that lasts must be met.
      const given = sites.filter(({ name }) => lasting.includes(names[Number(name)] ?? ''))
      await untilWell(given, isStopped, names)

      const isTruthful = endFaults(truth)
      const healing = sites.filter((site) => !given.includes(site))
      await untilWell(healing, isTruthful, names)

      for (const site of given) {
        // On a busy machine the minute may be over; then the site must be well.
        if (names[Number(site.name)] === refusedSignIn)
          await untilWell([site], (it) => isStopped(it) || isTruthful(it), names)
        else assert.ok(isStopped(site), `${namesOf([site], names)}`)
        await site.close()
      }
      sites = healing
      await deploy('nodes')
      const again = given.map(({ name }) => startSiteHarness(name, harness.messages))
      sites = [...healing, ...(await Promise.all(again))]
      const mended = Date.now()
      await deploy('nodes')
      const renewed = sites.filter((site) => !healing.includes(site))
      await untilWell(renewed, (site) => site.answerSince(mended) !== undefined, names)
    })
  }

  it(`after ${enoughBodies} random bodies over all operations, with deploys meanwhile`, async () => {
    const operations = [...Object.keys(queryable), 'session']
    const truth = await begin(operations.map((operation) => ({ operation, every: 0.25 })))
    const answers = sites.map((_, place) => new RandomResponses(seed + place))
    sites.forEach(({ simulator }, place) => void simulator.faults.start(answers[place] as RandomResponses))
    const given = () => answers.reduce((sum, { total }) => sum + total, 0)
    const asked = () => new Set(answers.flatMap(({ given }) => [...given.keys()]))
    const all = Object.keys(queryable).length + 3
    const isMissing = () => asked().size < all && given() < mostBodies
    for (let round = 1; given() < enoughBodies || isMissing(); round += 1) {
      for (const { simulator } of sites) {
        // So that the operations before the others are asked again; more often, and sign-ins would have to wait.
        if (round % 8 === 1 && round < 48) simulator.accounts.expireUserTokens()
        simulator.faults.start(versionWithdrawn('14.0'), { operation: 'devices', times: 1 })
      }
      await press()
      await pause(500)
      if (round % 4 === 0) await deploy(round % 8 === 0 ? 'full' : 'nodes')
    }
    assert.deepEqual(asked().size, all, [...asked()].join(', '))

    await untilWell(sites, endFaults(truth), operations)
  })
})

/** So many that their sites do not keep a small machine from answering in time. */
function inPortions<T>(all: readonly T[]): T[][] {
  const starts = Array.from(
    { length: Math.ceil(all.length / sitesAtOnce) },
    (_, portion) => portion * sitesAtOnce,
  )
  return starts.map((start) => all.slice(start, start + sitesAtOnce))
}
