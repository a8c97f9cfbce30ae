import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AdminUser } from '../../../harness/node-red/admin-users.ts'
import { ImportedExamples, readExample } from '../../../harness/node-red/imported-examples.ts'
import type { FlowNode } from '../../../harness/node-red/recorded-flow.ts'
import { Recorder } from '../../../harness/recorder.ts'
import { startTabHarness, type TabHarness } from '../../../harness/tab.ts'

const chain = 'Alarm chain test'

/** A button of a notification that ntfy shows. */
interface Button {
  url: string
  method: string
  headers: Record<string, string>
  body: string
}

describe('The example that tests the alarm chain, in a real Node-RED', () => {
  const sent = new Recorder<{ topic: string; title: string; actions: Button[] }>('requests to ntfy')
  let ntfy: Server
  let site: TabHarness
  let examples: ImportedExamples

  /** Does what the comments tell the user: fills in the variables, and enables the node that sends. */
  const filledIn = (url: string) => (flows: readonly FlowNode[]) => {
    const [tab, ...nodes] = flows
    assert.ok(tab !== undefined)
    const values: Record<string, string> = {
      NTFY_TOPIC: 'our-alarms',
      ANSWER_ADDRESS: `${new URL('alarm-chain-answer', site.url)}`,
    }
    const env = (tab.env as { name: string }[]).map((one) => ({ ...one, value: values[one.name] }))
    const ntfyNode = nodes.find(({ name }) => name === 'ntfy') ?? assert.fail()
    const tester = nodes.find(({ type }) => type === 'keyholder-chain-test') ?? assert.fail()
    const props = [{ p: 'payload', v: 'test', vt: 'str' }]
    const place = { z: tab.id, x: 100, y: 100, wires: [[tester.id]] }
    return [
      { ...tab, env },
      { id: 'test now', type: 'inject', name: 'test now', props, ...place },
      { ...ntfyNode, d: false, url },
    ]
  }
  const press = ({ url, method, headers, body }: Button, changed = body) =>
    fetch(url, { method, headers, body: changed })

  before(async () => {
    ntfy = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      response.setHeader('Content-Type', 'application/json').end('{}')
      sent.add(JSON.parse(Buffer.concat(chunks).toString()))
    })
    await new Promise<void>((resolve) => ntfy.listen(0, '127.0.0.1', resolve))
    site = await startTabHarness()
    const url = `http://127.0.0.1:${(ntfy.address() as AddressInfo).port}`
    examples = await ImportedExamples.open([chain], { [chain]: filledIn(url) }, { site })
  })
  after(async () => {
    await examples?.close()
    ntfy.close()
    ntfy.closeAllConnections()
  })

  it('sends nothing as it is shipped', async () => {
    const [tab, ...nodes] = await readExample(chain)
    assert.ok(nodes.filter(({ type }) => type === 'http request').every(({ d }) => d === true))
    const env = (tab ?? assert.fail()).env as { value: string }[]
    assert.ok(env.every(({ value }) => value === ''))
  })

  it('asks a phone for an answer, whose button counts once, and whose preview does not', async () => {
    await examples.press(chain, 'test now')
    const { topic, title, actions } = await sent.next()
    assert.equal(topic, 'our-alarms')
    assert.match(title, /^Test of the alarm chain: ./)
    const [button] = actions
    assert.ok(button !== undefined)
    const headers = { 'Content-Type': 'text/plain' }
    const begun = await fetch(button.url, { method: 'POST', headers, body: 'test' })
    const why = 'Here only the button of a test message can answer.'
    assert.deepEqual([begun.status, await begun.text(), sent.skip()], [400, why, []])
    const wrong = await press(button, '{"answer":"wrong"}')
    assert.deepEqual([wrong.status, /^No test of the alarm chain asks/.test(await wrong.text())], [400, true])
    assert.equal((await fetch(button.url)).status, 404)
    const right = await press(button)
    assert.deepEqual([right.status, await right.text()], [200, 'Thank you. An alarm would reach you.'])
    assert.equal((await press(button)).status, 400)
  })

  it('begins a test with the button of the node, for those who may change it', async () => {
    const [node] = (await readExample(chain)).filter(({ type }) => type === 'keyholder-chain-test')
    const path = `keyholder/chain-test/${site.id(node?.id ?? '')}/start`
    const statusFor = async (user: AdminUser) => (await site.users.post(user, path, {})).status
    assert.deepEqual([await statusFor(undefined), await statusFor('panels')], [401, 401])
    assert.deepEqual(sent.skip(), [])
    assert.equal(await statusFor('admin'), 200)
    const { actions } = await sent.next()
    assert.equal((await press(actions[0] ?? assert.fail())).status, 200)
  })
})
