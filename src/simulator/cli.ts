#!/usr/bin/env node
import { help, readFlags } from './flags.ts'
import { type SimulatorOptions, startSimulator } from './simulator.ts'

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
