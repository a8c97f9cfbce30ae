import assert from 'node:assert/strict'
import { type Contrast, contrasts } from '../../harness/browser/contrast.ts'
import { dialogTypes, tourFlows, visit } from '../../harness/browser/dialog-tour.ts'
import { CheckOf } from '../../harness/browser/findings.ts'
import { inEveryLook } from '../../harness/browser/in-every-look.ts'
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
      await dialog.fill({ api: 'user', url, email, password })
      await check.start()
      await check.reaches('panels', 'done')
      assertReadable(await contrasts(dialog.form))
      await dialog.fill({ password: 'wrong' })
      await check.start()
      await check.reaches('signIn', 'failed')
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
