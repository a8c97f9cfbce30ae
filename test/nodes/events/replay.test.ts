import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { neverAborted } from '../../../harness/account.ts'
import { processTime } from '../../../harness/clock/process-fake-clock.ts'
import { until, useFlowHarness } from '../../../harness/flow.ts'
import type { FlowMessage } from '../../../harness/recorder.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { Account } from '../../../src/account/account.ts'
import { AccountRegistry } from '../../../src/account/account-registry.ts'
import { accountSettings } from '../../../src/account/account-settings.ts'
import { systemClock } from '../../../src/clock.ts'
import { type DiagnosticsFile, diagnosticsFile } from '../../../src/messages/diagnostics-file.ts'
import { recordAnswers } from '../../../src/panel/diagnostics/recording.ts'
import { parseRecording } from '../../../src/simulator/replay.ts'
import { writeHistory } from '../../../src/simulator/scenarios/scenario.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'

const nodes = {
  state: { type: 'keyholder-state', initial: true },
  readings: { type: 'keyholder-readings', initial: true },
  events: { type: 'keyholder-events', first: 'deliver' },
  query: { type: 'keyholder-query', operation: 'users' },
}

const apis = [
  { title: 'the account of an end user', api: 'user', codeOf: ({ userCode }: Simulator) => userCode },
  { title: 'an installer', api: 'service', codeOf: ({ installerCode }: Simulator) => installerCode },
] as const

/** A stand-in of the redaction: a text, or a number as such or as a text. */
const isStandIn = (value: unknown) => /^(text-\d+|1\d{6})$/.test(String(value))

/** Collects what each stand-in of a replayed message stands for, and fails if one stands for two things. */
function collect(original: unknown, replayed: unknown, originals: Map<string, unknown>): void {
  if (typeof replayed === 'object' && replayed !== null) {
    for (const [at, member] of Object.values(replayed).entries())
      collect(Object.values(original ?? {})[at], member, originals)
  } else if (isStandIn(replayed) && original !== replayed) {
    const key = String(replayed)
    if (originals.has(key)) assert.equal(String(originals.get(key)), String(original))
    originals.set(key, original)
  }
}

/** Returns a message with the originals of its stand-ins, also within texts such as topics. */
function restored(value: unknown, originals: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === 'number') return originals.get(String(value)) ?? value
  if (typeof value === 'string')
    return value.replace(/text-\d+|\b1\d{6}\b/g, (standIn) => String(originals.get(standIn) ?? standIn))
  if (Array.isArray(value)) return value.map((item) => restored(item, originals))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [
    restored(name, originals),
    restored(member, originals),
  ])
  return Object.fromEntries(members)
}

describe('A replay of diagnostics', () => {
  const harness = useFlowHarness()
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-replay-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))

  const record = async (simulator: Simulator, api: 'user' | 'service', userCode: string) => {
    const { url, email, password, serials } = simulator
    const raw = { url, email, password, api, requestsPerMinute: 6000 }
    const settings = accountSettings(raw, {
      appId: '5f0c9d4e-8f5b-4c93-a0c5-0b7a2c6c1f11',
      deviceInfo: 'test',
    })
    const dependencies = { clock: systemClock, folder, random: Math.random }
    const account = new Account(settings, new AccountRegistry(systemClock), dependencies, () => {})
    const serial = serials[0] ?? ''
    const steps = recordAnswers(account, { serial, userCode }, neverAborted())
    let step = await processTime.waitFor(steps.next())
    while (!step.done) step = await processTime.waitFor(steps.next())
    const versions = { plugin: '', nodeRed: '', node: '' }
    const facts = { versions, account, panelHealth: undefined, serial, recording: step.value }
    return diagnosticsFile({ ...facts, now: systemClock.wall() })
  }

  /** Returns the messages of all nodes after some polls, without the times at which they were made. */
  const messagesAt = async (simulator: Simulator, api: 'user' | 'service', userCode: string) => {
    const setup = { nodes, account: { api }, credentials: { userCode }, panel: { name: 'Ours' } }
    const flow = await harness.startAt(simulator, setup)
    flow.input('query')
    const isPolled = ['status', 'devices', 'events'].map((name) => () => requestsTo(simulator, name) >= 4)
    await until(() => isPolled.every((isDone) => isDone()) && flow.output('query').all.length === 1)
    await until(() => flow.output('events').all.length > 0)
    const all = Object.fromEntries(
      Object.keys(nodes).map((name) => [name, flow.output(name).all.map(withoutOwnTime)] as const),
    )
    await harness.stopFlow()
    return all
  }

  for (const { title, api, codeOf } of apis) {
    it(`for ${title} gives the same messages as the panel, stand-ins aside`, async () => {
      const simulator = await harness.startSimulator()
      const panel = simulator.world.panel(simulator.serials[0] ?? '')
      writeHistory(panel, simulator.world.time.now())
      const original = await messagesAt(simulator, api, codeOf(simulator))
      const file = await record(simulator, api, codeOf(simulator))

      const replay = await harness.startSimulator({ replay: parseRecording(JSON.stringify(file)) })
      assert.deepEqual(replay.serials, [file.serial])
      const replayed = await messagesAt(replay, api, codeOf(replay))

      for (const name of Object.keys(nodes)) assert.ok((original[name]?.length ?? 0) > 0, name)
      assert.doesNotMatch(JSON.stringify(replayed), /Anna|Front door|A1B2C3/)
      const originals = new Map<string, unknown>()
      collect(original, replayed, originals)
      assert.deepEqual(restored(replayed, originals), original)
    })
  }

  it('gives the recorded errors', async () => {
    const simulator = await harness.startSimulator()
    simulator.respondOnce('users', { status: 403, body: { error_reason_code: 'NotAllowed' }, times: 9 })
    const file: DiagnosticsFile = await record(simulator, 'user', simulator.userCode)
    const replay = await harness.startSimulator({ replay: parseRecording(JSON.stringify(file)) })
    const flow = await harness.startAt(replay, { nodes })
    flow.input('query')
    assert.equal((await flow.caught.next()).error?.code, 'NOT_ALLOWED')
  })
})

/** The ids of Node-RED and of an answer of several messages, and its time, differ from one run to the next. */
function withoutOwnTime({ fetchedAt: _, _msgid: __, parts, ...message }: FlowMessage & { _msgid?: unknown }) {
  return parts === undefined ? message : { ...message, parts: { ...parts, id: '' } }
}
