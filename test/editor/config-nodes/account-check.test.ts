import assert from 'node:assert/strict'
import type { Dialog } from '../../../harness/browser/dialogs/dialog.ts'
import { CheckOf } from '../../../harness/browser/dialogs/findings.ts'
import { inNewestNodeRed } from '../../../harness/browser/in-every-look.ts'
import { Simulators } from '../../../harness/browser/simulators.ts'
import { testCertificate } from '../../../harness/certificates/test-certificate.ts'
import { catalogue, patternOf } from '../../../harness/fixtures/locales.ts'
import { defaultsOf } from '../../../harness/fixtures/node-fields.ts'
import { hang } from '../../../src/simulator/faults/network-faults.ts'
import { htmlPage } from '../../../src/simulator/faults/response-faults.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'

const flows = [
  { id: 'tab', type: 'tab', label: 'Check' },
  {
    id: 'health',
    type: 'keyholder-health',
    z: 'tab',
    x: 200,
    y: 60,
    wires: [[]],
    ...defaultsOf('keyholder-health'),
  },
]
const texts = catalogue('en-US', 'account')
const allDone = ['host done', 'version done', 'signIn done', 'panels done']

/** Returns the pattern of what a failed step shows: title and text. */
const shownFailure = (title: string, text: string) =>
  RegExp(
    `^${patternOf(texts.get(`account.check.failed.${title}`) ?? '')}\n${patternOf(texts.get(`account.finding.${text}`) ?? '')}`,
  )

inNewestNodeRed('The sign-in check of a new account', { flows }, (editor) => {
  const simulators = new Simulators()
  let dialog: Dialog
  let check: CheckOf

  beforeEach(async () => {
    dialog = await (await editor().open('health')).add('account')
    check = new CheckOf(dialog, 'account-check', 'account-findings')
  })
  afterEach(() => simulators.close())

  const signInTo = ({ url, email, password }: Simulator, own: object = {}) =>
    dialog.fill({ url, email, password, ...own })

  /** Starts a check that fails at a step, and asserts that the step shows this text and is the last one. */
  const failsAt = async (step: string, text: string, title = step) => {
    await check.start()
    await check.reaches(step, 'failed')
    await check.ended()
    const found = await check.findings()
    const last = found.at(-1)
    assert.deepEqual([last?.step, last?.state], [step, 'failed'])
    assert.match(last?.text ?? '', shownFailure(title, text))
    return found.map(({ step, state }) => `${step} ${state}`)
  }

  it('shows each step while it runs, and lists the panels at the end', async () => {
    const simulator = await simulators.start()
    await signInTo(simulator)
    const end = simulator.faults.start(hang(), { operation: 'panels' })
    await check.start()
    await check.reaches('panels', 'running')
    assert.deepEqual(shown(await check.findings()), [...allDone.slice(0, 3), 'panels running'])
    await check.stop()
    end()
    await check.start()
    await check.reaches('panels', 'done')
    const found = await check.findings()
    assert.deepEqual(shown(found), allDone)
    assert.ok(found[0]?.text.includes(new URL(simulator.url).host))
    assert.match(found[1]?.text ?? '', /14\.0/)
    for (const serial of simulator.serials) assert.ok(found[3]?.text.includes(serial))
  })

  it('can be stopped while it waits for an answer', async () => {
    const simulator = await simulators.start()
    await signInTo(simulator)
    simulator.hang('version')
    await check.start()
    await check.reaches('host', 'running')
    await check.stop()
    await check.says(texts.get('account.label.check') ?? '')
    assert.deepEqual(await check.findings(), [])
  })

  it('needs no sign-in for the demo', async () => {
    await dialog.fill({ source: 'demo' })
    await check.start()
    await check.reaches('panels', 'done')
    assert.deepEqual(shown(await check.findings()), allDone)
  })

  it('reports an unknown host, and a host that does not answer', async () => {
    const gone = await simulators.start()
    await simulators.close()
    for (const [url, text] of [
      ['https://alarm.invalid', 'hostUnknown'],
      [gone.url, 'connectionRefused'],
    ] as const) {
      await signInTo(gone, { url })
      assert.deepEqual(await failsAt('host', text), ['host failed'])
    }
  })

  it('reports a certificate that is not trusted', async () => {
    await signInTo(await simulators.start({ tls: testCertificate }))
    assert.deepEqual(await failsAt('host', 'certificateUntrusted'), ['host failed'])
  })

  it('reports that the server is not an alarm service', async () => {
    const simulator = await simulators.start()
    simulator.faults.start(htmlPage())
    await signInTo(simulator)
    assert.deepEqual(await failsAt('version', 'noService', 'service'), ['host done', 'version failed'])
  })

  it('reports that the service is too old', async () => {
    await signInTo(await simulators.start({ versions: ['7.0'] }))
    await failsAt('version', 'UNSUPPORTED_VERSION')
  })

  it('reports a wrong password, and sends it once however often it is checked', async () => {
    const simulator = await simulators.start()
    await signInTo(simulator, { password: 'wrong' })
    for (const _ of 'twice') await failsAt('signIn', 'BAD_CREDENTIALS')
    assert.equal(simulator.accounts.signIns, 1)
    await signInTo(simulator)
    await check.start()
    await check.reaches('panels', 'done')
    assert.equal(simulator.accounts.signIns, 2)
  })

  it('reports a blocked account, and sends no further sign-in during the block', async () => {
    const simulator = await simulators.start()
    simulator.accounts.block(600)
    await signInTo(simulator)
    for (const _ of 'twice') await failsAt('signIn', 'signInsBlocked')
    assert.equal(simulator.accounts.signIns, 1)
  })

  it('names a missing field, and sends nothing', async () => {
    const simulator = await simulators.start()
    await signInTo(simulator, { password: '' })
    assert.deepEqual(await failsAt('settings', 'missing'), ['settings failed'])
    assert.equal(simulator.requests.length, 0)
  })
})

function shown(findings: readonly { step: string; state: string }[]): string[] {
  return findings.map(({ step, state }) => `${step} ${state}`)
}
