import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '../../../harness/clock/until.ts'
import {
  bedroomWindow,
  ImportedExamples,
  kitchenWindow,
  readExample,
} from '../../../harness/node-red/imported-examples.ts'
import type { FlowNode } from '../../../harness/node-red/recorded-flow.ts'
import { Recorder } from '../../../harness/recorder.ts'
import { requestsTo } from '../../../harness/simulator.ts'

const phone = 'Alarm to the phone'

/** A request to ntfy or Telegram. */
interface Sent {
  path: string
  /** The notification of ntfy that it begins or changes. */
  sequence: string | undefined
  body: Record<string, unknown>
}

/** Stands for ntfy and Telegram: answers every request with 200, and with the number of a new message. */
class Messengers {
  readonly sent = new Recorder<Sent>('requests to ntfy and Telegram')
  readonly #server: Server

  constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const body = JSON.parse(Buffer.concat(chunks).toString())
      const { message_id = 1 + this.sent.all.length } = body
      const answer = JSON.stringify({ ok: true, result: { message_id } })
      response.setHeader('Content-Type', 'application/json').end(answer)
      const { 'x-sequence-id': sequence } = request.headers
      this.sent.add({ path: request.url ?? '', sequence: sequence?.toString(), body })
    })
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

/** Returns the environment variables of a tab. */
function variables(tab: FlowNode): { name: string; value: string; type: string }[] {
  return tab.env as ReturnType<typeof variables>
}

