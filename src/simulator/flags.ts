import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Scenario, scenarios } from './scenarios/scenario.ts'
import type { SimulatorOptions } from './simulator.ts'

/** The output of `--help`. */
export const help = `Usage: keyholder-simulator [flags]

A pretended alarm service on 127.0.0.1, to try flows against.

  --port <number>      port to listen on; 0 takes a free one (default 0)
  --panels <number>    panels of the account, 1 to 1000 (default 2)
  --speed <number>     seconds in the simulated world per second (default 1)
  --seed <number>      the same seed tells the same story (default 1)
  --scenario <name>    ${scenarios.join(' | ')} (default day)
  --cert <file>        certificate in PEM; with --key the service speaks https
  --key <file>         its private key in PEM
  --help               this text
`

/** Returns the flags as options, `help`, or a sentence that names the invalid flag. */
export function readFlags(
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
      ...readTls(values.cert, values.key),
    }
    return { options }
  } catch (error) {
    // parseArgs appends advice about positional arguments after its first sentence; we have none.
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

function readTls(cert: string | undefined, key: string | undefined): Pick<SimulatorOptions, 'tls'> {
  if (cert === undefined && key === undefined) return {}
  if (cert === undefined) throw new RangeError('--key needs --cert beside it')
  if (key === undefined) throw new RangeError('--cert needs --key beside it')
  return { tls: { cert: readPem('cert', cert), key: readPem('key', key) } }
}

function readPem(flag: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new RangeError(`--${flag} cannot be read: the system says ${code} about "${path}"`)
  }
}

function parseScenario(text: string): Scenario {
  const found = scenarios.find((name) => name === text)
  if (found) return found
  throw new RangeError(`--scenario must be ${scenarios.join(' or ')}, not "${text}"`)
}
