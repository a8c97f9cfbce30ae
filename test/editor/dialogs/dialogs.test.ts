import assert from 'node:assert/strict'
import { closeDialog, openDialog } from '../../../harness/browser/dialogs/config-dialogs.ts'
import type { Values } from '../../../harness/browser/dialogs/dialog.ts'
import { type FilledForm, filledForms, formFlows } from '../../../harness/browser/dialogs/filled-forms.ts'
import type { Editor } from '../../../harness/browser/editor.ts'
import { inEveryNodeRed } from '../../../harness/browser/in-every-look.ts'

inEveryNodeRed('Every dialog', { flows: formFlows }, (editor) => {
  it('keeps the value of each field, also after a deploy and a reload', async () => {
    for (const form of filledForms) {
      await fillIn(editor(), form)
      // Until the deploy, the editor shows secrets; everything else it shows as after the reload.
      if (!hasSecrets(form)) continue
      const dialog = await openDialog(editor(), form.type, `a ${form.type}`)
      assert.deepEqual(await dialog.values(), form.values, form.type)
      await closeDialog(dialog, 'cancel')
    }
    await editor().deploy()
    await editor().reload()
    for (const form of filledForms) {
      const dialog = await openDialog(editor(), form.type, `a ${form.type}`)
      assert.deepEqual(await dialog.values(), stored(form.values), form.type)
      await closeDialog(dialog, 'cancel')
    }
    // Some thirty dialogs, at whose animations the editor takes its time.
  }).timeout(600_000)
})

inEveryNodeRed('An account', { flows: formFlows }, (editor) => {
  it('of the demo gets no app ID', async () => {
    assert.equal(await savedAppId(editor()), '')
  })

  // @spec application-id
  it('of a service gets an app ID once, and keeps it after a deploy and a reload', async () => {
    const appId = await savedAppId(editor(), { source: 'service', url: 'https://alarm.example.com' })
    assert.match(appId, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    await editor().deploy()
    await editor().reload()
    assert.equal(await savedAppId(editor()), appId)
  })
})

async function savedAppId(editor: Editor, values: Values = {}): Promise<string> {
  const dialog = await openDialog(editor, 'account', 'a account')
  await dialog.fill(values)
  const appId = await dialog.control('appId').inputValue()
  await closeDialog(dialog, 'save')
  return appId
}

/** The fields whose values stay on the server. */
const secrets = ['password', 'userCode', 'watcherUrl']

function hasSecrets({ values }: FilledForm): boolean {
  return secrets.some((name) => name in values)
}

/** Values as a dialog shows them later. */
function stored(values: Values): Values {
  const masked = Object.keys(values).filter((name) => secrets.includes(name))
  return { ...values, ...Object.fromEntries(masked.map((name) => [name, '__PWRD__'])) }
}

async function fillIn(editor: Editor, form: FilledForm): Promise<void> {
  const dialog = await openDialog(editor, form.type, `a ${form.type}`)
  await dialog.fill(form.values)
  await closeDialog(dialog, 'save')
}
