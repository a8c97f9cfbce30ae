import assert from 'node:assert/strict'
import { accountNode, at } from '../../../harness/browser/dialogs/config-nodes.ts'
import type { Dialog, Values } from '../../../harness/browser/dialogs/dialog.ts'
import { CheckOf } from '../../../harness/browser/dialogs/findings.ts'
import { inNewestNodeRed } from '../../../harness/browser/in-every-look.ts'
import { Simulators } from '../../../harness/browser/simulators.ts'
import { issuedFiles, serverOptions } from '../../../harness/certificates/issued-certificates.ts'
import { testCertificate } from '../../../harness/certificates/test-certificate.ts'
import { catalogue, patternOf } from '../../../harness/fixtures/locales.ts'
import { defaultsOf } from '../../../harness/fixtures/node-fields.ts'
import { hang } from '../../../src/simulator/faults/network-faults.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'

const simulators = new Simulators()
let simulator: Simulator

const setup = async () => {
  simulator = await simulators.start()
  const health = { type: 'keyholder-health', ...defaultsOf('keyholder-health') }
  const query = { type: 'keyholder-query', ...defaultsOf('keyholder-query') }
  return {
    language: 'de-DE',
    flows: [
      { id: 'tab', type: 'tab', label: 'Check' },
      accountNode('account', { name: 'Ours', ...at(simulator) }),
      { id: 'new', z: 'tab', x: 200, y: 60, wires: [[]], ...health },
      { id: 'ours', z: 'tab', x: 400, y: 60, wires: [[]], ...health, account: 'account' },
      { id: 'query', z: 'tab', x: 200, y: 120, wires: [[]], ...query },
    ],
  }
}

const german = catalogue('de', 'account')

/** Returns the pattern of German texts one after the other, with nothing else between or after them. */
const onlyGerman = (...keys: string[]) =>
  RegExp(`^${keys.map((key) => patternOf(german.get(`account.${key}`) ?? assert.fail(key))).join('\\s')}$`)

