import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { moduleExtension } from '../../../harness/module-extension.ts'
import { demoOf, endDemo } from '../../../nodes/config/demo.ts'
import { day } from '../../../src/duration.ts'

const execute = promisify(execFile)
const path = new URL(`../../../nodes/config/demo${moduleExtension}`, import.meta.url).href

/** A process that starts a demo, writes to its folder, prints the folder and ends. */
const script = `
  import { writeFileSync } from 'node:fs'
  import { demoOf, endDemo } from '${path}'
  const { folder } = await demoOf('account', { name: 'Ours' }, () => {})
  writeFileSync(folder + '/events.json', '')
  await endDemo('account')
  console.log(folder)
`

describe('The demo of an account', () => {
  afterEach(() => endDemo('account'))

  it('is one simulated world with a day of events, until the account is removed', async () => {
    const lines: string[] = []
    const open = () => demoOf('account', { name: 'Our\nhouse' }, (line) => lines.push(line))
    const [demo, same] = await Promise.all([open(), open()])
    assert.equal(demo, same)
    assert.deepEqual(lines, [`Demo panel console of Our house: ${demo.simulator.url}/`])
    for (const panel of demo.simulator.world.panels) assert.ok(panel.events.length > 0)
    await endDemo('account')
    assert.notEqual(await open(), demo)
    assert.equal(lines.length, 2)
  })

  it('has German names throughout for an account in German', async () => {
    const names = async (locale: string) => {
      const { simulator } = await demoOf('account', { name: 'Ours', locale }, () => {})
      await endDemo('account')
      return simulator.world.panels.flatMap(({ plan, devices }) => [
        plan.alias,
        ...plan.partitions.map(({ name }) => name),
        ...devices.flatMap(({ name, traits }) => [name, traits.location?.name ?? '']),
      ])
    }
    const [english, german] = [await names('en_US'), await names('de_DE')]
    const same = new Set(english.filter((name, index) => name !== '' && german[index] === name))
    assert.deepEqual(same, new Set(['Garage', 'ALL']))
    assert.equal(german.length, english.length)
  })

  it('leaves one listener and at most two folders behind, however often it is started', async () => {
    const listeners = () => process.listenerCount('exit')
    const folders = async () =>
      (await readdir(tmpdir())).filter((name) => name.startsWith('keyholder-demo-')).length
    await demoOf('account', { name: 'Ours' }, () => {})
    const before = { listeners: listeners(), folders: await folders() }
    for (let start = 0; start < 12; start += 1) {
      await endDemo('account')
      await demoOf('account', { name: 'Ours' }, () => {})
    }
    assert.equal(listeners(), before.listeners)
    assert.ok((await folders()) <= before.folders + 1)
  })

  it('deletes the folder of a killed process after a day, and no other folder', async () => {
    const [old = '', used = '', young = ''] = await Promise.all(
      [1, 2, 3].map(() => mkdtemp(join(tmpdir(), 'keyholder-demo-'))),
    )
    const longAgo = new Date(Date.now() - 2 * day)
    try {
      await writeFile(join(used, 'events.json'), '')
      for (const folder of [old, used]) await utimes(folder, longAgo, longAgo)
      await demoOf('account', { name: 'Ours' }, () => {})
      assert.deepEqual(
        [old, used, young].map((folder) => existsSync(folder)),
        [false, true, true],
      )
    } finally {
      await Promise.all([used, young].map((folder) => rm(folder, { recursive: true })))
    }
  })

  it('answers only requests that address it as 127.0.0.1 or localhost', async () => {
    const { simulator } = await demoOf('account', { name: 'Ours' }, () => {})
    const { port } = new URL(simulator.url)
    const statusFor = (host: string, path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { Host: host, 'Content-Type': 'application/json' }
        get(simulator.url + path, { headers }, (response) => {
          response.resume()
          resolve(response.statusCode)
        }).on('error', reject)
      })
    for (const path of ['/rest_api/version', '/rest_api/14.0/panels', '/rest_api/nothing', '/']) {
      for (const host of ['attacker.example', `attacker.example:${port}`])
        assert.equal(await statusFor(host, path), 403, `${host} ${path}`)
    }
    // The service may be reached by a forwarded port, its page may not.
    assert.equal(await statusFor(`127.0.0.1:${Number(port) + 1}`, '/'), 403)
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`])
      assert.equal(await statusFor(host, '/rest_api/version'), 200)
  })

  it('gives out tokens that no other demo gives out', async () => {
    const tokens: string[] = []
    for (const id of ['account', 'other']) {
      const { simulator } = await demoOf(id, { name: 'Ours' }, () => {})
      const { email, password } = simulator
      const body = JSON.stringify({ email, password, app_id: '5f0c9d4e-8f5b-4c93-a0c5-0b7a2c6c1f11' })
      const headers = { 'Content-Type': 'application/json' }
      const response = await fetch(`${simulator.url}/rest_api/14.0/auth`, { method: 'POST', headers, body })
      tokens.push(((await response.json()) as { user_token: string }).user_token)
    }
    await endDemo('other')
    assert.match(tokens[0] ?? '', /^[0-9a-f-]{36}$/)
    assert.notEqual(tokens[0], tokens[1])
  })

  it('leaves no folder behind when the process ends', async () => {
    const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', script])
    assert.match(stdout, /keyholder-demo-/)
    assert.equal(existsSync(stdout.trim()), false)
  })
})
