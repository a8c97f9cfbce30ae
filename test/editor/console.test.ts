import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { contrasts } from '../../harness/browser/contrast.ts'
import { accountNode, panelNode } from '../../harness/browser/dialogs/config-nodes.ts'
import { inNewestNodeRed } from '../../harness/browser/in-every-look.ts'
import { misfits } from '../../harness/browser/narrow-page.ts'
import { type WatchedPage, watchedPage } from '../../harness/browser/watched-page.ts'
import { catalogue } from '../../harness/fixtures/locales.ts'
import { defaultsOf } from '../../harness/fixtures/node-fields.ts'
import { harness } from '../../harness/mocha/browser.ts'
import { MessageServer } from '../../harness/node-red/message-server.ts'
import { withRecorder } from '../../harness/node-red/recorded-flow.ts'

/** A zone and a partition that the household of the demo does not use. */
const workshop = { partition: 'Workshop, keypad', zone: 'Workshop door: open', device: 'Workshop door' }

let messages: MessageServer

const setup = async () => {
  messages = await MessageServer.start()
  const place = (type: string) => ({ type, z: 'tab', wires: [[]], ...defaultsOf(type), panel: 'panel' })
  const flows = [
    { id: 'tab', type: 'tab', label: 'Console' },
    accountNode('a demo with a console', { name: 'Demo' }),
    panelNode('panel', { account: 'a demo with a console', stateEvery: 1, devicesEvery: 1 }),
    {
      id: 'comment',
      type: 'comment',
      z: 'tab',
      name: 'To the console',
      info: "[Open the demo panel's console](#keyholder-console)",
      x: 200,
      y: 260,
    },
    { id: 'state', x: 200, y: 60, ...place('keyholder-state'), partitions: [2] },
    { id: 'readings', x: 200, y: 160, ...place('keyholder-readings'), kinds: ['open'] },
  ]
  return { flows: withRecorder(flows, messages.url) }
}