inNewestNodeRed('The findings in a German editor', setup, (editor) => {
  after(() => simulators.close())

  const field = (dialog: Dialog, name: string) => dialog.control(name)

  it('come from an account that is German from the start', async () => {
    const account = await (await editor().open('new')).add('account')
    await account.unfold()
    assert.equal(await field(account, 'locale').inputValue(), 'de_DE')
  })

  /** Waits until these fields are marked and no others. */
  const marks = async (dialog: Dialog, ...names: string[]) => {
    const marked = await dialog.form
      .locator('[aria-invalid="true"]')
      .evaluateAll((elements) => elements.map(({ id }) => id.replace('node-config-input-', '')))
    assert.deepEqual(marked.toSorted(), names.toSorted())
    for (const name of names)
      assert.match((await field(dialog, name).getAttribute('class')) ?? '', /\binput-error\b/)
  }

  const focused = (dialog: Dialog) =>
    dialog.form.locator(':focus').evaluate(({ id }: { id: string }) => id.replace('node-config-input-', ''))

  describe('of an account', () => {
    let dialog: Dialog
    let check: CheckOf

    beforeEach(async () => {
      dialog = await (await editor().open('new')).add('account')
      check = new CheckOf(dialog, 'account-check', 'account-findings', 'de')
    })

    /** Checks an account with these values, and asserts what the failed step says and marks. */
    const fails = async (values: Values, texts: readonly string[], marked: readonly string[]) => {
      const { url, email, password } = simulator
      await dialog.fill({ url, email, password, caFile: '', locale: '', ...values })
      await check.start()
      await check.ended()
      const last = (await check.findings()).at(-1)
      assert.equal(last?.state, 'failed')
      assert.match(last.text, onlyGerman(...texts))
      await marks(dialog, ...marked)
      if (marked[0] !== undefined) assert.equal(await focused(dialog), marked[0])
    }

    it('are German sentences that mark the fields, and name them as the dialog does', async () => {
      const untrusted = await simulators.start({ tls: testCertificate })
      const elsewhere = await simulators.start({ tls: serverOptions(issuedFiles.elsewhere) })
      const unsent = 'check.failed.settings'
      const unreached = 'check.failed.host'
      const { authority } = issuedFiles
      const wrong = { password: 'wrong' }
      for (const [values, texts, marked] of [
        [{ url: '' }, [unsent, 'finding.missing'], ['url']],
        [{ url: 'http://alarm.example.com' }, [unsent, 'invalid.urlPlain'], ['url']],
        [{ url: 'alarm' }, [unsent, 'invalid.url'], ['url']],
        [{ caFile: '/nowhere/ca.pem' }, [unsent, 'finding.caFile'], ['caFile']],
        [{ url: 'https://alarm.invalid' }, [unreached, 'finding.hostUnknown'], ['url']],
        [{ url: 'https://127.0.0.1:9' }, [unreached, 'finding.connectionRefused'], ['url']],
        [{ url: untrusted.url.replace('https', 'http') }, [unreached, 'finding.connectionClosed'], ['url']],
        [{ url: untrusted.url }, [unreached, 'finding.certificateUntrusted'], ['url']],
        [{ url: elsewhere.url, caFile: authority }, [unreached, 'finding.certificateOther'], ['url']],
        [{ url: `${simulator.url}/shop` }, ['check.failed.service', 'finding.noService'], ['url']],
        [wrong, ['check.failed.signIn', 'finding.BAD_CREDENTIALS'], ['password', 'email']],
        [wrong, ['check.failed.signIn', 'finding.BAD_CREDENTIALS'], ['password', 'email']],
        [{ locale: 'sv_SE' }, ['check.failed.language', 'finding.languageUnknown'], ['locale']],
      ] as const) {
        await fails(values, texts, marked)
      }
    })

    it('list the languages that the service has', async () => {
      const extras = [{ key: 'locale', value: 'one of de_DE, en_US' }]
      simulator.respondOnce('had/rules/event-profiles', { status: 400, body: { error: 10001, extras } })
      const texts = ['check.failed.language', 'finding.languageUnknown', 'finding.languages']
      await fails({ locale: 'sv_SE' }, texts, ['locale'])
      await check.item('language', 'failed').filter({ hasText: 'de_DE, en_US' }).waitFor()
    })

    it('tell how long the account pauses', async () => {
      // Another service, so that the tests that follow do not pause.
      const busy = await simulators.start()
      busy.respondOnce('version', { status: 429, headers: { 'Retry-After': '60' } })
      await fails({ url: busy.url }, ['check.failed.version', 'finding.RATE_LIMITED', 'finding.pause'], [])
      await check.item('version', 'failed').filter({ hasText: 'Sekunden' }).waitFor()
    })

    it('open Advanced for a field there, and mark it until it is edited or the next check begins', async () => {
      const file = field(dialog, 'caFile')
      await dialog.fill({ caFile: '/nowhere/ca.pem' })
      await dialog.form.locator('summary').click()
      await file.waitFor({ state: 'hidden' })
      await fails({ caFile: '/nowhere/ca.pem' }, ['check.failed.settings', 'finding.caFile'], ['caFile'])
      const described = await file.getAttribute('aria-describedby')
      const text = await dialog.form.locator(`#${described}`).innerText()
      assert.match(text, onlyGerman('check.failed.settings', 'finding.caFile'))
      await file.press('x')
      await marks(dialog)
      assert.equal(await file.getAttribute('aria-describedby'), null)
      assert.doesNotMatch((await file.getAttribute('class')) ?? '', /input-error/)
      await check.start()
      await check.ended()
      await marks(dialog, 'caFile')
      await dialog.fill({ url: '' })
      await check.start()
      await check.ended()
      await marks(dialog, 'url')
    })

    it('leave the focus where the person has put it meanwhile', async () => {
      const end = simulator.faults.start(hang(), { operation: 'version' })
      const { url, email } = simulator
      await dialog.fill({ url, email, password: 'wrong', timeout: '1' })
      await check.start()
      await check.reaches('host', 'running')
      await field(dialog, 'name').focus()
      await check.ended()
      await marks(dialog, 'url')
      assert.equal(await focused(dialog), 'name')
      end()
    })

    it('show an error that nobody foresaw with its English sentence, marked as details', async () => {
      const message = 'Something that nobody has foreseen.'
      const finding = { step: 'signIn', state: 'failed', code: 'INTERNAL_ERROR', message, fields: [] }
      const { page } = editor()
      await page.route('**/check', (route) => route.fulfill({ body: `${JSON.stringify(finding)}\n` }))
      await check.start()
      await check.ended()
      await page.unroute('**/check')
      const [shown] = await check.findings()
      assert.match(shown?.text ?? '', RegExp(`${patternOf(german.get('account.finding.details') ?? '')}$`))
      assert.ok(shown?.text.includes(message))
    })
  })

  it('do not send a stored password to another address', async () => {
    const dialog = await (await editor().open('ours')).edit('account')
    const check = new CheckOf(dialog, 'account-check', 'account-findings', 'de')
    await dialog.fill({ url: 'https://other.example' })
    await check.start()
    await check.reaches('settings', 'failed')
    await check.ended()
    const [shown] = await check.findings()
    assert.match(shown?.text ?? '', onlyGerman('check.failed.settings', 'finding.storedElsewhere'))
    await marks(dialog, 'password')
  })

  it('of an account in the dialog of a panel mark the account, and say where the field is', async () => {
    const dialog = await (await editor().open('query')).add('panel')
    const list = new CheckOf(dialog, 'panel-choose', 'panel-choice', 'de')
    await dialog.fill({ account: 'account' })
    simulator.respondOnce('version', { status: 404, body: 'no' })
    await list.start()
    await list.reaches('version', 'failed')
    await list.ended()
    const [shown, ...others] = await list.findings()
    assert.deepEqual(others, [])
    const hint = catalogue('de', 'panel').get('panel.tip.inAccount') ?? ''
    assert.ok(shown?.text.includes(hint), shown?.text)
    await marks(dialog, 'account')
  })
})
