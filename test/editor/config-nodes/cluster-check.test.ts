import assert from 'node:assert/strict'
import type { Dialog } from '../../../harness/browser/dialogs/dialog.ts'
import { tourFlows, visit } from '../../../harness/browser/dialogs/dialog-tour.ts'
import { CheckOf } from '../../../harness/browser/dialogs/findings.ts'
import { inNewestNodeRed } from '../../../harness/browser/in-every-look.ts'
import { ClusterInstances } from '../../../harness/cluster/cluster-instances.ts'
import { catalogue } from '../../../harness/fixtures/locales.ts'
import { describeWithRedis } from '../../../harness/redis-server.ts'

describeWithRedis('The check in the dialog of a cluster', (server) => {
  for (const [language, locale] of [
    ['en-US', 'en-US'],
    ['de-DE', 'de'],
  ] as const) {
    inNewestNodeRed(`of a browser in ${language}`, { flows: tourFlows, language }, (editor) => {
      const instances = new ClusterInstances(server)
      const texts = catalogue(locale, 'cluster')
      const said = (key: string) => texts.get(`cluster.${key}`) ?? assert.fail(key)

      beforeEach(() => server.restart({ appendOnly: true }))
      afterEach(() => instances.close())

      /** Opens the dialog with unsaved values, and checks them until a step is in a state. */
      const checked = (
        values: Record<string, string>,
        [step, state]: [string, 'done' | 'notice' | 'failed'],
        look: (dialog: Dialog, check: CheckOf) => Promise<void>,
      ) =>
        visit(editor(), 'cluster', async (dialog) => {
          const check = new CheckOf(dialog, 'cluster-check', 'cluster-findings', locale)
          await dialog.fill({ address: server.address, clusterName: 'test', ...values })
          await check.start()
          await check.reaches(step, state)
          await check.ended()
          await look(dialog, check)
        })

      it('shows each step, the other instances, and a name that is used twice', async () => {
        await instances.add('cellar')
        await checked({ instance: 'attic' }, ['instances', 'done'], async (_, check) => {
          const found = await check.findings()
          assert.deepEqual(
            found.map(({ step, state }) => `${step} ${state}`),
            ['server done', 'version done', 'memory done', 'rights done', 'instances done'],
          )
          assert.ok(found[0]?.text.includes(`127.0.0.1:${server.port}`))
          assert.match(found[1]?.text ?? '', /(Redis|Valkey) \d/)
          assert.match(found[4]?.text ?? '', /cellar/)
          for (const { step, text } of found) assert.ok(text.includes(said(`check.done.${step}`)), text)
        })
        await checked({ instance: 'cellar' }, ['instances', 'notice'], async (_, check) => {
          const [text = ''] = (await check.findings()).flatMap(({ state, text }) =>
            state === 'notice' ? [text] : [],
          )
          assert.ok(text.includes(said('notice.sameName').replace('__name__', 'cellar')), text)
        })
      })

      it('marks the field that is wrong, and says the remedy', async () => {
        await server.restart({ args: ['--requirepass', 'right'], appendOnly: true })
        await checked({}, ['server', 'failed'], async (dialog, check) => {
          const [{ text = '' } = {}] = await check.findings()
          assert.ok(text.includes(said('finding.passwordMissing')), text)
          await dialog.control('password').and(dialog.form.locator('[aria-invalid="true"]')).waitFor()
        })
        await server.restart({ args: [], appendOnly: true })
      })

      it('shows the command that gives a user the missing rights', async () => {
        const args = ['--user', 'app', 'on', '>right', '~other:*', '+@connection']
        await server.restart({ args, appendOnly: true })
        await checked({ username: 'app', password: 'right' }, ['rights', 'failed'], async (dialog, check) => {
          assert.ok((await check.findings()).at(-1)?.text.includes(said('finding.rights')))
          const command = await dialog.form.locator('.keyholder-command').innerText()
          assert.match(command, /^ACL SETUSER app ~keyholder:\{test\}:\* ~keyholder:\{\}:users \+info /)
        })
        await server.restart({ args: [], appendOnly: true })
      })
    })
  }
})