inNewestNodeRed('The console page of the demo', setup, (editor, look) => {
  let watched: WatchedPage
  let page: Page

  before(async () => {
    const { browser, nodeRed } = await harness().then(async (it) => ({
      browser: it.browser,
      nodeRed: await it.nodeRed(look),
    }))
    // After the first message, the demo is running.
    await messages.from('state').first()
    const addresses = [...nodeRed.output.matchAll(/Demo panel console of .*: (\S+)/g)].map(
      ([, address]) => address,
    )
    watched = await watchedPage(browser)
    page = watched.page
    await page.goto(addresses.at(-1) ?? assert.fail('The log contains no address.'))
    await page.getByRole('heading', { name: 'For testers', exact: true }).waitFor()
  })
  afterEach(() => assert.deepEqual(watched.complaints.splice(0), []))
  after(async () => {
    await watched?.close()
    await messages.close()
  })

  it('begins with the panel, without an empty band, and has what only testers need below headings of their own', async () => {
    const below = async (upper: Locator, lower: Locator) => {
      const [one, other] = [await upper.boundingBox(), await lower.boundingBox()]
      return (other?.y ?? 0) - (one?.y ?? 0) - (one?.height ?? 0)
    }
    assert.ok((await below(page.locator('header'), page.locator('#panel'))) <= 24)
    const testers = page.getByRole('region', { name: 'For testers', exact: true })
    for (const text of ['Simulated time', 'Faults of the service', 'End sign-ins'])
      await testers.getByText(text).waitFor()
    assert.equal(await page.locator('header dl').count(), 0)
  })

  it('arms by keyboard, and the flow gets the new state', async () => {
    const keypad = page.getByRole('group', { name: workshop.partition })
    await tabTo(page, keypad.getByRole('button', { name: 'Away' }))
    await page.keyboard.press('Enter')
    await messages
      .from('state')
      .first(({ topic, payload }) => /\/2$/.test(topic) && /^(ARMING|AWAY)$/.test(payload))
    await tabTo(page, keypad.getByRole('button', { name: 'Disarm' }))
    await page.keyboard.press('Enter')
    await messages.from('state').first(({ topic, payload, state }) => {
      return /\/2$/.test(topic) && payload === 'DISARM' && /^(ARMING|AWAY)$/.test(state.previous)
    })
  })

  it('opens a zone by keyboard, and the flow gets the reading', async () => {
    const isOpen = (expected: boolean) =>
      messages.from('readings').first(({ payload, device, reading }) => {
        return device.label === workshop.device && payload === expected && reading.previous === !expected
      })
    const box = page.getByRole('checkbox', { name: workshop.zone })
    await tabTo(page, box)
    await page.keyboard.press('Space')
    await isOpen(true)
    await tabTo(page, box)
    await page.keyboard.press('Space')
    await isOpen(false)
  })

  it('switches a fault of the service on and off by keyboard; the node shows the error and recovers', async () => {
    const says = catalogue('en-US', 'account').get('account.status.error.SERVER_ERROR') ?? ''
    await tabTo(page, page.getByLabel('Fault', { exact: true }))
    await page.keyboard.type('status 500')
    await tabTo(page, page.getByLabel('Operation', { exact: true }))
    await page.keyboard.type('status')
    await tabTo(page, page.getByRole('button', { name: 'Turn on' }))
    await page.keyboard.press('Enter')
    await editor().hasStatus('state', says)
    await tabTo(page, page.getByRole('button', { name: 'Turn off status 500 for status' }))
    await page.keyboard.press('Enter')
    await editor().hasStatus('state', /disarmed, ready/)
  })

  it('tells what the household will do next, and switches it off and on by keyboard', async () => {
    const household = page.getByRole('checkbox', { name: 'Household' })
    const plan = page.locator('#household-plan')
    await plan.filter({ hasText: /^Next, in \d min: [a-z]/ }).waitFor()
    await tabTo(page, household)
    await page.keyboard.press('Space')
    await plan.filter({ hasText: 'Off: nothing happens by itself.' }).waitFor()
    await page.getByRole('status').filter({ hasText: 'does nothing by itself any more' }).waitFor()
    await tabTo(page, household)
    await page.keyboard.press('Space')
    await page.getByRole('status').filter({ hasText: 'goes on with its day' }).waitFor()
  })

  it('sets by keyboard what an installer sets, and keeps it', async () => {
    await tabTo(page, page.getByText('What its installer has set'))
    await page.keyboard.press('Enter')
    const choice = page.getByLabel('Open zones')
    await tabTo(page, choice)
    await page.keyboard.type('are bypassed')
    await page.getByRole('status').filter({ hasText: 'has a new setting' }).waitFor()
    await page.reload()
    await page.locator('#option-bypassMode').waitFor({ state: 'attached' })
    assert.equal(await page.locator('#option-bypassMode').inputValue(), 'force-arm')
  })

  it('has a name for every control, one live region, and enough contrast in light and dark', async () => {
    const unnamed = await page.locator('button, input, select').evaluateAll((controls) =>
      controls
        .filter((control) => {
          const { labels } = control as HTMLInputElement
          const name = control.getAttribute('aria-label') ?? labels?.[0]?.textContent ?? control.textContent
          return !name?.trim()
        })
        .map((control) => control.outerHTML),
    )
    assert.deepEqual(unnamed, [])
    assert.equal(await page.locator('[role=status], [role=alert], [aria-live]').count(), 1)
    await page.locator('details').evaluateAll((all) => {
      for (const details of all) details.setAttribute('open', '')
    })
    // An alarm has colors of its own.
    await page.getByRole('button', { name: 'Panic' }).click()
    await page.locator('.keypad[data-state=ALARM]').first().waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const texts = await contrasts(page.locator('body'))
      assert.ok(texts.length > 50)
      assert.deepEqual(
        texts.filter(({ ratio }) => ratio < 4.5),
        [],
      )
    }
  })

  it('breaks no word and cuts nothing on a phone, in German and English', async () => {
    for (const locale of ['de-DE', 'en-US']) {
      const viewport = { width: 390, height: 844 }
      const phone = await watchedPage(page.context().browser() ?? assert.fail(), { locale, viewport })
      await phone.page.goto(page.url())
      await phone.page.locator('.keypad').first().waitFor()
      await phone.page.locator('details').evaluateAll((all) => {
        for (const details of all) details.setAttribute('open', '')
      })
      assert.deepEqual(await misfits(phone.page), { brokenWords: [], cut: [] }, locale)
      assert.deepEqual(phone.complaints, [])
      await phone.close()
    }
  })

  it('opens with one click from the dialog of a node, and from the comment of an example', async () => {
    const { form } = await editor().open('state')
    const buttons = [
      form.getByRole('button', { name: "Open the demo panel's console" }),
      editor().page.getByRole('link', { name: "Open the demo panel's console" }),
    ]
    for (const [index, button] of buttons.entries()) {
      if (index === 1) {
        await editor().closeDialogs()
        await editor().showSidebar(true)
        await editor().node('comment').click()
      }
      const [tab] = await Promise.all([editor().page.waitForEvent('popup'), button.click()])
      await tab.getByRole('heading', { name: 'Panel console' }).waitFor()
      await tab.close()
    }
  })
})

/** Presses Tab until the target has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  const isThere = () => target.evaluate((element) => element === document.activeElement)
  for (let steps = 0; !(await isThere()); steps += 1) {
    assert.ok(steps < 200, 'The Tab key does not reach this element.')
    await page.keyboard.press('Tab')
  }
}
