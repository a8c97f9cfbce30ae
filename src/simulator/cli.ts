#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parseRecording } from './replay.ts'
import { type Scenario, scenarios } from './scenarios/scenario.ts'
import { type SimulatorOptions, startSimulator } from './simulator.ts'
import { isTrace, parseTrace } from './trace-replay.ts'
import { optionValues, type PanelOptions } from './world/panel-options.ts'
import { type Lag, type ListOperation, listOperations } from './world/service/service-view.ts'

const optionHelp = Object.entries(optionValues)
  .map(([name, values]) => `                         ${name}=${values.join('|')}`)
  .join('\n')

/** The output of `--help`. */
const help = `Usage: keyholder-simulator [flags]

Runs a simulated alarm service on 127.0.0.1 to try flows without a real panel.

  --port <number>      port to listen on; 0 selects a free port (default 0)
  --panels <number>    number of panels, 1 to 1000 (default 2)
  --speed <number>     simulated seconds per second, 0.01 to 10000 (default 1)
  --seed <number>      random seed; the same seed repeats the same events (default 1)
  --scenario <name>    ${scenarios.join(' | ')} (default day)
  --lag <list>         seconds after which the service shows a change, such as status=4,devices=30; of
                       ${listOperations.join(', ')} (default none)
  --panel-options <list>
                       what the installer has set in all panels, such as abortTime=30,bypassMode=force-arm; of
${optionHelp}
  --locale <code>      language of names and events, de_DE or en_US (default en_US)
  --replay <file>      diagnostics file of a panel, from its dialog, or a trace; its answers are served, those of a trace at
                       its times, and no commands
  --cert <file>        PEM file with the certificate; use it with --key for https
  --key <file>         PEM file with its private key
  --help               show this help
`

/** Returns the flags as options, `help`, or a sentence that names the invalid flag. */
function readFlags(
  args: readonly string[],
): { options: SimulatorOptions } | { help: true } | { error: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string', default: '0' },
        panels: { type: 'string', default: '2' },
        speed: { type: 'string', default: '1' },
        seed: { type: 'string', default: '1' },
        scenario: { type: 'string', default: 'day' },
        lag: { type: 'string' },
        'panel-options': { type: 'string' },
        locale: { type: 'string', default: 'en_US' },
        replay: { type: 'string' },
        cert: { type: 'string' },
        key: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) return { help: true }
    const options = {
      port: parseInteger('port', values.port, 0, 65_535),
      panels: parseInteger('panels', values.panels, 1, 1000),
      speed: parseSpeed('speed', values.speed),
      seed: parseInteger('seed', values.seed, 0, 2 ** 32 - 1),
      scenario: parseScenario(values.scenario),
      ...readLag(values.lag),
      ...readPanelOptions(values['panel-options']),
      locale: parseLocale(values.locale),
      ...readReplay(values.replay),
      ...readTls(values.cert, values.key),
    }
    return { options }
  } catch (error) {
    // Keep only the first sentence of parseArgs; the rest is advice about positional arguments.
    const [reason = ''] = (error as Error).message.split(/\.\s|\.$|\n/)
    return { error: `${reason}; see --help.` }
  }
}

function parseInteger(flag: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= min && value <= max) return value
  throw new RangeError(`--${flag} must be a whole number from ${min} to ${max}, not "${text}"`)
}

function parseSpeed(flag: string, text: string): number {
  const value = Number(text)
  if (value >= 0.01 && value <= 10_000) return value
  throw new RangeError(`--${flag} must be a number from 0.01 to 10000, not "${text}"`)
}

function readLag(text: string | undefined): Pick<SimulatorOptions, 'lag'> {
  if (text === undefined) return {}
  const lag: Partial<Record<ListOperation, number>> = {}
  for (const part of text.split(',')) {
    const [name, seconds] = part.split('=')
    const operation = listOperations.find((one) => one === name)
    if (operation === undefined || !/^\d+(\.\d+)?$/.test(seconds ?? ''))
      throw new RangeError(
        `--lag must be a list such as status=4,devices=30, of ${listOperations.join(', ')}, not "${text}"`,
      )
    lag[operation] = Number(seconds)
  }
  return { lag: lag satisfies Lag }
}

function readPanelOptions(text: string | undefined): Pick<SimulatorOptions, 'panelOptions'> {
  if (text === undefined) return {}
  const chosen = text.split(',').map((part) => {
    const [name = '', word] = part.split('=')
    const values: readonly unknown[] = Object.entries(optionValues).find(([one]) => one === name)?.[1] ?? []
    const value = values.find((one) => String(one) === word)
    if (value === undefined)
      throw new RangeError(
        `--panel-options must be a list such as abortTime=30,bypassMode=force-arm, not "${text}"`,
      )
    return [name, value] as const
  })
  return { panelOptions: Object.fromEntries(chosen) as Partial<PanelOptions> }
}

function readTls(cert: string | undefined, key: string | undefined): Pick<SimulatorOptions, 'tls'> {
  if (cert === undefined && key === undefined) return {}
  if (cert === undefined) throw new RangeError('--key needs --cert too')
  if (key === undefined) throw new RangeError('--cert needs --key too')
  return { tls: { cert: readFlagFile('cert', cert), key: readFlagFile('key', key) } }
}

function readReplay(path: string | undefined): Pick<SimulatorOptions, 'replay' | 'trace'> {
  if (path === undefined) return {}
  const text = readFlagFile('replay', path).toString('utf8')
  try {
    return isTrace(text) ? { trace: parseTrace(text) } : { replay: parseRecording(text) }
  } catch (error) {
    throw new RangeError(`--replay: the file "${path}" cannot be replayed: ${(error as Error).message}`)
  }
}

function readFlagFile(flag: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new RangeError(`--${flag}: the file "${path}" cannot be read (${code})`)
  }
}

function parseScenario(text: string): Scenario {
  const found = scenarios.find((name) => name === text)
  if (found) return found
  throw new RangeError(`--scenario must be ${scenarios.join(' or ')}, not "${text}"`)
}

function parseLocale(text: string): string {
  if (text === 'de_DE' || text === 'en_US') return text
  throw new RangeError(`--locale must be de_DE or en_US, not "${text}"`)
}

const flags = readFlags(process.argv.slice(2))
if ('help' in flags) console.log(help)
else if ('error' in flags) printError(flags.error)
else await run(flags.options)

async function run(options: SimulatorOptions): Promise<void> {
  try {
    const simulator = await startSimulator(options)
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void simulator.close())
    console.log(`Base address  ${simulator.url}
Console       ${simulator.url}/ (open it in a browser: keypad, zones, alarms, faults, live requests)
E-mail        ${simulator.email}
Password      ${simulator.password}
User code     ${simulator.userCode} (second user: ${simulator.secondUserCode})
Installer     ${simulator.installerCode} (code for the installer service)
Serials       ${simulator.serials.join(' ')}
Press Ctrl+C to stop.`)
  } catch (error) {
    printError((error as Error).message)
  }
}

function printError(sentence: string): void {
  console.error(sentence)
  process.exitCode = 1
}
