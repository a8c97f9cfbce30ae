import assert from 'node:assert/strict'
import { type Contrast, contrasts } from '../../harness/browser/contrast.ts'
import { dialogTypes, tourFlows, visit } from '../../harness/browser/dialogs/dialog-tour.ts'
import { CheckOf } from '../../harness/browser/dialogs/findings.ts'
import { inEveryLook } from '../../harness/browser/in-every-look.ts'
import { Picker } from '../../harness/browser/picker.ts'
import { Simulators } from '../../harness/browser/simulators.ts'

/** Minimum contrast of normal text in WCAG 2, level AA. */
const minRatio = 4.5

inEveryLook('Text', { flows: tourFlows }, (editor) => {
  const simulators = new Simulators()
  after(() => simulators.close())

  for (const type of dialogTypes) {
    it(`in the dialog of ${type} has enough contrast with its background`, () =>
      visit(editor(), type, async ({ form }) => assertReadable(await contrasts(form))))
  }

  it('of a passed and of a failed check has enough contrast', () =>
    visit(editor(), 'account', async (dialog) => {
      const { url, email, password } = await simulators.start()
      const check = new CheckOf(dialog, 'account-check', 'account-findings')
      await dialog.fill({ cluster: '_ADD_', api: 'user', url, email, password })
      await check.start()
      await check.reaches('panels', 'done')
      assertReadable(await contrasts(dialog.form))
      await dialog.fill({ password: 'wrong' })
      await check.start()
      await check.reaches('signIn', 'failed')
      assertReadable(await contrasts(dialog.form))
    }))

  it('of a failed check of a cluster has enough contrast', () =>
    visit(editor(), 'cluster', async (dialog) => {
      const check = new CheckOf(dialog, 'cluster-check', 'cluster-findings')
      await dialog.fill({ address: 'redis://127.0.0.1:1' })
      await check.start()
      await check.reaches('server', 'failed')
      assertReadable(await contrasts(dialog.form))
    }))

  it('of panels to select, before and after a click, and of the diagnostics has enough contrast', () =>
    visit(editor(), 'panel', async (dialog) => {
      await dialog.fill({ account: 'demo account' })
      const list = new CheckOf(dialog, 'panel-choose', 'panel-choice')
      await list.start()
      await list.reaches('panels', 'done')
      const offers = list.item('panels', 'done').getByRole('button')
      assertReadable(await contrasts(dialog.form))
      await offers.first().click()
      for (const state of ['hover', 'focus'] as const) {
        await offers.first()[state]()
        assertReadable(await contrasts(dialog.form))
      }
      const diagnostics = new CheckOf(dialog, 'panel-diagnostics', 'panel-progress')
      await diagnostics.start()
      await diagnostics.reaches('diagnostics', 'done')
      assertReadable(await contrasts(dialog.form))
    }))

  it('of choices, selected or not, and of their search has enough contrast', () =>
    visit(editor(), 'readings', async (dialog) => {
      await dialog.fill({ panel: 'demo panel' })
      const picker = await Picker.open(dialog, 'devices')
      await picker.leaf('Front door').first().click()
      await picker.ticked('Front door', true)
      assertReadable(await contrasts(dialog.form))
    }))
})

function assertReadable(found: readonly Contrast[]): void {
  assert.ok(found.length > 5)
  assert.deepEqual(
    found.filter(({ ratio }) => ratio < minRatio),
    [],
  )
}
