import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '../../../harness/clock/until.ts'
import { ImportedExamples, kitchenWindow, readExample } from '../../../harness/node-red/imported-examples.ts'
import type { FlowNode } from '../../../harness/node-red/recorded-flow.ts'
import { Recorder } from '../../../harness/recorder.ts'
import { requestsTo } from '../../../harness/simulator.ts'

const phone = 'A phone rings'

/** A request that rings a phone. */
interface Ring {
  path: string
  body: Record<string, unknown>
}

/** Stands for ntfy and Telegram: answers every request with 200. */
class Messengers {
  readonly rings = new Recorder<Ring>('requests to ntfy and Telegram')
  readonly #server: Server

  constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      response.setHeader('Content-Type', 'application/json').end('{"ok":true}')
      this.rings.add({ path: request.url ?? '', body: JSON.parse(Buffer.concat(chunks).toString()) })
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

  /** Does what the comments tell the user: fills in the variables, and enables the two nodes. */
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

  before(async () => {
    examples = await ImportedExamples.open([phone], { [phone]: filledIn(await messengers.open()) })
  })
  after(async () => {
    await examples?.close()
    messengers.close()
  })
  afterEach('the house is at rest again and no error was caught', () => examples.reset())

  it('sends nothing as it is shipped: the nodes that send are disabled, and nothing is filled in', async () => {
    const [tab, ...nodes] = await readExample(phone)
    const senders = nodes.filter(({ type }) => type === 'http request')
    assert.equal(senders.length, 2)
    assert.ok(senders.every(({ d }) => d === true))
    assert.ok(tab !== undefined && variables(tab).every(({ value }) => value === ''))
  })

  it('sends an alarm to ntfy and to Telegram, and a test without an alarm', async () => {
    const sent = async (text: RegExp) => {
      const ntfy = await messengers.rings.first(({ body }) => text.test(String(body.message)))
      assert.deepEqual([ntfy.path, ntfy.body.topic, ntfy.body.priority], ['/', 'our-alarms', 5])
      const telegram = await messengers.rings.first(({ body }) => text.test(String(body.text)))
      assert.deepEqual([telegram.path, telegram.body.chat_id], ['/bot1:abc/sendMessage', '42'])
    }
    // The first list is that of the past.
    await until(() => requestsTo(examples.harness.simulator, 'events') > 1)
    await examples.press(phone, 'try it')
    await sent(/^Test/)
    examples.panel.arm(1, 'AWAY', { exitDelay: 0 })
    examples.panel.open(kitchenWindow)
    await sent(/^Our house: Perimeter Alarm, Kitchen window \(zone 2\), /)
    assert.equal(messengers.rings.all.length, 4)
  })
})
