import assert from 'node:assert/strict'
import type { Response } from 'playwright-core'
import { accountNode, panelNode } from '../../../harness/browser/dialogs/config-nodes.ts'
import type { Dialog } from '../../../harness/browser/dialogs/dialog.ts'
import { CheckOf } from '../../../harness/browser/dialogs/findings.ts'
import type { Editor } from '../../../harness/browser/editor.ts'
import { inNewestNodeRed } from '../../../harness/browser/in-every-look.ts'
import { Simulators } from '../../../harness/browser/simulators.ts'
import { defaultsOf } from '../../../harness/fixtures/node-fields.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'

const secrets = { password: 'canary-password-4Tz8', userCode: '904672153' }
const simulators = new Simulators()
let simulator: Simulator

const setup = async () => {
  simulator = await simulators.start()
  simulator.accounts.setPassword(secrets.password)
  simulator.accounts.setUserCode(secrets.userCode)
  const [serial] = simulator.serials
  return {
    flows: [
      { id: 'tab', type: 'tab', label: 'Credentials' },
      accountNode('account', { name: 'Ours', source: 'service', url: simulator.url }),
      panelNode('panel', { name: 'House', serial }),
      {
        id: 'query',
        type: 'keyholder-query',
        z: 'tab',
        x: 200,
        y: 60,
        wires: [[]],
        ...defaultsOf('keyholder-query'),
        panel: 'panel',
      },
    ],
  }
}

inNewestNodeRed('A stored secret', setup, (editor) => {
  after(() => simulators.close())

  before(async () => {
    const panel = await panelOf(editor())
    const account = await panel.edit('account')
    await account.fill({ email: simulator.email, password: secrets.password })
    await account.save()
    await panel.fill({ userCode: secrets.userCode })
    await closed(panel, 'save')
    await editor().deploy()
  })

  it('is never sent to the editor again; its field shows only that it is set', async () => {
    const sent: Promise<string>[] = []
    const note = (response: Response) => sent.push(response.text().catch(() => ''))
    editor().page.on('response', note)
    await editor().reload()
    const panel = await panelOf(editor())
    assert.equal((await panel.values()).userCode, '__PWRD__')
    assert.equal(await panel.control('userCode').getAttribute('type'), 'password')
    const account = await panel.edit('account')
    const { email, password } = await account.values()
    assert.deepEqual([email, password], [simulator.email, '__PWRD__'])
    assert.equal(await account.control('password').getAttribute('type'), 'password')
    await account.cancel()
    await closed(panel, 'cancel')
    editor().page.off('response', note)
    const everything = [...(await Promise.all(sent)), await editor().page.content()].join()
    assert.ok(everything.includes(simulator.email))
    for (const secret of Object.values(secrets)) assert.ok(!everything.includes(secret))
  })

  it('is kept when other fields are changed and deployed', async () => {
    await editor().reload()
    const panel = await panelOf(editor())
    const account = await panel.edit('account')
    await account.fill({ name: 'Ours, renamed' })
    await account.save()
    await panel.fill({ name: 'House, renamed' })
    await closed(panel, 'save')
    await editor().deploy()
    await editor().reload()
    const again = await panelOf(editor())
    const code = new CheckOf(again, 'panel-check', 'panel-findings')
    await code.start()
    await code.reaches('userCode', 'done')
    await closed(again, 'cancel')
  })
})

async function panelOf(editor: Editor): Promise<Dialog> {
  return (await editor.open('query')).edit('panel')
}

async function closed(panel: Dialog, how: 'save' | 'cancel'): Promise<void> {
  await (await panel[how]())?.[how]()
}
