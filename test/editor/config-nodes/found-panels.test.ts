import assert from 'node:assert/strict'
import { accountNode, at, panelNode } from '../../../harness/browser/dialogs/config-nodes.ts'
import type { Dialog } from '../../../harness/browser/dialogs/dialog.ts'
import { CheckOf } from '../../../harness/browser/dialogs/findings.ts'
import { inNewestNodeRed } from '../../../harness/browser/in-every-look.ts'
import { placed } from '../../../harness/browser/placed-nodes.ts'
import { Simulators } from '../../../harness/browser/simulators.ts'
import { catalogue } from '../../../harness/fixtures/locales.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'

const texts = catalogue('en-US', 'account')
const count = 40
const simulators = new Simulators()
let simulator: Simulator

/** The editor's own object in the page, as far as it is used here. */
declare const RED: { nodes: { createCompleteNodeSet(): { type: string; [field: string]: unknown }[] } }

inNewestNodeRed(
  'The panels that a check of an account finds',
  async () => {
    simulator = await simulators.start({ panels: count })
    return {
      flows: [
        { id: 'tab', type: 'tab', label: 'Panels' },
        accountNode('account', at(simulator)),
        panelNode('used', { name: 'Known', serial: simulator.serials[1] }),
        ...placed([{ id: 'state', panel: 'used' }, { id: 'events' }]),
      ],
    }
  },
  (editor) => {
    after(() => simulators.close())

    const find = async (account: Dialog) => {
      const check = new CheckOf(account, 'account-check', 'account-findings')
      await check.start()
      await check.reaches('panels', 'done')
      const all = account.form.getByRole('button', {
        name: texts.get('account.panels.addAll') ?? '',
        exact: true,
      })
      const table = account.form.locator('.keyholder-panels')
      const [button, below] = await Promise.all([all.boundingBox(), table.boundingBox()])
      assert.ok((button?.y ?? 0) < (below?.y ?? 0), 'the button for all is below a long table')
      return table.locator('tbody tr')
    }
    const addAll = (account: Dialog) =>
      account.form
        .getByRole('button', { name: texts.get('account.panels.addAll') ?? '', exact: true })
        .click()
    const panels = async () =>
      (await editor().page.evaluate(() => RED.nodes.createCompleteNodeSet())).filter(
        ({ type }) => type === 'keyholder-panel',
      )

    it('completes an address without https://, and cuts the page of the versions', async () => {
      const dialog = await (await editor().open('a state')).edit('panel')
      const account = await dialog.edit('account')
      for (const [typed, completed] of [
        ['visonic.tycomonitor.com', 'https://visonic.tycomonitor.com'],
        [' alarm.example.com:8443/rest_api/version ', 'https://alarm.example.com:8443'],
        ['https://alarm.example.com/rest_api/version/', 'https://alarm.example.com'],
        ['https://alarm.example.com/base', 'https://alarm.example.com/base'],
        ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
        ['alarm', 'alarm'],
      ] as const) {
        await account.fill({ url: typed })
        await account.control('url').blur()
        assert.equal(await account.control('url').inputValue(), completed)
      }
    })

    it('are all taken back by one undo', async () => {
      const { page } = editor()
      const before = await panels()
      const dialog = await (await editor().open('a state')).edit('panel')
      const account = await dialog.edit('account')
      await find(account)
      await addAll(account)
      await account.save()
      await editor().closeDialogs()
      assert.equal((await panels()).length, count)
      await page.locator('#red-ui-workspace-chart').focus()
      await page.keyboard.press('ControlOrMeta+z')
      assert.deepEqual(await panels(), before)
    })

    it('are added at once with their codes, except those used already, and work after the deploy', async () => {
      const dialog = await (await editor().open('a state')).edit('panel')
      const account = await dialog.edit('account')
      const rows = await find(account)
      assert.equal(await rows.count(), count)
      assert.match((await rows.nth(1).innerText()) ?? '', RegExp(texts.get('account.panels.used') ?? 'none'))
      const codes = account.form.locator('.keyholder-panels input[type=password]')
      assert.equal(await codes.count(), count - 1)
      // As a column of a spreadsheet.
      await codes.first().evaluate(
        (field, text) => {
          const clipboardData = new DataTransfer()
          clipboardData.setData('text', text)
          field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
        },
        Array(count - 1)
          .fill(simulator.userCode)
          .join('\n'),
      )
      await addAll(account)
      await account.form.getByText(RegExp(`: ${count - 1}\\.`)).waitFor()
      await account.save()
      await editor().closeDialogs()
      const added = await panels()
      assert.deepEqual(added.map(({ serial }) => serial).toSorted(), [...simulator.serials].toSorted())
      const events = await editor().open('a events')
      await events.control('panel').selectOption(String(added.find(({ name }) => name === 'Home')?.id))
      await events.save()
      // Node-RED then lists the panels that no node uses yet, so its message stays.
      await editor().page.locator('#red-ui-header-button-deploy').click()
      await editor().page.locator('#red-ui-header-button-deploy.disabled').waitFor()
      await editor().reload()
      const panel = await (await editor().open('a events')).edit('panel')
      const check = new CheckOf(panel, 'panel-check', 'panel-findings')
      await check.start()
      await check.reaches('userCode', 'done')
    })

    it('fill in the dialog of a new panel, if the account was opened from it', async () => {
      const panel = await (await editor().open('a state')).add('panel')
      const account = await panel.add('account')
      await account.fill({ source: 'demo' })
      await find(account)
      await addAll(account)
      await account.save()
      assert.equal(await panel.control('serial').inputValue(), 'A1B2C3')
      assert.equal(await panel.control('name').inputValue(), 'Home')
      assert.equal((await panels()).filter(({ name }) => name === 'Summer house').length, 1)
    })
  },
)

inNewestNodeRed(
  'The only panel that a check of an account finds',
  async () => {
    simulator = await simulators.start({ panels: 1 })
    return {
      flows: [
        { id: 'tab', type: 'tab', label: 'Panel' },
        accountNode('account', at(simulator)),
        accountNode('used', at(simulator)),
        // biome-ignore lint/suspicious/noTemplateCurlyInString: Node-RED fills variables in this notation
        panelNode('panel', { account: 'used', serial: '${SERIAL}' }),
        ...placed([{ id: 'state' }, { id: 'events', panel: 'panel' }]),
      ],
    }
  },
  (editor) => {
    after(() => simulators.close())

    const tickOf = async (account: Dialog) => {
      const check = new CheckOf(account, 'account-check', 'account-findings')
      await check.start()
      await check.reaches('panels', 'done')
      return account.form.locator('.keyholder-panels input[type=checkbox]')
    }

    it('is ticked', async () => {
      const panel = await (await editor().open('a state')).add('panel')
      await panel.fill({ account: 'account' })
      const tick = await tickOf(await panel.edit('account'))
      assert.equal(await tick.isChecked(), true)
    })

    it('is not ticked if the account has a panel that may be this one', async () => {
      const panel = await (await editor().open('a events')).edit('panel')
      const tick = await tickOf(await panel.edit('account'))
      assert.equal(await tick.isChecked(), false)
    })
  },
)