describe('The example that rings a phone, in a real Node-RED', () => {
  const messengers = new Messengers()
  let examples: ImportedExamples

  /** Does what the comments tell the user: fills in the variables, and enables the nodes that send. */
  const filledIn = (url: string) => (flows: readonly FlowNode[]) => {
    const [tab, ...nodes] = flows
    assert.ok(tab !== undefined)
    const values: Record<string, string> = { NTFY_TOPIC: 'our-alarms', TELEGRAM_CHAT: '42' }
    const env = variables(tab).map((variable) => ({ ...variable, value: values[variable.name] ?? '' }))
    // The editor keeps the token apart from the flow.
    const credentials = { TELEGRAM_TOKEN: '1:abc' }
    const enabled = nodes.filter(({ type }) => type === 'http request').map((node) => ({ ...node, d: false }))
    const elsewhere = [...nodes.filter(({ name }) => name === 'for Telegram'), ...enabled].map((node) =>
      JSON.parse(JSON.stringify(node).replace(/https:\/\/(ntfy\.sh|api\.telegram\.org)/g, url)),
    )
    return [{ ...tab, env, credentials }, ...elsewhere]
  }

  const toNtfy = (fits: (body: Sent['body']) => boolean) =>
    messengers.sent.first(({ body }) => body.topic === 'our-alarms' && fits(body))
  const toTelegram = (fits: (one: Sent) => boolean) =>
    messengers.sent.first((one) => one.path.startsWith('/bot1:abc/') && fits(one))

  before(async () => {
    const url = await messengers.open()
    examples = await ImportedExamples.open([phone], { [phone]: filledIn(url) })
    // The first list is that of the past.
    await until(() => requestsTo(examples.harness.simulator, 'events') > 1)
  })
  after(async () => {
    await examples?.close()
    messengers.close()
  })
  afterEach('the house is at rest again and no error was caught', () => examples.reset())

  it('sends nothing as it is shipped, because what sends is disabled and nothing is filled in', async () => {
    const [tab, ...nodes] = await readExample(phone)
    const sending = nodes.filter(({ type }) => type === 'http request')
    assert.equal(sending.length, 2)
    assert.ok(sending.every(({ d }) => d === true))
    assert.ok(tab !== undefined && variables(tab).every(({ value }) => value === ''))
  })

  it('sends a test without an alarm', async () => {
    await examples.press(phone, 'try it')
    const ntfy = await toNtfy(({ title }) => String(title).startsWith('Test'))
    assert.deepEqual([ntfy.path, ntfy.sequence, ntfy.body.priority], ['/', 'test', 5])
    const telegram = await toTelegram(({ body }) => String(body.text).startsWith('🚨 Test'))
    assert.deepEqual(
      [telegram.path, telegram.body.chat_id, telegram.body.disable_notification],
      ['/bot1:abc/sendMessage', '42', false],
    )
  })

  it('rings for an alarm, a further zone and a lost contact, and changes the message quietly for the rest', async () => {
    const { panel } = examples
    panel.arm(1, 'AWAY', { exitDelay: 0 })
    const steps: [does: () => void, says: RegExp, rings: boolean][] = [
      [() => panel.open(kitchenWindow), /^\d+:\d\d\s[AP]M\. Not over\./, true],
      [() => panel.open(bedroomWindow), /, then Bedroom window /, true],
      [() => panel.goOffline(), / No contact with the panel since /, true],
      [() => panel.goOnline(), / No contact with the panel from /, false],
      [() => panel.disarm(1, { user: 'Ben' }), / Over .*, disarmed by Ben\./, false],
    ]
    const sequences = new Set<string | undefined>()
    let before: unknown
    for (const [act, says, rings] of steps) {
      act()
      const ntfy = await toNtfy(({ message }) => says.test(String(message)))
      const title = says.source.includes('Over')
        ? 'Over: Burglary, Kitchen window'
        : 'Burglary: Kitchen window'
      assert.deepEqual([ntfy.body.title, ntfy.body.priority], [title, rings ? 5 : 2])
      sequences.add(ntfy.sequence)
      const said = ({ body }: Sent) => says.test(String(body.text).replace(/^.*\n/, ''))
      const { path, body } = await toTelegram(said)
      assert.ok(String(body.text).includes(` ${title}\n`))
      if (rings) assert.deepEqual([path, body.disable_notification], ['/bot1:abc/sendMessage', false])
      else assert.deepEqual([path, body.message_id], ['/bot1:abc/editMessageText', before])
      if (rings) before = 1 + messengers.sent.all.findIndex((one) => one.path === path && said(one))
    }
    const [sequence, ...others] = sequences
    assert.match(String(sequence), /^[-_A-Za-z0-9]{1,64}$/)
    assert.deepEqual(others, [])
  })

  it('shows each kind of alarm with a sign of its own, and nothing twice', async () => {
    const { panel } = examples
    const second = () => Math.floor(panel.clock.now() / 1000)
    const zone = {
      appointment: 'Hallway',
      device_type: 'ZONE',
      zone: 5,
      zone_name: 'Hallway',
      partitions: [1],
    }
    const user = { appointment: 'Ben', device_type: 'USER', zone: 2, zone_name: 'Ben', partitions: [1] }
    const kinds: [type: number, kind: string, tag: string, emoji: string, priority: number][] = [
      [36, 'Fire', 'fire', '🔥', 5],
      [81, 'Flood', 'droplet', '💧', 4],
      [13, 'Panic', 'sos', '🆘', 5],
      [39, 'Medical emergency', 'ambulance', '🚑', 5],
    ]
    for (const [type_id, kind, tag, emoji, priority] of kinds) {
      // An alarm in the second in which the one before ended is part of it.
      const now = second()
      await until(() => second() > now)
      panel.log({ type_id, ...zone })
      const { body, sequence } = await toNtfy(({ title }) => title === `${kind}: Hallway`)
      assert.deepEqual([body.tags, body.priority], [[tag], priority])
      await toTelegram(({ body }) => String(body.text).startsWith(`${emoji} ${kind}: Hallway\n`))
      panel.log({ type_id, ...zone })
      const { simulator } = examples.harness
      const read = requestsTo(simulator, 'events')
      await until(() => requestsTo(simulator, 'events') > read + 1)
      panel.log({ type_id: 31, ...user })
      const over = await toNtfy(({ title }) => title === `Over: ${kind}, Hallway`)
      assert.deepEqual([over.body.tags, over.body.priority], [['white_check_mark'], 2])
      const told = messengers.sent.all.filter((one) => one.sequence === sequence)
      assert.deepEqual(
        told.map(({ body }) => body.title),
        [body.title, over.body.title],
      )
    }
  })

  it('tells how it stands when it is asked, without ringing', async () => {
    const before = messengers.sent.all.length
    await examples.press(phone, 'tell me now')
    const told = () => messengers.sent.all.slice(before).find(({ body }) => body.topic === 'our-alarms')
    await until(() => told() !== undefined)
    const { body } = told() ?? assert.fail()
    assert.deepEqual([body.title, body.priority], ['Over: Medical emergency, Hallway', 2])
  })
})
