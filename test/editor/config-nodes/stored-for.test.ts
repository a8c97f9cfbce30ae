import assert from 'node:assert/strict'
import { accountNode, at, panelNode } from '../../../harness/browser/dialogs/config-nodes.ts'
import type { Editor } from '../../../harness/browser/editor.ts'
import { inNewestNodeRed } from '../../../harness/browser/in-every-look.ts'
import { placed } from '../../../harness/browser/placed-nodes.ts'
import { Simulators } from '../../../harness/browser/simulators.ts'
import { until } from '../../../harness/clock/until.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'

const simulators = new Simulators()
let own: Simulator
/** A service of somebody who wants the secrets. */
let other: Simulator

/** The editor's own object in the page, as far as it is used here. */
declare const RED: {
  nodes: {
    import(flows: unknown, options: object): void
    dirty(isDirty: boolean): void
  }
}

const account = (fields: object) => accountNode('bound-account', { name: 'Ours', ...fields })

const setup = async () => {
  own = await simulators.start()
  other = await simulators.start()
  const panel = panelNode('bound-panel', {
    account: 'bound-account',
    serial: own.serials[0],
    credentials: { userCode: own.userCode },
  })
  return {
    flows: [
      { id: 'tab', type: 'tab', label: 'Stored' },
      account(at(own)),
      panel,
      ...placed([{ id: 'state', panel: 'bound-panel' }]),
    ],
  }
}

/** Imports an account in place of the one with the same ID, as the editor does it when its user selects "replace". */
async function importInPlace(editor: Editor, node: object): Promise<void> {
  await editor.page.evaluate((imported) => {
    RED.nodes.import([imported], { importMap: { 'bound-account': 'replace' } })
    RED.nodes.dirty(true)
  }, node)
  await editor.deploy()
}

inNewestNodeRed('An account that an import replaces', setup, (editor) => {
  after(() => simulators.close())

  const dialog = async () => (await (await editor().open('a state')).edit('panel')).edit('account')
  const saveAll = async () => {
    await editor().closeDialogs()
    await editor().deploy()
  }

  it('keeps its secrets for the address that they were stored for', async () => {
    await until(() => requestsTo(own, 'panel/login') > 0)
    const { url } = other
    for (const credentials of [
      undefined,
      { storedFor: JSON.stringify({ secret: 'guess', entry: 'a', url }) },
    ]) {
      await importInPlace(editor(), account({ source: 'service', url, ...(credentials && { credentials }) }))
      await editor().hasStatus('a state', 'enter the password again')
    }
    assert.equal(other.requests.length, 0)
  })

  it('uses them there after the password was entered again, without a question about the user code', async () => {
    const form = await dialog()
    await form.fill({ password: other.password })
    await form.save()
    await saveAll()
    await until(() => requestsTo(other, 'panel/login') > 0)
  })

  it('that moves to another address in its dialog needs its password again', async () => {
    const before = own.requests.length
    const form = await dialog()
    await form.fill({ url: own.url })
    await form.save()
    await saveAll()
    await editor().hasStatus('a state', 'enter the password again')
    assert.equal(own.requests.length, before)
    const again = await dialog()
    await again.fill({ password: own.password })
    await again.save()
    await saveAll()
    await editor().hasStatus('a state', /disarmed/)
  })
})
