import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { certificateFiles, testCertificate } from '../../../harness/certificates/test-certificate.ts'
import { moduleExtension } from '../../../harness/module-extension.ts'
import { startSimulator } from '../../../src/simulator/simulator.ts'
import { optionValues, usualOptions } from '../../../src/simulator/world/panel-options.ts'

const cli = fileURLToPath(new URL(`../../../src/simulator/cli${moduleExtension}`, import.meta.url))

interface Ending {
  code: number | null
  out: string
  err: string
}

/**
 * Runs the command; `whenOut` is called once, with the first output and a function that signals the process.
 */
function run(
  args: string[],
  whenOut?: (out: string, kill: (signal: NodeJS.Signals) => void) => void,
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cli, ...args])
    const ending: Ending = { code: null, out: '', err: '' }
    child.stdout.on('data', (data) => {
      ending.out += data
    })
    child.stderr.on('data', (data) => {
      ending.err += data
    })
    child.stdout.once('data', () => whenOut?.(ending.out, (signal) => child.kill(signal)))
    child.once('error', reject)
    child.once('close', (code) => resolve({ ...ending, code }))
  })
}

describe('the command keyholder-simulator', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`prints its address, serves requests, and ends on ${signal}`, async () => {
      let status = 0
      const { code, out, err } = await run(['--panels', '3'], (text, kill) => {
        const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0]
        const answered = fetch(`${url}/rest_api/version`).then((response) => {
          status = response.status
        })
        void answered.finally(() => kill(signal))
      })
      assert.equal(status, 200)
      assert.equal(code, 0)
      assert.equal(err, '')
      for (const word of ['Base address', 'E-mail', 'Password', 'User code', 'Serials']) {
        assert.ok(out.includes(word), word)
      }
      assert.match(out, /^Console +http:\/\/127\.0\.0\.1:\d+\/ /m)
      assert.match(out, /A1B2C3 012345 /)
    })
  }

  it('has panels with the options of --panel-options, and --help names each with its values', async () => {
    let options: { name: string; value: unknown }[] = []
    await run(['--panel-options', 'abortTime=30,bypassMode=force-arm,keepsBypass=true'], (text, kill) => {
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0]
      const answered = fetch(`${url}/console/state`).then(async (response) => {
        const { panels } = (await response.json()) as { panels: [{ options: typeof options }] }
        options = panels[0].options
      })
      void answered.finally(() => kill('SIGTERM'))
    })
    const values = Object.fromEntries(options.map(({ name, value }) => [name, value]))
    assert.deepEqual(values, {
      ...usualOptions,
      abortTime: 30,
      bypassMode: 'force-arm',
      keepsBypass: true,
    })
    const { out } = await run(['--help'])
    for (const [name, allowed] of Object.entries(optionValues))
      assert.ok(out.includes(` ${name}=${allowed.join('|')}\n`), name)
  })

  it('shows changes late with --lag', async () => {
    let running: unknown
    await run(['--lag', 'status=4,devices=30.5'], (text, kill) => {
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0]
      const answered = fetch(`${url}/console/state`).then(async (response) => {
        running = ((await response.json()) as { running: unknown }).running
      })
      void answered.finally(() => kill('SIGTERM'))
    })
    assert.deepEqual(running, [{ name: 'changes shown late: status 4 s, devices 30.5 s', operation: '' }])
  })

  it('speaks https with --cert and --key', async () => {
    let status: number | undefined
    const { cert, key } = certificateFiles
    await run(['--cert', cert, '--key', key], (text, kill) => {
      const url = /https:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0]
      const asking = get(`${url}/rest_api/version`, { ca: testCertificate.cert }, (response) => {
        status = response.statusCode
        kill('SIGTERM')
      })
      asking.once('error', () => kill('SIGTERM'))
    })
    assert.equal(status, 200)
  })

  it('prints the codes of the second user and of the installer too', async () => {
    const { out } = await run([], (_text, kill) => kill('SIGTERM'))
    const simulator = await startSimulator()
    for (const code of [simulator.userCode, simulator.secondUserCode, simulator.installerCode]) {
      assert.ok(out.includes(code), code)
    }
    await simulator.close()
  })

  it('serves a diagnostics file with --replay', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keyholder-cli-'))
    const path = join(folder, 'diagnostics.json')
    const account = { type: 'user', apiVersion: '12.0' }
    await writeFile(
      path,
      JSON.stringify({ format: 'keyholder-diagnostics-1', account, serial: 'text-1', answers: {} }),
    )
    try {
      const { out, err } = await run(['--replay', path], (_text, kill) => kill('SIGTERM'))
      assert.equal(err, '')
      assert.match(out, /^Serials +text-1$/m)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('serves a trace with --replay', async () => {
    const trace = fileURLToPath(new URL('../../traces/burglary.jsonl', import.meta.url))
    const { out, err } = await run(['--replay', trace], (_text, kill) => kill('SIGTERM'))
    assert.equal(err, '')
    assert.match(out, /^Serials +text-1$/m)
  })

  it('prints its flags with --help', async () => {
    const { code, out } = await run(['--help'])
    assert.equal(code, 0)
    const flags = ['port', 'panels', 'speed', 'seed', 'scenario', 'lag', 'replay', 'cert', 'key', 'help']
    for (const flag of flags.map((name) => `--${name}`)) assert.ok(out.includes(flag))
  })

  const mistakes: [string[], RegExp][] = [
    [['--nonsense'], /^Unknown option '--nonsense'; see --help\.\n$/],
    [['here'], /^Unexpected argument 'here'; see --help\.\n$/],
    [['--port'], /^Option '--port <value>' argument missing; see --help\.\n$/],
    [['--port', '70000'], /^--port must be a whole number from 0 to 65535, not "70000"; see --help\.\n$/],
    [['--panels', '0'], /^--panels must be a whole number from 1 to 1000/],
    [['--speed', '-1'], /^Option '--speed' argument is ambiguous; see --help\.\n$/],
    [['--speed', 'fast'], /^--speed must be a number from 0.01 to 10000/],
    [['--seed', '1.5'], /^--seed must be a whole number/],
    [['--cert', 'here.pem'], /^--cert needs --key too; see --help\.\n$/],
    [['--key', 'here.pem'], /^--key needs --cert too; see --help\.\n$/],
    [
      ['--cert', 'not-there.pem', '--key', 'k'],
      /^--cert: the file "not-there.pem" cannot be read \(ENOENT\); see --help\.\n$/,
    ],
    [['--cert', cli, '--key', certificateFiles.key], /^The certificate or its key is invalid: [^\n]*\.\n$/],
    [
      ['--replay', 'not-there.json'],
      /^--replay: the file "not-there.json" cannot be read \(ENOENT\); see --help\.\n$/,
    ],
    [
      ['--replay', certificateFiles.cert],
      /^--replay: the file "[^"]+" cannot be replayed: it is not JSON; see --help\.\n$/,
    ],
    [['--lag', 'status=4,doors=1'], /^--lag must be a list such as status=4,devices=30, of status, alarms, /],
    [['--lag', 'status'], /^--lag must be a list .*, not "status"; see --help\.\n$/],
    [
      ['--panel-options', 'abortTime=30,volume=3'],
      /^--panel-options must be a list such as abortTime=30,bypassMode=force-arm, not "abortTime=30,volume=3"; see --help\.\n$/,
    ],
    [
      ['--panel-options', 'abortTime=7'],
      /^--panel-options must be a list .*, not "abortTime=7"; see --help\.\n$/,
    ],
    [['--scenario', 'night'], /^--scenario must be calm or day, not "night"; see --help\.\n$/],
  ]
  for (const [args, sentence] of mistakes) {
    it(`refuses ${args.map((arg) => basename(arg)).join(' ')} in one sentence`, async () => {
      const { code, out, err } = await run(args)
      assert.equal(code, 1)
      assert.equal(out, '')
      assert.match(err, sentence)
    })
  }

  it('refuses a used port in one sentence', async () => {
    const simulator = await startSimulator()
    const { port } = new URL(simulator.url)
    const { code, err } = await run(['--port', port])
    assert.equal(code, 1)
    assert.equal(
      err,
      `The simulator cannot listen on port ${port} of 127.0.0.1: it is already in use; choose another port.\n`,
    )
    await simulator.close()
  })

  it('can be started by its name', async () => {
    assert.match(await readFile(cli, 'utf8'), /^#!\/usr\/bin\/env node\n/)
  })
})
