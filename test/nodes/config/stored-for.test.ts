import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NodeAPI } from 'node-red'
import { createPart, type FlowPart } from '../../../harness/flow/flow-part.ts'
import type { RunningFlow } from '../../../harness/flow/running-flow.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { accountCheck, panelCheck } from '../../../nodes/admin/account-check.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'

const nodes = { state: { type: 'keyholder-state', partitions: [1] } }

describe('A stored secret', () => {
  const harness = useFlowHarness()
  let own: Simulator
  /** A service of somebody else, which would take the same secrets. */
  let other: Simulator
  let part: FlowPart
  let userDir = ''
  const path = () => join(userDir, 'keyholder', 'stored-for.json')
  beforeEach(async () => {
    userDir = mkdtempSync(join(tmpdir(), 'keyholder-stored-'))
    own = await harness.startSimulator()
    other = await harness.startSimulator()
    part = createPart(own, { nodes })
  })
  afterEach(() => rmSync(userDir, { recursive: true, force: true }))

  const start = (parts = [part]) => harness.startParts(parts, { settings: { userDir } })
  /** Starts with the part as an installation of version 0.2.0 has it, and stops after the first state. */
  const startOnce = async () => {
    const flow = await start()
    await flow.output('state').next()
    await harness.stopFlow()
  }
  const withFields = (of: FlowPart, id: string, fields: object): FlowPart => ({
    ...of,
    nodes: of.nodes.map((node) => (node.id === id ? { ...node, ...fields } : node)),
  })
  const withNote = (of: FlowPart, id: string, note: unknown): FlowPart => ({
    ...of,
    credentials: {
      ...of.credentials,
      [id]: { ...of.credentials[id], storedFor: typeof note === 'string' ? note : JSON.stringify(note) },
    },
  })
  const atOther = (of = part) => withFields(of, of.account, { url: other.url })
  const assertRefused = async (flow: RunningFlow, says: RegExp, status: string) => {
    const { error } = await flow.caught.next()
    assert.equal(error.code, 'BAD_SETTING')
    assert.match(error.message, says)
    assert.equal((await flow.status('state').next(({ fill }) => fill === 'red')).text, status)
    assert.equal(other.requests.length, 0)
  }
  const passwordIsRefused = (flow: RunningFlow) => {
    const says = new RegExp(
      `^KeyholderError: Password: this password was stored for ${own.url}: enter it again `,
    )
    return assertRefused(flow, says, 'enter the password again')
  }
  const codeIsRefused = (flow: RunningFlow) =>
    assertRefused(
      flow,
      /^KeyholderError: User code: this user code was stored for .+: enter it again /,
      'enter the user code again',
    )

  it('of an installation without a note or a file is used at the first start, without a question', async () => {
    await startOnce()
    assert.equal(requestsTo(own, 'auth'), 1)
    const destinations = Object.entries(JSON.parse(readFileSync(path(), 'utf8'))).map(([id, row]) => [
      id,
      (row as { destination: string }).destination,
    ])
    assert.deepEqual(Object.fromEntries(destinations), {
      [part.account]: own.url,
      [part.panel]: part.account,
    })
  })

  it('is not sent to another address, by a deploy or after a restart, and is sent again to its own', async () => {
    await startOnce()
    const flow = await start([atOther()])
    await passwordIsRefused(flow)
    await flow.deploy(part)
    await flow.output('state').next()
    await flow.deploy(atOther())
    await flow.status('state').next(({ text }) => text === 'enter the password again')
    assert.equal(other.requests.length, 0)
  })

  it('is sent to another address once it was entered in the dialog for that one; its panels need no answer', async () => {
    await startOnce()
    const { password } = own
    const entered = withNote(atOther(), part.account, {
      secret: password,
      entry: 'a',
      url: `${other.url}/base`,
    })
    const flow = await start([entered])
    await flow.output('state').next()
    assert.equal(requestsTo(other, 'panel/login'), 1)
    // What was entered counts for that address alone.
    await flow.deploy(withNote(part, part.account, { secret: password, entry: 'a', url: other.url }))
    await flow.status('state').next(({ text }) => text === 'enter the password again')
  })

  it('is not sent because of a note that was written by somebody who does not know it, or was removed', async () => {
    await startOnce()
    for (const note of [{ secret: 'guess', entry: 'a', url: other.url }, { url: other.url }, '[', '']) {
      await passwordIsRefused(await start([withNote(atOther(), part.account, note)]))
      await harness.stopFlow()
    }
  })

  it('that was entered in a dialog stays bound if the note is removed', async () => {
    part = withNote(part, part.account, { secret: own.password, entry: 'a', url: own.url })
    await startOnce()
    await passwordIsRefused(await start([withNote(atOther(), part.account, '')]))
  })

  it('for an address of a variable is sent elsewhere only after it was entered again', async () => {
    const variable = `\${${'ALARM_URL'}}`
    const note = (entry: string) => ({ secret: own.password, entry, url: variable })
    part = withNote(part, part.account, note('a'))
    await startOnce()
    await passwordIsRefused(await start([atOther()]))
    await harness.stopFlow()
    const flow = await start([withNote(atOther(), part.account, note('b'))])
    await flow.output('state').next()
  })

  it('is bound anew after the file was lost or damaged, and a damaged file is kept', async () => {
    await startOnce()
    writeFileSync(path(), '{"a":')
    // A new process: this one has read the file.
    const moved = mkdtempSync(join(tmpdir(), 'keyholder-stored-'))
    cpSync(userDir, moved, { recursive: true })
    rmSync(userDir, { recursive: true })
    userDir = moved
    const flow = await start([atOther()])
    await flow.output('state').next()
    assert.equal(readFileSync(`${path()}.damaged-1`, 'utf8'), '{"a":')
  })

  it('of a node that was deleted and made anew is bound anew', async () => {
    const flow = await start()
    await flow.output('state').next()
    await flow.deploy({ ...part, nodes: [] })
    await flow.deploy(atOther())
    await flow.output('state').next()
  })

  it('of a panel is not sent through another account node, until it was entered for that one', async () => {
    await startOnce()
    const elsewhere = createPart(other, { nodes: {} })
    const moved = withFields(part, part.panel, { account: elsewhere.account })
    const withoutPanel = { ...elsewhere, nodes: elsewhere.nodes.filter(({ id }) => id === elsewhere.account) }
    const flow = await start([moved, withoutPanel])
    await codeIsRefused(flow)
    const { userCode } = own
    await flow.deploy(
      withNote(withFields(moved, part.panel, { name: 'Moved' }), part.panel, {
        secret: userCode,
        entry: 'a',
        account: elsewhere.account,
      }),
      withoutPanel,
    )
    await flow.output('state').next()
  })

  it('of an environment variable is not bound', async () => {
    process.env.KEYHOLDER_TEST_PASSWORD = own.password
    part.credentials[part.account] = { email: own.email, password: `\${${'KEYHOLDER_TEST_PASSWORD'}}` }
    await startOnce()
    const flow = await start([atOther()])
    await flow.output('state').next()
    delete process.env.KEYHOLDER_TEST_PASSWORD
  })

  it('of an account that was a demo meanwhile is still bound', async () => {
    await startOnce()
    const flow = await start([withFields(part, part.account, { source: 'demo' })])
    await flow.output('state').next()
    await harness.stopFlow()
    await passwordIsRefused(await start([atOther()]))
  })

  it('is not sent by a check either if another address is deployed', async () => {
    await startOnce()
    let RED: NodeAPI | undefined
    const flow = await harness.startParts([atOther()], {
      settings: { userDir },
      types: [
        (api) => {
          RED = api
        },
      ],
    })
    await passwordIsRefused(flow)
    const account = { id: part.account, url: other.url, email: own.email, password: '__PWRD__' }
    const { password } = own
    for (const [check, id, form] of [
      [accountCheck, part.account, account],
      [panelCheck, part.panel, { account: { ...account, password }, serial: 'A1B2C3', userCode: '__PWRD__' }],
    ] as const) {
      const lines: string[] = []
      const reply = { set: () => {}, write: (line: string) => lines.push(line), end: () => {} }
      const { answer } = check(RED ?? assert.fail())
      await assert.rejects(
        answer(id, form, reply, new AbortController().signal),
        /this (password|user code) was stored for .+: enter it again/,
      )
      assert.deepEqual(lines, [])
    }
    assert.equal(other.requests.length, 0)
  })

  it('of a cluster is not sent to another server', async () => {
    const cluster = (address: string): FlowPart => {
      const chosen = withFields(part, part.account, { cluster: 'cluster' })
      const node = { id: 'cluster', type: 'keyholder-cluster', address }
      const credentials = { ...chosen.credentials, cluster: { password: 'secret' } }
      return { ...chosen, nodes: [node, ...chosen.nodes], credentials }
    }
    const flow = await start([cluster('redis://127.0.0.1:1')])
    await flow.status('state').next(({ fill }) => fill === 'yellow')
    await flow.deploy(cluster('redis://127.0.0.1:2'))
    const { error } = await flow.caught.next(({ error }) => error.code === 'BAD_SETTING')
    assert.match(
      error.message,
      /^KeyholderError: Password of the cluster: this password was stored for redis:\/\/127\.0\.0\.1:1: enter it again /,
    )
    await flow.deploy(cluster('redis://127.0.0.1:1/0'))
    await flow.status('state').next(({ fill }) => fill === 'yellow')
  })
})
