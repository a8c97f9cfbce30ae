import assert from 'node:assert/strict'
import { closeDialog, isConfigType, openDialog } from '../../../harness/browser/dialogs/config-dialogs.ts'
import { accountNode, clusterNode, panelNode } from '../../../harness/browser/dialogs/config-nodes.ts'
import { numberRules } from '../../../harness/browser/dialogs/declared-values.ts'
import type { Dialog, Values } from '../../../harness/browser/dialogs/dialog.ts'
import { fieldRules, variable } from '../../../harness/browser/dialogs/field-rules.ts'
import type { Editor } from '../../../harness/browser/editor.ts'
import { inNewestNodeRed } from '../../../harness/browser/in-every-look.ts'
import { placed } from '../../../harness/browser/placed-nodes.ts'
import { catalogue } from '../../../harness/fixtures/locales.ts'

const service = {
  source: 'service',
  url: 'https://alarm.example.com',
  credentials: { email: 'me', password: 'word' },
}
const code = { credentials: { userCode: '1' } }
const flows = [
  { id: 'tab', type: 'tab', label: 'Validation' },
  accountNode('service', { name: 'Service', ...service }),
  accountNode('account', { name: 'Ours', ...service }),
  clusterNode('cluster', { name: 'Both' }),
  accountNode('clustered', { name: 'Clustered', ...service, cluster: 'cluster' }),
  panelNode('house', { name: 'House', serial: 'A1', ...code }),
  panelNode('barn', { name: 'Barn', serial: 'B1', account: 'service', ...code }),
  panelNode('panel', { name: 'Panel', account: 'service', serial: 'P1', ...code }),
  ...placed([
    { id: 'account', type: 'keyholder-health', account: 'account' },
    { id: 'cluster', type: 'keyholder-health', account: 'clustered' },
    { id: 'panel', type: 'keyholder-query', panel: 'panel', operation: 'event_profiles' },
    { id: 'readings', panel: 'house' },
    { id: 'query', panel: 'house', operation: 'event_profiles' },
    { id: 'command', panel: 'house' },
    { id: 'bypass', type: 'keyholder-command', panel: 'house', action: 'bypass' },
    { id: 'health', account: 'account', panel: 'house' },
    { id: 'state', panel: 'house' },
    { id: 'events', panel: 'house' },
  ]),
]

inNewestNodeRed('A dialog', { flows }, (editor) => {
  for (const type of new Set([...Object.keys(fieldRules), ...Object.keys(numberRules)])) {
    const own = [...(fieldRules[type] ?? []), ...(numberRules[type] ?? [])]
    it(`of ${type} marks each wrong field, explains the error, and accepts right values`, async () => {
      const dialog = await openDialog(editor(), type, `a ${type}`)
      for (const { field, wrong, right, says } of own) {
        const isTyped = (await dialog.typedInput(field).count()) > 0
        const place = isTyped ? dialog.typedInput(field) : dialog.control(field)
        const marked = dialog.form.locator('.input-error').and(place)
        const unmarked = dialog.form.locator(':not(.input-error)').and(place)
        const byKeys = (values: readonly string[]) => (isTyped ? values : values.slice(0, 1))
        const atOnce = (values: readonly string[]) => (isTyped ? [] : values.slice(1))
        assert.deepEqual(await markedOf(dialog, field, atOnce(wrong)), atOnce(wrong))
        for (const value of byKeys(wrong)) {
          await typed(dialog, field, value)
          await marked.waitFor()
        }
        // The tooltip appears when the mouse enters, and keeps its text until the mouse leaves.
        const shown = editor().page.locator('.red-ui-popover')
        await editor().page.mouse.move(0, 0)
        await shown.first().waitFor({ state: 'hidden' })
        await marked.hover()
        await shown.filter({ hasText: sentence(type, says) }).waitFor()
        assert.deepEqual(await markedOf(dialog, field, atOnce(right)), [])
        for (const value of byKeys(right)) {
          await typed(dialog, field, value)
          await unmarked.waitFor()
        }
      }
      await closeDialog(dialog, 'cancel')
    })
  }

  it('marks a missing panel', async () => {
    const dialog = await editor().open('a state')
    await dialog.fill({ panel: '_ADD_' })
    await dialog.form.locator('select.input-error').waitFor()
    await dialog.cancel()
  })

  for (const [type, list] of [
    ['state', 'partitions'],
    ['readings', 'devices'],
    ['events', 'partitions'],
    ['events', 'typeIds'],
  ] as const) {
    it(`of ${type} marks the node and explains the error if its ${list} are not numbers`, async () => {
      for (const [text, isRight] of [
        ['1, kitchen', false],
        ['1, 2', true],
        [variable, true],
      ] as const) {
        const dialog = await editor().open(`a ${type}`)
        await dialog.fill({ [`${list}-list`]: text })
        await dialog.save()
        if (isRight) await editor().saysRight(`a ${type}`)
        else await editor().saysWrong(`a ${type}`, sentence(type, list))
      }
    })
  }

  for (const [type, field, wrong, right] of [
    ['readings', 'temperatureDelta', '-1', '0'],
    ['query', 'maxAge', 'old', '0'],
    ['health', 'every', '-1', '0'],
    ['command', 'partition', 'all', '1'],
    ['panel', 'stateEvery', '0.1', '30'],
    ['account', 'timeout', 'soon', '10'],
    ['cluster', 'address', 'http://redis.local', 'redis://127.0.0.1:6379'],
  ] as const) {
    it(`of ${type} marks the node and explains the error if a field is wrong`, async () => {
      await saved(editor(), type, { [field]: wrong })
      // A flow node shows only that its config node is wrong.
      const wrongConfig = type === 'panel' ? 'panel' : 'account'
      await editor().saysWrong(`a ${type}`, isConfigType(type) ? wrongConfig : sentence(type, field))
      await saved(editor(), type, { [field]: right })
      await editor().saysRight(`a ${type}`)
    })
  }
})

/** Returns the sentence for a wrong field; a bypass is a command. */
function sentence(type: string, says: string): string {
  const set = type === 'bypass' ? 'command' : type
  const text = catalogue('en-US', set).get(`${set}.invalid.${says}`)
  assert.ok(text, `${set}.invalid.${says}`)
  return text.replace('__floor__', '1')
}

async function saved(editor: Editor, type: string, values: Values): Promise<void> {
  const dialog = await openDialog(editor, type, `a ${type}`)
  await dialog.fill(values)
  await closeDialog(dialog, 'save')
}

/** Types a value like a user; Node-RED validates it when a key is released. */
async function typed(dialog: Dialog, field: string, value: string): Promise<void> {
  await dialog.fill({ [field]: value })
  await dialog.control(field).press('Shift')
}

/** Returns those of the values that a field marks as wrong. They are put in at once: to type each takes most of the time. */
function markedOf(dialog: Dialog, field: string, values: readonly string[]): Promise<string[]> {
  return dialog.control(field).evaluate((control, values) => {
    const input = control as HTMLInputElement
    return values.filter((value) => {
      input.value = value
      input.dispatchEvent(new KeyboardEvent('keyup', { bubbles: true }))
      return input.classList.contains('input-error')
    })
  }, values)
}
