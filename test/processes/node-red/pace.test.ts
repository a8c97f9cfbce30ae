import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { withRecorder } from '../../../harness/node-red/recorded-flow.ts'
import { type NodeRedHarness, startNodeRedHarness } from '../../../harness/node-red.ts'
import { Recorder } from '../../../harness/recorder.ts'

const serial = '00C0DE'

/**
 * A service with one panel, written for this test after the interface specification alone: it shares nothing with the
 * simulator, nor with the client.
 */
class PlainService {
  /** The names of the operations that were requested. */
  readonly requests = new Recorder<string>('requests')
  state = 'DISARM'
  readonly alarms: object[] = []
  readonly events: object[] = []
  readonly #server: Server
  /** The answers that show the alarm, by operation. */
  readonly #shown = new Map<string, number>()
  #release: () => void = () => {}
  readonly #released = new Promise<void>((resolve) => {
    this.#release = resolve
  })

  private constructor(server: Server) {
    this.#server = server
    server.on('request', async (request, response) => {
      const name = request.url?.replace(/^\/rest_api\/(?=version)|^\/rest_api\/[\d.]+\//, '') ?? ''
      this.requests.add(name)
      request.resume()
      const body = JSON.stringify(this.#answer(name))
      await this.#mayShow(name)
      response.writeHead(body === undefined ? 404 : 200, { 'Content-Type': 'application/json' }).end(body)
    })
  }

  static async start(): Promise<PlainService> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new PlainService(server)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  addEvent(event: { type_id: number; label: string; description: string; appointment: string }): void {
    const datetime = new Date().toISOString().slice(0, 19).replace('T', ' ')
    const place = { device_type: 'USER', zone: 1, zone_name: '', partitions: [-1], video: false }
    this.events.unshift({ ...place, ...event, event: 700 + this.events.length, datetime })
  }

  /** Opens a zone of the armed panel. From then on, status and alarms show the alarm once until `release` is called. */
  soundAlarm(): void {
    const location = { location: 'Hall', zone: 3, zone_name: 'Front door', zone_type: 'PERIMETER' }
    const datetime = new Date().toISOString().slice(0, 19).replace('T', ' ')
    const alarm = { device_type: 'ZONE', alarm_type: 'ALARM', datetime, has_video: false, evt_id: null }
    this.addEvent({ type_id: 3, label: 'BURGLAR', description: 'Perimeter Alarm', appointment: 'Front door' })
    this.alarms.push({ ...alarm, ...location, partitions: [1] })
  }

  /** Answers everything again. */
  release(): void {
    this.#release()
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  async #mayShow(name: string): Promise<void> {
    if (this.alarms.length === 0 || !['status', 'alarms'].includes(name)) return
    const shown = (this.#shown.get(name) ?? 0) + 1
    this.#shown.set(name, shown)
    if (shown > 1) await this.#released
  }

  #answer(name: string): unknown {
    const partition = { id: 1, name: 'House', active: true, state_set: 'all', exit_delay_time: 0 }
    const { state } = this
    const answers: Record<string, unknown> = {
      version: { rest_versions: ['14.0'] },
      auth: { user_token: 'user' },
      'panel/login': { session_token: 'session' },
      panels: [{ panel_serial: serial, alias: 'House', role: 'MASTER_USER' }],
      panel_info: { serial, partitions: [partition], state_sets: { all: [] } },
      status: {
        connected: true,
        partitions: [{ id: 1, state, status: null, ready: this.alarms.length === 0, options: [] }],
      },
      alarms: this.alarms,
      events: this.events,
      devices: [],
    }
    return answers[name]
  }
}

/** Starts a Node-RED with a house at a service, and waits until it has read everything once. */
async function startHouse(harness: NodeRedHarness, service: PlainService, panel: object = {}) {
  service.addEvent({ type_id: 89, label: 'DISARM', description: 'Disarm', appointment: 'Ben' })
  const onTab = { z: 'tab', panel: 'panel', wires: [[]] }
  const flows = [
    { id: 'tab', type: 'tab', label: 'Test' },
    { id: 'account', type: 'keyholder-account', source: 'service', url: service.url },
    { id: 'panel', type: 'keyholder-panel', name: 'House', account: 'account', serial, ...panel },
    { id: 'state', type: 'keyholder-state', ...onTab },
    { id: 'events', type: 'keyholder-events', ...onTab },
    { id: 'incident', type: 'keyholder-incident', ...onTab },
    { id: 'readings', type: 'keyholder-readings', ...onTab },
    { id: 'button', type: 'inject', z: 'tab', props: [{ p: 'payload' }], wires: [['incident']] },
  ]
  await harness.writeFlowFile(withRecorder(flows, harness.messages.url), {
    account: { email: 'me@example.com', password: 'secret' },
    panel: { userCode: '1234' },
  })
  const nodeRed = harness.startNodeRed()
  await harness.messages.from('state').first(({ payload }) => payload === 'DISARM')
  await service.requests.first((name) => name === 'devices')
  return nodeRed
}

describe('A panel at the pace of its situation, in a real Node-RED', () => {
  let harness: NodeRedHarness
  let service: PlainService

  before(async () => {
    harness = await startNodeRedHarness()
    service = await PlainService.start()
    await startHouse(harness, service)
  })

  after(() => Promise.all([harness.close(), service.close()]))

  it('tells who armed with the arming: the events are read before it is told', async () => {
    service.addEvent({ type_id: 86, label: 'ARM', description: 'Arm Away', appointment: 'Anna' })
    service.state = 'AWAY'
    const { state } = await harness.messages.from('state').first(({ payload }) => payload === 'AWAY')
    assert.equal(state.changedBy?.name, 'Anna')
  })

  it('tells an alarm with the first answer that shows it, with its event and its incident', async () => {
    service.requests.skip()
    service.soundAlarm()
    await harness.messages.from('state').first(({ payload }) => payload === 'ALARM')
    const before = service.requests.skip()
    await harness.messages.from('events').first(({ payload }) => payload.typeId === 3)
    await harness.messages.from('incident').first()
    assert.ok(before.includes('events'), `${before}`)
  })

  it('reads the events as often as the status from then on, which other paces do not', async () => {
    service.requests.skip()
    service.release()
    const polls: string[] = []
    const count = (polled: string) => polls.filter((name) => name === polled).length
    while (count('events') < 2) polls.push(await service.requests.next())
    assert.ok(count('status') <= 2 * count('events'), `${polls}`)
  })
})

describe('A rehearsal of a panel at another service, in a real Node-RED', () => {
  let harness: NodeRedHarness
  let service: PlainService

  before(async () => {
    harness = await startNodeRedHarness()
    service = await PlainService.start()
  })

  after(() => Promise.all([harness.close(), service.close()]))

  it('plays a fire, reads the service as before, and sends nothing that changes anything', async () => {
    const nodeRed = await startHouse(harness, service, { allowRehearsal: true })
    const { messages } = harness
    await nodeRed.press('button', { rehearse: { scene: 'fire', faster: true } })
    const { payload } = await messages.from('incident').first(({ rehearsal }) => rehearsal === true)
    assert.match(payload.title, /^Rehearsal: Fire: /)
    await nodeRed.press('button', { rehearse: 'stop' })
    const report = await messages.from('incident').first(({ topic }) => topic === 'House/rehearsal')
    assert.equal(report.payload.ended, 'stopped')
    const changes = service.requests.all.filter((name) => /set_|bypass|activate|disable|siren/.test(name))
    assert.deepEqual(changes, [])
    const real = messages.from('state').all.filter(({ rehearsal }) => rehearsal === undefined)
    assert.deepEqual([...new Set(real.map((message) => message.payload))], ['DISARM'])
  })
})
