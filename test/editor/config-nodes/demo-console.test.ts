import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { accountNode, panelNode } from '../../../harness/browser/dialogs/config-nodes.ts'
import type { Dialog } from '../../../harness/browser/dialogs/dialog.ts'
import { Editor } from '../../../harness/browser/editor.ts'
import { inNewestNodeRed } from '../../../harness/browser/in-every-look.ts'
import { catalogue } from '../../../harness/fixtures/locales.ts'
import { defaultsOf } from '../../../harness/fixtures/node-fields.ts'
import { harness } from '../../../harness/mocha/browser.ts'
import { AdminUsers, adminUsersCode } from '../../../harness/node-red/admin-users.ts'
import { type NodeRedHarness, startNodeRedHarness } from '../../../harness/node-red.ts'

const place = (type: string, id: string) => ({
  id,
  type,
  z: 'tab',
  x: 200,
  y: 60,
  wires: [[]],
  ...defaultsOf(type),
})
const flows = [
  { id: 'tab', type: 'tab', label: 'Console' },
  accountNode('demo with a button', { name: 'Demo' }),
  // An id of its own: other tests leave a user code with theirs in the same Node-RED.
  panelNode('panel of the button', { account: 'demo with a button' }),
  { ...place('keyholder-state', 'state'), panel: 'panel of the button' },
  { ...place('keyholder-health', 'health'), y: 160, account: 'ofService' },
  accountNode('ofService', { name: 'Service', source: 'service', url: 'https://alarm.invalid' }),
]
const texts = catalogue('en-US', 'account')
/** Part of the status in every state: the household of the demo arms and disarms by itself. */
const isUp = /arm|ready/i

const button = (dialog: Dialog) => dialog.form.locator('#keyholder-account-console')

/** Clicks the button and returns the console in its new tab, as soon as it shows the panel. */
async function consoleFrom(editor: Editor): Promise<Page> {
  const account = await (await (await editor.open('state')).edit('panel')).edit('account')
  const opening = editor.page.context().waitForEvent('page')
  await button(account).click()
  const page = await opening
  await page.getByRole('heading', { name: 'Panel console' }).waitFor()
  await page.getByRole('button', { name: 'Disarm' }).first().waitFor()
  return page
}

/** Lets the page run an action, and waits for its result. */
async function triggersAlarm(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Panic' }).click()
  await page.getByText('The panic button of the keyfob was pressed.').waitFor()
}

inNewestNodeRed("The button for the demo panel's console", { flows }, (editor) => {
  it('opens the page in a new tab, and the page operates the panel', async () => {
    await editor().hasStatus('state', isUp)
    const page = await consoleFrom(editor())
    assert.equal(page.url(), new URL('keyholder/demo/demo%20with%20a%20button/', editor().page.url()).href)
    assert.equal(await page.evaluate(() => window.opener), null)
    await triggersAlarm(page)
    await page.close()
  })

  it('says that the demo is not deployed, and leaves no tab open', async () => {
    const account = await (await editor().open('health')).edit('account')
    assert.equal(await button(account).isVisible(), false)
    await account.fill({ source: 'demo' })
    await button(account).click()
    await account.form.getByText(texts.get('account.console.notDeployed') ?? '').waitFor()
    assert.equal(editor().page.context().pages().length, 1)
    assert.match(editor().complaints.splice(0).join(), /404/)
  })

  it('says that the browser blocked the tab', async () => {
    await editor().page.evaluate('window.open = () => null')
    const account = await (await (await editor().open('state')).edit('panel')).edit('account')
    await button(account).click()
    await account.form.getByText(texts.get('account.console.blocked') ?? '').waitFor()
    await editor().closeDialogs()
    await editor().reload()
  })
})

inNewestNodeRed("The button for the demo panel's console, with sign-in and another root", {}, (_, look) => {
  let site: NodeRedHarness
  let signedIn: Editor

  before(async () => {
    const { browser, runtime } = await harness().then(async (it) => ({
      browser: it.browser,
      runtime: await it.runtime(look.nodeRed),
    }))
    const editorTheme = { tours: false, palette: { catalogues: [] } }
    const settings = { httpAdminRoot: '/red/', editorTheme }
    site = await startNodeRedHarness({}, { code: adminUsersCode, settings, hasEditor: true })
    await site.writeFlowFile(flows)
    const view = { 'view-show-tips': false }
    await writeFile(join(site.userDir, '.config.users.json'), JSON.stringify({ admin: { editor: { view } } }))
    const { url } = site.startNodeRed(runtime)
    const { Authorization = '' } = await new AdminUsers(url).authorization('admin')
    const token = JSON.stringify({ access_token: Authorization.replace('Bearer ', '') })
    signedIn = await Editor.open(browser, await url, look, { stored: { 'auth-tokens-red': token } })
  })
  after(async () => {
    await signedIn?.close()
    await site?.close()
  })

  it('opens the page for the user who is signed in, also again without the button', async () => {
    await signedIn.hasStatus('state', isUp)
    const page = await consoleFrom(signedIn)
    assert.match(page.url(), /\/red\/keyholder\/demo\/demo%20with%20a%20button\/$/)
    await triggersAlarm(page)
    await page.reload()
    await page.getByRole('button', { name: 'Disarm' }).first().waitFor()
    const [cookie, ...others] = await page.context().cookies()
    assert.deepEqual(others, [])
    const { path, httpOnly, sameSite } = cookie ?? assert.fail('no cookie')
    assert.deepEqual(
      [path, httpOnly, sameSite],
      ['/red/keyholder/demo/demo%20with%20a%20button', true, 'Strict'],
    )
    assert.deepEqual(signedIn.complaints, [])
  })

  it('shows in the page when the permission has ended', async () => {
    const page = signedIn.page.context().pages().at(-1) ?? assert.fail('no tab')
    await page.context().clearCookies()
    await page.getByText('Your permission for this page has ended.').waitFor()
  })
})
